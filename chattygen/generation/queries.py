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
from chattygen.generation.asks import Ask
from chattygen.generation.attempts import Asker, ask_items
from chattygen.generation.grammar import any_of, literal
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import foreign_iris, parses, read_only, term_text, tokens

TOKENS_PER_LINE = 40

FORMS = {"select": "SELECT ?x", "count": "SELECT (COUNT(DISTINCT ?x) AS ?n)", "ask": "ASK"}
"""The forms that the answer of a question can have, as the model writes them."""

ORDERS = {"most": " ORDER BY DESC(?v) LIMIT 1", "least": " ORDER BY ?v LIMIT 1"}
"""What stands behind the pattern of a question for the greatest or smallest."""

NEEDED = {"select": "the values", "count": "COUNT, since it asks how many", "ask": "ASK, since it asks yes or no"}


def ask_queries(
    asker: Asker, subgraph: Subgraph, questions: Sequence[Question], graph: KnowledgeGraph, deadline: float
) -> tuple[Query | None, ...]:
    """Write, run and check one query per question; None where even the builder's does not give the fact's answers."""
    seed = subgraph.seed.iri
    aliases = alias(tuple(iri for question in questions for iri in predicates(question)))
    patterns = [pattern(question, aliases) for question in questions]

    def check(index: int, line: str, accepted: dict[int, Query]) -> Query | tuple[Finding, ...]:
        query = line.removeprefix(cue(questions[index]))
        sparql = expand(query, seed, aliases, named(questions[index]))
        return run(sparql, questions[index], subgraph, graph, deadline, "model")

    def values(wanted: Sequence[int], raised: dict[int, Finding]) -> dict[str, object]:
        return {
            "items": [
                {"question": questions[index].pattern, "cue": cue(questions[index]), "triple": patterns[index]}
                for index in wanted
            ],
            "ordered": any(ordered(questions[index]) for index in wanted),
            "findings": [raised[index] for index in wanted if index in raised],
        }

    rules = [query_rule(question, triple) for question, triple in zip(questions, patterns, strict=True)]
    written = ask_items(asker, rules, values, check, TOKENS_PER_LINE)
    made = tuple(
        query or build(question, subgraph, graph, deadline) for query, question in zip(written, questions, strict=True)
    )
    for item, query in enumerate(made, 1):
        if query is None:
            asker.repaired(item, "lost", "")
    return made


def query_rule(question: Question, triples: str) -> str:
    """The grammar of a query: where `how many` is asked, values or their number is the model's choice, and the order
    where there is one.

    The pattern is not, and other questions leave no choice: a small model counts cities where `which city` is asked.
    """
    many = (FORMS["count"],) if question.kind == "how-many" else ()
    forms = (FORMS["ask"],) if question.tested else (FORMS["select"], *many)
    order = f" {any_of(tuple(ORDERS.values()))}" if ordered(question) else ""
    return f"{literal(cue(question))} {any_of(forms)} {literal(f' {{ {triples} }}')}{order}"


def ordered(question: Question | Ask) -> bool:
    """Whether it asks for the greatest or smallest of several."""
    return question.beyond is not None and question.beyond.kind in ORDERS


def cue(question: Question) -> str:
    """What the reply repeats before the query: how the question opens, and whether its answer is a stored number."""
    stored = " (stored)" if question.asked.value_kind == "number" and not question.tested else ""
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


def predicates(question: Question | Ask) -> tuple[str, ...]:
    """The predicates that the query has: one, or two."""
    return (question.fact.predicate, *([question.beyond.fact.predicate] if question.beyond else []))


def named(question: Question | Ask) -> Term | None:
    """The value that the question names, and its query with it: what is tested, or the condition."""
    if question.tested:
        return question.tested.term
    return question.beyond.fact.values[0].term if question.beyond and question.beyond.kind == "condition" else None


def pattern(question: Question | Ask, aliases: dict[str, str]) -> str:
    """The triple patterns of a question over aliases; `?x` is what is asked for, `:v` what the question names."""
    fact, beyond = question.fact, question.beyond
    if beyond is None:
        return triple(":e", fact, ":v" if question.tested else "?x", aliases)
    if beyond.kind == "hop":
        return f"{triple(':e', fact, '?y', aliases)} . {triple('?y', beyond.fact, '?x', aliases)}"
    other = ":v" if beyond.kind == "condition" else "?v"
    return f"{triple(':e', fact, '?x', aliases)} . {triple('?x', beyond.fact, other, aliases)}"


def triple(entity: str, fact: Fact, other: str, aliases: dict[str, str]) -> str:
    """The triple pattern of a fact about `entity`."""
    name = f":{aliases[fact.predicate]}"
    return f"{entity} {name} {other}" if fact.direction == "out" else f"{other} {name} {entity}"


def expand(line: str, seed: str, aliases: dict[str, str], value: Term | None = None) -> str:
    """The query with IRIs in the place of the aliases, and `value` in that of `:v`."""
    full = {name: term_text(Iri(iri)) for iri, name in aliases.items()} | {"e": term_text(Iri(seed))}
    full |= {"v": term_text(value)} if value else {}
    head, brace, body = line.partition("{")
    body = re.sub(r":(\w+)", lambda found: full.get(found[1], found[0]), body)
    return f"{head.strip()} WHERE {brace}{body}" if brace else line


def written(question: Question, seed: str) -> str:
    """The query that a question calls for."""
    aliases = alias(predicates(question))
    order = ORDERS[question.beyond.kind] if question.beyond and ordered(question) else ""
    line = f"{FORMS[form_needed(question)]} {{ {pattern(question, aliases)} }}{order}"
    return expand(line, seed, aliases, named(question))


def build(question: Question, subgraph: Subgraph, graph: KnowledgeGraph, deadline: float) -> Query | None:
    """The last resort: the query that the question calls for; None if its answers are not the fact's."""
    outcome = run(written(question, subgraph.seed.iri), question, subgraph, graph, deadline, "builder")
    return outcome if isinstance(outcome, Query) else None


def run(
    sparql: str, question: Question, subgraph: Subgraph, graph: KnowledgeGraph, deadline: float, origin: Origin
) -> Query | tuple[Finding, ...]:
    """Check a query before it runs (S1 to S3, S6), run it (S4), check its answers (S5)."""
    seed, value = subgraph.seed.iri, named(question)
    given = {seed, *predicates(question), *([value.value] if isinstance(value, Iri) else [])}
    given |= {value.datatype} if isinstance(value, Literal) else set()
    foreign = foreign_iris(sparql, given)
    form = form_of(sparql, question, seed)
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
        if form == "ask":
            return _told(graph.ask(sparql, deadline=deadline), sparql, question, origin)
        rows = graph.select(sparql, deadline=deadline)
    except QueryTimeout as error:
        return (Finding("S4", f"did not answer within {deadline:g} s", error.message),)
    except QueryError as error:
        return (Finding("S4", "the store refused it", error.message),)
    terms = [row[0] for row in rows.rows if row[0] is not None]
    wrong = answers_equal(terms, form, question.asked)
    if wrong:
        return (Finding(wrong.rule, wrong.message, sparql),)
    answers = tuple(sorted({answer(term, question.asked) for term in terms}, key=lambda a: (a.label, a.value)))
    return Query(sparql, "count" if form == "count" else "select", origin, answers, rows.complete)


def _told(yes: bool, sparql: str, question: Question, origin: Origin) -> Query | tuple[Finding, ...]:
    """The query of a yes-no question, if the graph says what the subgraph does."""
    if yes != question.holds:
        return (Finding("S5", "gives another answer than the subgraph", sparql),)
    return Query(sparql, "ask", origin, (Answer("boolean", "true" if yes else "false", "yes" if yes else "no"),))


def form_needed(question: Question) -> str:
    """The form that the answer of a question has."""
    return {"value": "select", "count": "count", "yes-no": "ask"}[question.form]


def form_of(sparql: str, question: Question | Ask, seed: str) -> str:
    """`select`, `count` or `ask` when the query asks for the question's triple pattern and nothing else; `reversed`
    when it has the other order; else empty.

    Compared token by token, whatever the spacing, `WHERE`, `DISTINCT` or a final dot: a query with another pattern
    could give the right answers for the wrong reason.
    """
    aliases = alias(predicates(question))
    triples, said = pattern(question, aliases), _said(sparql)
    for form, head in FORMS.items():
        for kind in ORDERS if question.beyond and ordered(question) else ("",):
            line = expand(f"{head} {{ {triples} }}{ORDERS.get(kind, '')}", seed, aliases, named(question))
            if said == _said(line):
                return form if not kind or (question.beyond and kind == question.beyond.kind) else "reversed"
    return ""


def _said(sparql: str) -> list[str]:
    """The tokens of a query that say what it asks."""
    said = [token.text for token in tokens(sparql)]
    said = [text if text[:1] in "<?\"'" else text.upper() for text in said]
    return [text for text in said if text not in ("WHERE", "DISTINCT", ".")]


def form_fits(form: str, question: Question) -> Finding | None:
    """S6: a question that counts gets a COUNT, one that asks yes or no an ASK, any other the values, in its order."""
    if form == form_needed(question):
        return None
    needed = "the other order" if form == "reversed" else NEEDED[form_needed(question)]
    return Finding("S6", f"the form does not fit: it needs {needed}")


def answers_equal(terms: Sequence[Term], form: str, fact: Fact) -> Finding | None:
    """S5: the answers are the subgraph's, as typed terms and as sets; no answer is right only where it has none."""
    if form == "count":
        return None if [term.value for term in terms] == [str(fact.count)] else Finding("S5", "counts something else")
    if (terms or not fact.count) and set(terms) == {value.term for value in fact.values}:
        return None
    return Finding("S5", "gives other answers than the subgraph")


def answer(term: Term, fact: Fact) -> Answer:
    """The term with the label that the subgraph has for it."""
    labels = {value.term: value.label for value in fact.values}
    if isinstance(term, Literal):
        return Answer("literal", term.value, labels.get(term, term.value), term.datatype, term.lang)
    return Answer("uri", term.value, labels.get(term, term.value))  # type: ignore[arg-type]
