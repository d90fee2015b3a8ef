"""What load-kg costs over the bare store: a DBLP-shaped dump of a chosen size, loaded in three ways.

    python benchmarks/load.py --triples 1000000

Measures pyoxigraph's own bulk_load of the file, load-kg of the same file (profile, hash and manifest included), and
load-kg --skip-bad of one with a bad line in every thousand, each in a process of its own. One line of JSON per
measurement, the same as a table at the end. Knows nothing about models. Peak memory is that of all processes together,
sampled 20 times a second.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import count, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import click
import psutil

from chattygen.cli import show

BARE = "bare bulk_load"
SAMPLE = 0.05
EVERY = 1000
"""One line in so many is bad in the dump for --skip-bad."""


@dataclass(frozen=True)
class Loading:
    """One way to load, the best of its repeats by time.

    Attributes:
        rate: triples a second.
        speed: that over the rate of the bare bulk_load in the same run.
        megabytes: the most memory that all its processes held together.
        memory: that over what the bare bulk_load held.
    """

    way: str
    triples: int
    seconds: float
    rate: float
    speed: float
    megabytes: float
    memory: float


# ---------------------------------------------------------------------------------------------------------------------
# The dump

DBLP = "https://dblp.org/rdf/schema#"
RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
XSD = "http://www.w3.org/2001/XMLSchema#"
ID = "https://example.org/dblp-like/"
WORDS = (
    "knowledge graph question answering over linked data with language models for entity matching and query planning "
    "in distributed streams of scientific workflows using neural ranking"
).split()
PER_PAPER = 23
"""Triples that a publication brings on average, with its share of authors and venues."""


def dump(triples: int) -> Iterator[str]:
    """Lines of N-Triples, as many as asked for, the same ones each time: publications, authors, venues, signatures.

    Degrees are skewed: a few authors have very many publications, most have one or two.
    """
    papers = triples // PER_PAPER + 1
    return islice(_lines(Random(0), authors=papers // 2 + 1, venues=papers // 400 + 1), triples)


def _lines(random: Random, authors: int, venues: int) -> Iterator[str]:
    seen: set[str] = set()
    for n in count():
        paper = f"<{ID}rec/conf/p{n}>"
        title = " ".join(random.choices(WORDS, k=random.randint(4, 9))).capitalize()
        year = 1970 + int(55 * random.random() ** 0.5)
        v = int(venues * random.random() ** 2)
        venue = f"<{ID}streams/conf/v{v}>"
        team = sorted({int(authors * random.random() ** 3) for _ in range(random.randint(1, 5))})
        yield f"{paper} {RDF_TYPE} <{DBLP}Publication> .\n"
        yield f"{paper} {RDF_TYPE} <{DBLP}Inproceedings> .\n"
        yield f'{paper} {LABEL} "{title}. ({year})" .\n'
        yield f'{paper} <{DBLP}title> "{title} {n}." .\n'
        yield f'{paper} <{DBLP}yearOfPublication> "{year}"^^<{XSD}gYear> .\n'
        yield f'{paper} <{DBLP}numberOfCreators> "{len(team)}"^^<{XSD}integer> .\n'
        yield f"{paper} <{DBLP}publishedInStream> {venue} .\n"
        yield from _once(seen, venue, "Stream", f"Conference on {WORDS[v % len(WORDS)]} {v}")
        for place, k in enumerate(team, 1):
            author, signature = f"<{ID}pid/{k}>", f"_:s{n}x{place}"
            yield f"{paper} <{DBLP}authoredBy> {author} .\n"
            yield f"{paper} <{DBLP}hasSignature> {signature} .\n"
            yield f"{signature} {RDF_TYPE} <{DBLP}AuthorSignature> .\n"
            yield f"{signature} <{DBLP}signatureCreator> {author} .\n"
            yield f'{signature} <{DBLP}signatureOrdinal> "{place}"^^<{XSD}integer> .\n'
            yield from _once(seen, author, "Person", f"Ada Northfell {k:04}")


def _once(seen: set[str], iri: str, kind: str, label: str) -> Iterator[str]:
    """What is said of an author or a venue, the first time that it comes up."""
    if iri not in seen:
        seen.add(iri)
        yield f"{iri} {RDF_TYPE} <{DBLP}{kind}> .\n"
        yield f'{iri} {LABEL} "{label}" .\n'


def write(folder: Path, triples: int) -> tuple[Path, Path]:
    """Write the dump, and the one with bad lines; returns their paths."""
    good, bad = folder / "dump.nt", folder / "bad.nt"
    if not (good.exists() and bad.exists()):
        with good.open("w", encoding="utf-8") as clean, bad.open("w", encoding="utf-8") as broken:
            for number, line in enumerate(dump(triples), 1):
                clean.write(line)
                broken.write(line if number % EVERY else line.replace(">", " ", 1))
    return good, bad


# ---------------------------------------------------------------------------------------------------------------------
# What is measured

BULK = """
import sys, pyoxigraph
pyoxigraph.Store(sys.argv[1]).bulk_load(path=sys.argv[2], format=pyoxigraph.RdfFormat.N_TRIPLES)
"""


def ways(home: Path, good: Path, bad: Path) -> dict[str, list[str]]:
    """Way to load -> command; each fills a new store."""
    kg = [sys.executable, "-m", "chattygen", "load-kg", "--replace", "--quiet", "--name", "dblp", "--home", str(home)]
    return {
        BARE: [sys.executable, "-c", BULK, str(home / "bare"), str(good)],
        "load-kg": [*kg, str(good)],
        "load-kg --skip-bad": [*kg, "--skip-bad", str(bad)],
    }


def watch(command: list[str]) -> tuple[float, float]:
    """Seconds and peak megabytes of a command with all its children.

    Raises:
        ClickException: it failed.
    """
    begun = time.perf_counter()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        peak = 0
        while process.poll() is None:
            peak = max(peak, _resident(process.pid))
            time.sleep(SAMPLE)
        seconds = time.perf_counter() - begun
        said = process.stderr.read() if process.stderr else ""
    if process.returncode:
        raise click.ClickException(f"{command} failed: {said}")
    return seconds, peak / 1e6


def _resident(pid: int) -> int:
    """Bytes that a process and its children hold now."""
    held = 0
    try:
        parent = psutil.Process(pid)
        for process in [parent, *parent.children(recursive=True)]:
            held += process.memory_info().rss
    except psutil.NoSuchProcess:
        pass
    return held


def measure(folder: Path, triples: int, repeats: int) -> Iterator[Loading]:
    """Every way in turn, `repeats` rounds of them, so that a slow moment of the machine meets all alike."""
    good, bad = write(folder, triples)
    best: dict[str, tuple[float, float]] = {}
    for _ in range(repeats):
        for way in ways(folder, good, bad):
            with TemporaryDirectory(dir=folder) as home:
                seconds, megabytes = watch(ways(Path(home), good, bad)[way])
            best[way] = min(best.get(way, (seconds, megabytes)), (seconds, megabytes))
    bare_seconds, bare_megabytes = best[BARE]
    for way, (seconds, megabytes) in best.items():
        yield Loading(
            way,
            triples,
            seconds,
            triples / seconds,
            bare_seconds / seconds,
            megabytes,
            megabytes / bare_megabytes,
        )


@click.command()
@click.option("--triples", type=click.IntRange(1000), default=1_000_000, show_default=True, help="Size of the dump.")
@click.option("--repeats", type=click.IntRange(1), default=2, show_default=True, help="The best of so many counts.")
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    help="Leave the dumps in this folder, and take those that are there.",
)
def main(triples: int, repeats: int, keep: Path | None) -> None:
    """Make a dump and print what loading it costs."""
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as temporary:
        found = list(measure(keep or Path(temporary), triples, repeats))
    for one in found:
        show.data_json(asdict(one))
    show.table(
        ["way", "seconds", "triples/s", "of bare speed", "peak MB", "of bare memory"],
        [
            [
                one.way,
                round(one.seconds, 1),
                f"{one.rate:,.0f}",
                f"{one.speed:.0%}",
                round(one.megabytes),
                f"{one.memory:.2f}",
            ]
            for one in found
        ],
        title=f"\nloading {triples:,} triples",
        whole=["way"],
    )


if __name__ == "__main__":
    main()
