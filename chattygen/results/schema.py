"""The tables of the results database, as migrations.

One SQLite file holds everything a run did (design, section 2); the measures of Chatty-Gen, section 6, are sums over its
rows. Columns are named after the fields of domain.py. Tables are strict, foreign keys are on. A change of the tables
is a new migration below; one that was released is never edited. Knows nothing about files and the values stored.
"""

from __future__ import annotations

from sqlite_utils import Database, Migrations

FIRST_TABLES = """
-- A run is never edited after its start, except for how it ended. The whole settings are kept, so that a run can be
-- repeated; the roles named here are those that every export carries.
create table run (
    id text primary key,
    kg text not null,
    kg_fingerprint text not null,
    kg_triples integer not null,
    settings text not null,
    models text not null check (
        json_extract(models, '$.questions') is not null
        and json_extract(models, '$.sparql') is not null
        and json_extract(models, '$.dialogue') is not null
    ),
    started text not null,
    finished text,
    status text not null check (status in ('running', 'done', 'short', 'interrupted', 'failed')),
    reason text not null,
    chattygen_version text not null
) strict;

-- The classes of the graph, kept and dropped (Algorithm 1): the dropped ones say why the benchmark lacks them.
create table node_type (
    run text not null references run (id),
    iri text not null,
    label text not null,
    count integer not null,
    share real,
    kept integer not null check (kept in (0, 1)),
    reason text not null,
    wanted integer not null,
    primary key (run, iri)
) strict;

-- Which predicates name the entities of a class (section 4.2).
create table label_rule (
    run text not null references run (id),
    node_type text not null,
    predicates text not null,
    coverage real not null,
    chosen_by text not null,
    primary key (run, node_type)
) strict;

-- Every entity that was visited, whatever became of it: the success rate divides by these. The key is a number and not
-- the label or the IRI, because two entities may share a label, and a resumed run may visit an entity again.
create table seed (
    id integer primary key,
    run text not null references run (id),
    n integer not null,
    iri text not null,
    label text not null,
    node_type text not null,
    type_label text not null,
    being text not null,
    bucket text,
    status text not null check (status in ('visited', 'accepted', 'given-up', 'interrupted')),
    rule text not null,
    reason text not null,
    started text not null,
    finished text,
    facts integer not null,
    triples integer not null,
    unique (run, n)
) strict;

-- The subgraph of a seed, summarised (Algorithm 3): what could be asked about it.
create table fact (
    seed integer not null references seed (id),
    n integer not null,
    predicate text not null,
    predicate_label text not null,
    direction text not null check (direction in ('out', 'in')),
    value_kind text not null,
    value_type text not null,
    count integer not null,
    "values" text not null,
    primary key (seed, n),
    unique (seed, predicate, direction)
) strict;

-- What the filters took out of the subgraph, and why: the answer to "why is this not asked?".
create table dropped_fact (
    seed integer not null references seed (id),
    n integer not null,
    predicate text not null,
    direction text not null check (direction in ('out', 'in')),
    reason text not null,
    primary key (seed, n)
) strict;

-- Every call to a model, failed ones too, with the whole prompt and the raw reply: all counts of tokens and seconds are
-- sums over this table. Calls that serve no single seed (label rules) have no seed.
create table call (
    id integer primary key,
    run text not null references run (id),
    seed integer references seed (id),
    stage text not null,
    role text not null,
    model text not null,
    attempt integer not null,
    item integer not null,
    prompt_hash text not null,
    messages text not null,
    "constraint" text not null,
    reply text not null,
    finish text not null check (finish in ('stop', 'length', 'error')),
    prompt_tokens integer not null,
    completion_tokens integer not null,
    seconds real not null,
    error text not null,
    stored text not null
) strict;
create index call_run on call (run);
create index call_seed on call (seed);

-- Every assertion that failed, also those that a later attempt put right: the errors of Table 4. A finding about the
-- builder's work has no call.
create table finding (
    id integer primary key,
    call integer references call (id),
    run text not null references run (id),
    seed integer references seed (id),
    stage text not null,
    attempt integer not null,
    item integer not null,
    rule text not null,
    message text not null,
    evidence text not null
) strict;
create index finding_run on finding (run);

-- The standalone questions of the finished dialogues, each about one fact.
create table question (
    seed integer not null,
    n integer not null,
    fact integer not null,
    pattern text not null,
    text text not null,
    kind text not null,
    origin text not null check (origin in ('model', 'builder')),
    primary key (seed, n),
    foreign key (seed, fact) references fact (seed, n)
) strict;

-- The executed query of a question; `complete` is 0 when the store cut the answers short.
create table query (
    id integer primary key,
    seed integer not null,
    n integer not null,
    sparql text not null,
    form text not null check (form in ('select', 'count', 'ask')),
    origin text not null check (origin in ('model', 'builder')),
    complete integer not null check (complete in (0, 1)),
    unique (seed, n),
    foreign key (seed, n) references question (seed, n)
) strict;

-- The gold answers: typed terms, so that 5, "5" and "5"@en stay three answers.
create table answer (
    query integer not null references query (id),
    n integer not null,
    type text not null check (type in ('uri', 'literal', 'boolean')),
    value text not null,
    label text not null,
    datatype text not null,
    lang text not null,
    primary key (query, n)
) strict;

-- One accepted seed, one dialogue. Its usage leaves out what seeds that were given up and label rules cost: those are
-- in the calls.
create table dialogue (
    id text primary key,
    run text not null references run (id),
    seed integer not null unique references seed (id),
    n integer not null,
    prompt_tokens integer not null,
    completion_tokens integer not null,
    calls integer not null,
    seconds real not null,
    unique (run, n)
) strict;

-- What is said in a dialogue. The seed is repeated here so that a turn cannot point to a question of another seed.
create table turn (
    dialogue text not null references dialogue (id),
    n integer not null,
    utterance text not null,
    utterance_origin text not null check (utterance_origin in ('model', 'builder')),
    seed integer not null,
    question integer not null,
    primary key (dialogue, n),
    foreign key (seed, question) references question (seed, n)
) strict;
"""

RESUME = """
-- Where the graph came from, for dataset cards: JSON with title, url, licence. `repeatable` is 0 when a server may give
-- another text for the same request, as those do that batch requests.
alter table run add column kg_source text not null default '{}';
alter table run add column repeatable integer not null default 1;

-- A run is worked on from its start to its end or its stop, and again after each resume. A session without an end is
-- going on, or was killed.
create table session (
    run text not null references run (id),
    n integer not null,
    started text not null,
    finished text,
    primary key (run, n)
) strict;
insert into session select id, 1, started, finished from run;

-- `request` is a hash of all that the reply depends on; a call whose request was answered before may reuse that reply,
-- and then `reused` is 1 and tokens and seconds are those of the earlier call.
alter table call add column request text not null default '';
alter table call add column revision text not null default '';
alter table call add column max_tokens integer not null default 0;
alter table call add column temperature real not null default 0;
alter table call add column sampling_seed integer not null default 0;
alter table call add column thinking text not null default '';
alter table call add column cached_tokens integer not null default 0;
alter table call add column reused integer not null default 0;
create index call_request on call (request);
drop index call_run;
create index call_run on call (run, stored);
create index call_spent on call (run, stage, model, reused, prompt_tokens, completion_tokens, seconds);
drop index finding_run;
create index finding_run on finding (run, seed);

-- A resumed run goes over its own steps: none of them may be stored twice. Only a call that failed is made again.
create unique index seed_once on seed (run, iri);
create unique index call_once on call (run, ifnull(seed, 0), stage, attempt, item, request)
    where error = '' and request <> '';
"""

VERDICTS = """
-- What people say about finished dialogues. Rows are only added: when they are read, a reviewer's later verdict on a
-- dialogue takes the place of the earlier one. A dialogue is accepted as a whole, and may be rejected for one turn.
create table verdict (
    id integer primary key,
    dialogue text not null references dialogue (id),
    turn integer,
    verdict text not null check (verdict in ('accept', 'reject')),
    reason text not null,
    reviewer text not null,
    stored text not null,
    check (turn is null or verdict = 'reject'),
    foreign key (dialogue, turn) references turn (dialogue, n)
) strict;
create index verdict_dialogue on verdict (dialogue, reviewer);
create trigger verdict_is_not_changed before update on verdict begin
    select raise(abort, 'a verdict stays: add a later one');
end;
create trigger verdict_is_not_deleted before delete on verdict begin
    select raise(abort, 'a verdict stays: add a later one');
end;
"""

JUDGING = """
-- Every call to a model that judges, failed ones too. It is a row of no run: it may be about two runs, or about
-- dialogues of a file, and what a run cost must not grow when it is judged. A request that has a reply here is not made
-- again.
create table judge_call (
    id integer primary key,
    stage text not null check (stage in ('compare', 'audit')),
    dialogue text not null,
    other text not null,
    turn integer,
    model text not null,
    revision text not null,
    prompt_hash text not null,
    messages text not null,
    "constraint" text not null,
    max_tokens integer not null,
    temperature real not null,
    sampling_seed integer not null,
    reply text not null,
    thinking text not null,
    finish text not null check (finish in ('stop', 'length', 'error')),
    prompt_tokens integer not null,
    completion_tokens integer not null,
    cached_tokens integer not null,
    seconds real not null,
    error text not null,
    request text not null,
    stored text not null
) strict;
create index judge_call_request on judge_call (request);

-- What people and models say about single turns of a drawn sample. As in `verdict`, rows are only added, and a
-- reviewer's later verdict on a turn takes the place of the earlier one.
create table turn_verdict (
    id integer primary key,
    dialogue text not null,
    turn integer not null,
    verdict text not null check (verdict in ('right', 'sounds-wrong', 'asks-else', 'wrong-answer')),
    reason text not null,
    reviewer text not null,
    stored text not null,
    foreign key (dialogue, turn) references turn (dialogue, n)
) strict;
create index turn_verdict_turn on turn_verdict (dialogue, turn, reviewer);
create trigger turn_verdict_is_not_changed before update on turn_verdict begin
    select raise(abort, 'a verdict stays: add a later one');
end;
create trigger turn_verdict_is_not_deleted before delete on turn_verdict begin
    select raise(abort, 'a verdict stays: add a later one');
end;
"""

SAYING = """
-- What stands for the seed in a question where that is not its label, else empty.
alter table seed add column said text not null default '';
"""

KINDS = """
-- What a yes-no question asks about, and the second fact of a question over two, as JSON; null for others.
alter table question add column tested text;
alter table question add column beyond text;
-- How a turn goes on with what was said, and the turn whose answer it asks about.
alter table turn add column flow text not null default 'reference';
alter table turn add column refers_to integer;
"""

EVALUATIONS = """
-- A run as it is played to a system: a model, a chatbot or a sanity system (Head-to-Tail, section 3). The same run,
-- system and settings are one evaluation, however often it is stopped; more dialogues and repeats are added to it.
create table evaluation (
    id text primary key,
    run text not null references run (id),
    n integer not null,
    system text not null,
    revision text not null,
    settings text not null,
    started text not null,
    finished text,
    status text not null check (status in ('running', 'done', 'interrupted', 'failed')),
    reason text not null,
    chattygen_version text not null,
    unique (run, n),
    unique (run, system, revision, settings)
) strict;

-- What a system replied to a turn, with all that it was sent; failed calls too, which are made again. Scores are no
-- columns: they follow from the reply and the gold answers, by rules that may get better.
create table reply (
    id integer primary key,
    evaluation text not null references evaluation (id),
    dialogue text not null,
    turn integer not null,
    repeat integer not null check (repeat > 0),
    messages text not null,
    reply text not null,
    thinking text not null,
    finish text not null check (finish in ('stop', 'length', 'error')),
    prompt_tokens integer not null,
    completion_tokens integer not null,
    seconds real not null,
    error text not null,
    stored text not null,
    foreign key (dialogue, turn) references turn (dialogue, n)
) strict;
create unique index reply_once on reply (evaluation, dialogue, turn, repeat) where error = '';

-- What a model that judges says about a reply: whether it means what the gold answers say; null when it said neither.
create table reply_verdict (
    reply integer not null references reply (id),
    judge text not null,
    revision text not null,
    correct integer check (correct in (0, 1)),
    stored text not null,
    primary key (reply, judge, revision)
) strict;

-- What the scores of a run need of its graph, so that the graph need not be there when they are worked out: other names
-- of the entities among the gold answers, and how many triples have the predicates that are asked about.
create table other_name (
    run text not null references run (id),
    iri text not null,
    name text not null,
    primary key (run, iri, name)
) strict;
create table predicate_count (
    run text not null references run (id),
    predicate text not null,
    triples integer not null,
    bucket text not null check (bucket in ('head', 'torso', 'tail')),
    primary key (run, predicate)
) strict;

-- A judge is also asked about replies: its stages are not listed here any more.
alter table judge_call rename to judge_call_of_stages;
drop index judge_call_request;
create table judge_call (
    id integer primary key,
    stage text not null,
    dialogue text not null,
    other text not null,
    turn integer,
    model text not null,
    revision text not null,
    prompt_hash text not null,
    messages text not null,
    "constraint" text not null,
    max_tokens integer not null,
    temperature real not null,
    sampling_seed integer not null,
    reply text not null,
    thinking text not null,
    finish text not null check (finish in ('stop', 'length', 'error')),
    prompt_tokens integer not null,
    completion_tokens integer not null,
    cached_tokens integer not null,
    seconds real not null,
    error text not null,
    request text not null,
    stored text not null
) strict;
insert into judge_call select * from judge_call_of_stages;
drop table judge_call_of_stages;
create index judge_call_request on judge_call (request);
"""

VISITS = """
-- A seed may be visited several times in a run whose dialogues the program assembles from stored wordings.
alter table seed add column visit integer not null default 1;
drop index seed_once;
create unique index seed_once on seed (run, iri, visit);
"""

REPAIRS = """
-- What became of an item of a stage whose first line from the model broke a rule, which is `rule`: `model` when a later
-- attempt passed, `builder` when chattygen wrote it, `replaced` when another fact took its place, else `lost`. If the
-- seed was given up, it is lost all the same.
create table repair (
    seed integer not null references seed (id),
    stage text not null,
    item integer not null,
    rule text not null,
    how text not null check (how in ('model', 'builder', 'replaced', 'lost')),
    primary key (seed, stage, item)
) strict;
"""

STRATA = """
-- Head, torso and tail of a class, for a run that draws seeds by bucket (Head-to-Tail, Table 1). `lowest` is the lowest
-- popularity in the bucket, null for the tail and where nothing is popular enough; `low` and `high` say where it lies
-- with 95 % confidence, null when it is exact. `error` is what the share may be off by. `left_out` have no popularity,
-- or are too new.
create table stratum (
    run text not null references run (id),
    node_type text not null,
    bucket text not null check (bucket in ('head', 'torso', 'tail')),
    entities integer not null,
    share real not null,
    lowest real,
    low real,
    high real,
    measure text not null,
    method text not null check (method in ('exact', 'estimated')),
    error real not null,
    looked_at integer not null,
    left_out integer not null,
    primary key (run, node_type, bucket)
) strict;
"""

migrations = Migrations("chattygen")


@migrations()
def first_tables(db: Database) -> None:
    db.executescript(FIRST_TABLES)


@migrations()
def resume(db: Database) -> None:
    db.executescript(RESUME)


@migrations()
def verdicts(db: Database) -> None:
    db.executescript(VERDICTS)


@migrations()
def judging(db: Database) -> None:
    db.executescript(JUDGING)


@migrations()
def saying(db: Database) -> None:
    db.executescript(SAYING)


@migrations()
def kinds(db: Database) -> None:
    db.executescript(KINDS)


@migrations()
def evaluations(db: Database) -> None:
    db.executescript(EVALUATIONS)


@migrations()
def strata(db: Database) -> None:
    db.executescript(STRATA)


@migrations()
def visits(db: Database) -> None:
    db.executescript(VISITS)


@migrations()
def repairs(db: Database) -> None:
    db.executescript(REPAIRS)
