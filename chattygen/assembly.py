"""The loop of a run without calls: dialogues or single questions from stored wordings, until there are enough.

As in loop.py the order depends on the settings, the graph and the wordings only. Knows nothing about how a dialogue is
put together: that is reuse.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from chattygen import reuse
from chattygen.books import VISITS, Books, Outcome
from chattygen.context.node_types import distribute
from chattygen.context.pools import Pool, draw, owe, spread
from chattygen.domain import NodeType, Subgraph, Visit
from chattygen.generation.stages import DIALOGUE, PHRASING
from chattygen.generation.templates import Template
from chattygen.work import Tools

BATCH = 100
"""Assembled dialogues that are stored at once: a stop loses no more than these, which take a second to make again."""


def assembled(
    tools: Tools,
    types: Sequence[NodeType],
    supplies: dict[Pool, Iterator[Subgraph]],
    owed: dict[Pool, int],
    books: Books,
) -> Outcome:
    """Have what is asked about the types worded once, then assemble the wanted dialogues, BATCH in a transaction."""
    run = tools.run
    books.say(0, PHRASING.title)
    iris = [t.iri for t in types]
    phrasings = reuse.phrase(tools, supplies, iris)
    visits = {
        pool: reuse.dialogues(tools, subgraphs, phrasings) for pool, subgraphs in supplies.items() if pool[0] in iris
    }
    return _fill(tools, types, visits, owed, run.dialogues, books)


def questions(
    tools: Tools, types: Sequence[NodeType], supplies: dict[Pool, Iterator[Subgraph]], books: Books
) -> Outcome:
    """Head-to-Tail: as many single questions from each bucket, of each template as many as of the others."""
    run, asked, texts = tools.run, Counter[Template](), set[str]()
    books.say(0, PHRASING.title)
    templates = reuse.phrase_templates(tools, supplies, [t.iri for t in types])
    relations = {key[:3] for key, phrasing in templates.items() if phrasing.wordings}
    numbers = Counter(iri for iri, _, _ in relations)
    among = [replace(t, count=numbers[t.iri]) for t in types if numbers[t.iri]]
    short: list[str] = []
    for bucket, part in zip(run.strata, spread({"": run.dialogues}, run.strata).values(), strict=True):
        owed: dict[Pool, int] = {(iri, bucket): number for iri, number in distribute(among, part).items()}
        asked.clear()  # equal numbers per template in every bucket
        visits = {pool: reuse.questions(tools, supplies[pool], templates, asked, texts) for pool in owed}
        had = books.done
        if _fill(tools, among, visits, owed, had + part, books).status == "short":
            short.append(f"{bucket} {books.done - had} of {part}")
    if not short:
        return books.outcome("done")
    return books.outcome("short", f"no more entities or attributes in a bucket: {', '.join(short)}")


def _fill(
    tools: Tools,
    types: Sequence[NodeType],
    visits: dict[Pool, Iterator[Visit]],
    owed: dict[Pool, int],
    wanted: int,
    books: Books,
) -> Outcome:
    """Store visits until there are `wanted` dialogues, or nothing more can be said."""
    most = books.visited + VISITS * (wanted - books.done) + 10
    while books.done < wanted and books.visited < most:
        batch = draw(visits, owed, types, min(BATCH, wanted - books.done))
        if not batch:
            break
        tools.recorder.visits(tools.id, batch)
        for visit in batch:
            if not visit.turns:
                seed = visit.subgraph.seed
                owe(owed, 1, (seed.node_type, seed.bucket), visits, types)
        books.visited += len(batch)
        books.done += sum(1 for visit in batch if visit.turns)
        books.say(books.done, DIALOGUE.title)
    if books.done == wanted:
        return books.outcome("done")
    why = "nothing new can be said about any entity" if books.visited < most else "most visits came to nothing"
    return books.outcome("short", f"{books.visited} visits to seeds, {books.visited - books.done} in vain; {why}")
