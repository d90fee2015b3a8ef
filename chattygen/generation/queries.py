"""Stage 2, SPARQL query generation (section 5.2), with its assertions S1 to S6.

The model sees each question with its triple pattern over short aliases (`:e` for the seed entity) and writes the query;
no IRI can be misspelt. The query is expanded, checked, executed, and its answers compared with the subgraph's. What the
model cannot write in its attempts, the builder writes. Knows nothing about how questions were worded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chattygen.context.names import readable
from chattygen.domain import Answer, Fact, Finding, Iri, Literal, Origin, Query, Question, Subgraph, Term
from chattygen.errors import QueryError, QueryTimeout
from chattygen.generation.attempts import Asker, ask_items
from chattygen.generation.grammar import any_of, literal
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import foreign_iris, parses, read_only, term_text, tokens

TOKENS_PER_LINE = 40

FORMS = {"select": "SELECT ?x", "count": "SELECT (COUNT(DISTINCT ?x) AS ?n)"}
"""The two forms that the answer of a question can have here, as the model writes them."""


def ask_queries(
    asker: Asker, subgraph: Subgraph, questions: Sequence[Question], graph: KnowledgeGraph, deadline: float
) -> tuple[Query | None, ...]:
    """Write, run and check one query per question; None where even the builder's does not give the fact's answers."""
    seed = subgraph.seed.iri
    aliases = alias(tuple(question.fact.predicate for question in questions))
    patterns = [pattern(question.fact, aliases) for question in questions]

    def check(index: int, line: str, accepted: dict[int, Query]) -> Query | tuple[Finding, ...]:
        query = line.removeprefix(cue(questions[index]))
        return run(expand(query, seed, aliases), questions[index], subgraph, graph, deadline, "model")

    def values(wanted: Sequence[int], raised: dict[int, Finding]) -> dict[str, object]:
        return {
            "items": [
                {"question": questions[index].pattern, "cue": cue(questions[index]), "triple": patterns[index]}
                for index in wanted
            ],
            "findings": [raised[index] for index in wanted if index in raised],
        }

    rules = [
        f'{literal(cue(question))} {any_of(tuple(FORMS.values()))} " {{ {triple} }}"'
        for question, triple in zip(questions, patterns, strict=True)
    ]
    written = ask_items(asker, rules, values, check, TOKENS_PER_LINE)
    return tuple(
        query or build(question, subgraph, graph, deadline) for query, question in zip(written, questions, strict=True)
    )


def cue(question: Question) -> str:
    """What the reply repeats before the query: how the question opens, and whether its answer is a stored number."""
    stored = " (stored)" if question.fact.value_kind == "number" else ""
    return f"{' '.join(question.pattern.split()[:2])}{stored}: "


def alias(predicates: Sequence[str]) -> dict[str, str]:
    """IRI -> a short name that reads like the predicate: letters and digits only, all different, never `e`."""
    names: dict[str, str] = {}
    for iri in dict.fromkeys(predicates):
        parts = re.findall(r"[A-Za-z0-9]+", readable(iri))
        name = "".join([parts[0].lower(), *[part.capitalize() for part in parts[1:]]]) if parts else "p"
        taken = {*names.values(), "e"}
        names[iri] = next(n for n in [name, *[f"{name}{i}" for i in range(2, len(predicates) + 3)]] if n not in taken)
    return names


def pattern(fact: Fact, aliases: dict[str, str]) -> str:
    """The triple pattern of a fact over aliases; `?x` is what is asked for."""
    name = aliases[fact.predicate]
    return f":e :{name} ?x" if fact.direction == "out" else f"?x :{name} :e"


def expand(line: str, seed: str, aliases: dict[str, str]) -> str:
    """The query with IRIs in the place of the aliases."""
    full = {name: iri for iri, name in aliases.items()} | {"e": seed}
    head, brace, body = line.partition("{")
    body = re.sub(r":(\w+)", lambda m: term_text(Iri(full[m[1]])) if m[1] in full else m[0], body)
    return f"{head.strip()} WHERE {brace}{body}" if brace else line


def build(question: Question, subgraph: Subgraph, graph: KnowledgeGraph, deadline: float) -> Query | None:
    """The last resort: the query that the question's form calls for; None if its answers are not the fact's."""
    fact, seed = question.fact, subgraph.seed.iri
    aliases = alias((fact.predicate,))
    form = FORMS["count" if question.form == "count" else "select"]
    sparql = expand(f"{form} {{ {pattern(fact, aliases)} }}", seed, aliases)
    outcome = run(sparql, question, subgraph, graph, deadline, "builder")
    return outcome if isinstance(outcome, Query) else None


def run(
    sparql: str, question: Question, subgraph: Subgraph, graph: KnowledgeGraph, deadline: float, origin: Origin
) -> Query | tuple[Finding, ...]:
    """Check a query before it runs (S1 to S3, S6), run it (S4), check its answers (S5)."""
    foreign = foreign_iris(sparql, {subgraph.seed.iri, question.fact.predicate})
    form = form_of(sparql, question.fact, subgraph.seed.iri)
    wrong = (
        parses(sparql)
        or read_only(sparql)
        or (Finding("S3", "uses IRIs that it was not given", " ".join(foreign)) if foreign else None)
        or (None if form else Finding("S5", "does not ask for the fact's triple pattern", sparql))
        or form_fits(form, question)
    )
    if wrong:
        return (Finding(wrong.rule, wrong.message, sparql),)
    try:
        rows = graph.select(sparql, deadline=deadline)
    except QueryTimeout as error:
        return (Finding("S4", f"did not answer within {deadline:g} s", error.message),)
    except QueryError as error:
        return (Finding("S4", "the store refused it", error.message),)
    terms = [row[0] for row in rows.rows if row[0] is not None]
    wrong = answers_equal(terms, form, question.fact)
    if wrong:
        return (Finding(wrong.rule, wrong.message, sparql),)
    answers = tuple(sorted({answer(term, question.fact) for term in terms}, key=lambda a: (a.label, a.value)))
    return Query(sparql, "count" if form == "count" else "select", origin, answers, rows.complete)


def form_of(sparql: str, fact: Fact, seed: str) -> str:
    """`select`, `count` or `ask` when the query asks for the fact's triple pattern and nothing else; else empty.

    Compared token by token, whatever the spacing, `WHERE`, `DISTINCT` or a final dot: a query with another pattern
    could give the right answers for the wrong reason.
    """
    entity, predicate = f"<{seed}>", f"<{fact.predicate}>"
    triple = [entity, predicate, "?x"] if fact.direction == "out" else ["?x", predicate, entity]
    said = [token.text for token in tokens(sparql)]
    said = [text if text[:1] in "<?" else text.upper() for text in said]
    said = [text for text in said if text not in ("WHERE", "DISTINCT", ".")]
    heads = {"select": ["SELECT", "?x"], "count": [*"SELECT ( COUNT ( ?x ) AS ?n )".split()], "ask": ["ASK"]}
    return next((form for form, head in heads.items() if said == [*head, "{", *triple, "}"]), "")


def form_fits(form: str, question: Question) -> Finding | None:
    """S6: a question that counts gets a COUNT, any other gets the values; a pattern with a variable is no yes or no."""
    if form == ("count" if question.form == "count" else "select"):
        return None
    needed = "COUNT, since it asks how many" if question.form == "count" else "the values"
    return Finding("S6", f"the form does not fit: it needs {needed}")


def answers_equal(terms: Sequence[Term], form: str, fact: Fact) -> Finding | None:
    """S5: the answers are the subgraph's, as typed terms and as sets; an empty answer is never right."""
    if form == "count":
        return None if [term.value for term in terms] == [str(fact.count)] else Finding("S5", "counts something else")
    if terms and set(terms) == {value.term for value in fact.values}:
        return None
    return Finding("S5", "gives other answers than the subgraph")


def answer(term: Term, fact: Fact) -> Answer:
    """The term with the label that the subgraph has for it."""
    labels = {value.term: value.label for value in fact.values}
    if isinstance(term, Literal):
        return Answer("literal", term.value, labels.get(term, term.value), term.datatype, term.lang)
    return Answer("uri", term.value, labels.get(term, term.value))  # type: ignore[arg-type]
