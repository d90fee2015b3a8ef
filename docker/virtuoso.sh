#!/bin/sh
# What the service `virtuoso` of compose.yaml does, with nothing of the image but its programs:
#   virtuoso start            makes a database if there is none, and serves it until it is told to stop
#   virtuoso load PATH GRAPH  loads a file or folder below /graphs into the named graph GRAPH; start must be running
#   virtuoso sql [STATEMENT]  runs one statement as dba, or opens a shell for it
# SPARQL answers on port 8890; SQL, and with it the password, can only be used inside the container.
set -eu
umask 077
database=${DATABASE:-/data} graphs=${GRAPHS:-/graphs}
# With an address such as 0.0.0.0 before the port, Virtuoso listens there and finds no /sparql.
http=${HTTP:-8890} sql=${SQL:-127.0.0.1:1111}
isql=$(command -v isql-vt || command -v isql)

# Bytes that this container may use.
memory() {
    free=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' /proc/meminfo) * 1024))
    limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
    if [ "$limit" != max ] && [ "$limit" -lt "$free" ]; then echo "$limit"; else echo "$free"; fi
}

# Pages that Virtuoso holds in memory, from its start on: half of the memory, within the bounds of virtuoso_ini.py.
buffers() {
    pages=$(($(memory) / 2 / 8892))
    if [ "$pages" -lt 20000 ]; then pages=20000; elif [ "$pages" -gt 4000000 ]; then pages=4000000; fi
    echo "$pages"
}

# virtuoso.ini with so many pages. A blank before a key would disable it.
settings() {
    cat <<EOF
[Database]
DatabaseFile = virtuoso.db
TransactionFile = virtuoso.trx
ErrorLogFile = virtuoso.log
LockFile = virtuoso.lck
xa_persistent_file = virtuoso.pxa
ErrorLogLevel = 7
FileExtend = 200
MaxCheckpointRemap = $(($1 / 4))
Striping = 0
TempStorage = TempDatabase

[TempDatabase]
DatabaseFile = virtuoso-temp.db
TransactionFile = virtuoso-temp.trx
MaxCheckpointRemap = 2000
Striping = 0

[Parameters]
ServerPort = $sql
DisableUnixSocket = 1
ServerThreads = 40
NumberOfBuffers = $1
MaxDirtyBuffers = $(($1 * 3 / 4))
MaxSortedTopRows = 67108864
CheckpointInterval = 60
CaseMode = 2
AllowOSCalls = 0
DirsAllowed = ., $graphs
SchedulerInterval = 10

[SPARQL]
ResultSetMaxRows = 1048576
MaxQueryExecutionTime = 3600
EOF
}

as_dba() { # PASSWORD [STATEMENT]
    "$isql" "$sql" dba "$1" VERBOSE=OFF BANNER=OFF PROMPT=OFF ECHO=OFF ERRORS=STDOUT ${2:+"exec=$2"}
}

# A new database, in a folder of its own until nobody can enter it with the password that every new one has.
create() {
    rm -rf new
    mkdir new
    cd new
    settings 20000 >virtuoso.ini
    od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >password
    virtuoso-t +configfile virtuoso.ini +wait
    as_dba dba "user_set_password('dba', '$(cat password)')"
    as_dba "$(cat password)" 'shutdown()' || true # the server hangs up
    while [ -e virtuoso.lck ]; do sleep 1; done
    cd ..
    mv new/password new/virtuoso.trx .
    mv new/virtuoso.db .
    rm -rf new
}

start() {
    cd "$database"
    if [ ! -e virtuoso.db ]; then create; fi
    mkdir -p www
    {
        settings "${BUFFERS:-$(buffers)}"
        printf '\n[HTTPServer]\nServerPort = %s\nServerRoot = www\nServerThreads = 20\n' "$http"
        printf 'EnabledDavVSP = 0\nHTTPProxyEnabled = 0\n'
    } >virtuoso.ini
    exec virtuoso-t -f +configfile virtuoso.ini
}

load() {
    path=$graphs/$1 graph=$2
    case $path$graph in *[\'\"]*) echo "no quotes in names, please" >&2; exit 2 ;; esac
    if [ -d "$path" ]; then files="ld_dir_all('$path', '%', '$graph')"
    elif [ -f "$path" ]; then files="ld_dir('${path%/*}', '${path##*/}', '$graph')"
    else echo "there is no $path" >&2; exit 2
    fi
    password=$(cat "$database/password")
    for step in 'delete from DB.DBA.load_list' "$files" 'rdf_loader_run()' 'checkpoint'; do
        as_dba "$password" "$step"
    done
    # Only this list tells what was wrong with a file; state 2 is loaded.
    wrong=$(as_dba "$password" "select ll_file, ll_state, ll_error from DB.DBA.load_list
        where ll_state <> 2 or ll_error is not null")
    done=$(as_dba "$password" 'select count(*) from DB.DBA.load_list where ll_state = 2 and ll_error is null')
    echo "files loaded: $((done))"
    echo "triples in the graph: $(($(as_dba "$password" "sparql select count(*) { graph <$graph> { ?s ?p ?o } }")))"
    if [ -n "$wrong" ]; then echo "not loaded: $wrong" >&2; exit 1; fi
}

case ${1:-} in
    start) start ;;
    load) if [ $# -ne 3 ]; then echo 'virtuoso load PATH GRAPH' >&2; exit 2; fi; load "$2" "$3" ;;
    sql) shift; as_dba "$(cat "$database/password")" "$@" ;;
    *) echo 'virtuoso start | load PATH GRAPH | sql [STATEMENT]' >&2; exit 2 ;;
esac
