"""The bar charts of the page: how long each bar is and what is written beside it.

Chatty-Gen, Figures 4 to 6, and what a run cost by stage. Pure functions; knows nothing about HTML.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from chattygen.domain import Usage
from chattygen.results.asked import Part
from chattygen.results.contents import PredicateCount, TypeCount
from chattygen.results.report import Report, Written

Tone = OneOf["first", "second", "third"]

SHOWN_TYPES = 20
SHOWN_PREDICATES = 15
ANSWER_GROUPS = (
    ("no answer", 0, 0),
    ("1 answer", 1, 1),
    ("2 answers", 2, 2),
    ("3 to 5 answers", 3, 5),
    ("6 to 10 answers", 6, 10),
)


@dataclass(frozen=True)
class Bar:
    """Parts that stand in a row, each with its length (1 is the whole width) and its tone, and the text at the end."""

    parts: tuple[tuple[float, Tone], ...]
    text: str


@dataclass(frozen=True)
class Row:
    """One thing that is measured: its name, a faint note (its IRI when the name is not its alone), its bars."""

    name: str
    bars: tuple[Bar, ...]
    note: str = ""


@dataclass(frozen=True)
class Chart:
    """Rows on one scale. `room` is the number of characters that the longest text needs."""

    rows: tuple[Row, ...]

    @property
    def room(self) -> int:
        return max((len(bar.text) for row in self.rows for bar in row.bars), default=0)


def percent(share: float | None) -> str:
    """`41%`; with a decimal where a whole number would hide something: `0.4%`, `99.6%`."""
    if share is None:
        return "–"
    fine = 0 < share < 0.095 or 0.99 <= share < 1
    return f"{share:.1%}" if fine else f"{share:.0%}"


def compact(value: float) -> str:
    """`1,585`; from a million on `1.23 M`."""
    return f"{value / 1e6:,.2f} M" if value >= 999_999.5 else f"{int(value + 0.5):,}"


def seconds(value: float) -> str:
    """`4.5 s`, `1,234 s`"""
    return f"{value:,.1f} s" if value < 100 else f"{value:,.0f} s"


def tokens_chart(usages: Mapping[str, Usage]) -> Chart:
    """Prompt and reply tokens by name of a stage or a model."""
    longest = _longest(used.tokens for used in usages.values())
    return Chart(tuple(Row(name, (_tokens_bar(used, longest),)) for name, used in usages.items()))


def seconds_chart(usages: Mapping[str, Usage]) -> Chart:
    """Seconds waited, by name of a stage or a model."""
    longest = _longest(used.seconds for used in usages.values())
    return Chart(
        tuple(Row(name, (Bar(((used.seconds / longest, "first"),), _waited(used)),)) for name, used in usages.items())
    )


def written_chart(report: Report) -> Chart:
    """What the model wrote of the finished dialogues; the rest is the builder's."""
    parts = {"questions": report.questions, "queries": report.queries, "turns": report.turns}
    return Chart(tuple(Row(name, (_written_bar(part),)) for name, part in parts.items()))


def rule_bar(total: int, longest: int) -> Bar:
    """How often a rule failed, on the scale of the one that failed most."""
    return Bar(((total / longest, "second"),), f"{total:,}")


def parts_chart(parts: Sequence[Part]) -> Chart:
    """Turns by kind (Figure 4) or by form of flow: each with its share, and the one that was planned for it."""
    turns = sum(part.turns for part in parts) or 1
    longest = _longest(max(part.turns / turns, part.planned or 0.0) for part in parts)

    def bars(part: Part) -> Iterable[Bar]:
        share = part.turns / turns
        yield Bar(((share / longest, "first"),), f"{part.turns:,} ({percent(share)})")
        if part.planned is not None:
            yield Bar(((part.planned / longest, "second"),), f"{percent(part.planned)} planned")

    return Chart(tuple(Row(part.name, tuple(bars(part))) for part in parts))


def predicates_chart(predicates: Sequence[PredicateCount]) -> Chart:
    """The predicates that are asked most, with their shares of the questions."""
    shown = predicates[:SHOWN_PREDICATES]
    counts = [(one.label or one.iri, note, one.questions) for one, note in zip(shown, _notes(shown), strict=True)]
    return _counts_chart(counts, sum(one.questions for one in predicates))


def answers_chart(answers: Sequence[tuple[int, int]]) -> Chart:
    """Questions by how many answers they have."""
    groups = [
        (name, "", sum(questions for number, questions in answers if low <= number <= high))
        for name, low, high in ANSWER_GROUPS
    ]
    groups.append(
        ("more than 10 answers", "", sum(questions for number, questions in answers if number > ANSWER_GROUPS[-1][2]))
    )
    # "no answer" is worth a row only when there are such questions; the other groups show what is missing.
    return _counts_chart([group for group in groups if group[2] or group[0] != "no answer"], sum(q for _, q in answers))


def types_chart(node_types: Sequence[TypeCount]) -> Chart:
    """Each node type's part of the graph and of the benchmark (Figure 5); the smallest ones summed up."""
    shown, rest = list(node_types[:SHOWN_TYPES]), node_types[SHOWN_TYPES:]
    if rest:
        share = sum(one.share or 0.0 for one in rest)
        shown.append(TypeCount("", f"{len(rest)} other types", share, sum(one.dialogues for one in rest)))
    total = sum(one.dialogues for one in node_types) or 1
    longest = _longest(max(one.share or 0.0, one.dialogues / total) for one in shown)

    def bars(one: TypeCount) -> tuple[Bar, Bar]:
        graph = "not a kept type of the graph" if one.share is None else f"{percent(one.share)} of the graph"
        part = one.dialogues / total
        made = f"{percent(part)} of the benchmark ({one.dialogues:,})"
        return Bar((((one.share or 0.0) / longest, "second"),), graph), Bar(((part / longest, "first"),), made)

    notes = _notes(shown)
    return Chart(tuple(Row(one.label or one.iri, bars(one), note) for one, note in zip(shown, notes, strict=True)))


def against_charts(names: Sequence[str], reports: Sequence[Report]) -> dict[str, Chart]:
    """Tokens and correct queries of two runs side by side (Figure 6), by title."""

    def per_dialogue(report: Report) -> float:
        return report.tokens_per_dialogue or 0.0

    longest = _longest(per_dialogue(report) for report in reports)
    whole = _longest(report.usage.tokens for report in reports)
    bars = {
        "Tokens per finished dialogue": [
            Bar(
                ((per_dialogue(report) / longest, "first"),),
                compact(per_dialogue(report)) if report.dialogues else "no dialogue",
            )
            for report in reports
        ],
        "Tokens in all": [_tokens_bar(report.usage, whole) for report in reports],
        "Correct queries by the model": [_written_bar(report.queries) for report in reports],
    }
    return {
        title: Chart(tuple(Row(name, (bar,)) for name, bar in zip(names, of, strict=True)))
        for title, of in bars.items()
    }


def rates_chart(rates: Mapping[str, tuple[float, float, float]]) -> Chart:
    """Accurate, hallucinated and missing replies by group, as shares that add up to 1 (Head-to-Tail, section 3)."""

    def bar(accurate: float, hallucinated: float, missing: float) -> Bar:
        said = f"A {percent(accurate)}, H {percent(hallucinated)}, M {percent(missing)}"
        return Bar(((accurate, "first"), (hallucinated, "second"), (missing, "third")), said)

    return Chart(tuple(Row(name, (bar(*of),)) for name, of in rates.items()))


def _notes(named: Sequence[TypeCount] | Sequence[PredicateCount]) -> list[str]:
    """The IRI of each one whose label another one has too."""
    times = Counter(one.label for one in named)
    return [one.iri if one.label and times[one.label] > 1 else "" for one in named]


def _counts_chart(counts: Sequence[tuple[str, str, int]], total: int) -> Chart:
    """`counts`: (name, note, count); the shares are those of `total`."""
    longest = _longest(count for _, _, count in counts)
    return Chart(
        tuple(
            Row(name, (Bar(((count / longest, "first"),), f"{count:,} ({percent(count / (total or 1))})"),), note)
            for name, note, count in counts
        )
    )


def _waited(used: Usage) -> str:
    return f"{seconds(used.seconds)} in {used.calls:,} {'call' if used.calls == 1 else 'calls'}"


def _tokens_bar(used: Usage, longest: float) -> Bar:
    parts: tuple[tuple[float, Tone], ...] = (
        (used.prompt_tokens / longest, "first"),
        (used.completion_tokens / longest, "second"),
    )
    return Bar(parts, f"{used.prompt_tokens:,} prompt + {used.completion_tokens:,} reply")


def _written_bar(part: Written) -> Bar:
    if not part.total:
        return Bar((), "none")
    share = part.by_model / part.total
    return Bar(((share, "first"),), f"{part.by_model:,} of {part.total:,} ({percent(share)})")


def _longest(values: Iterable[float]) -> float:
    """The largest of the values, or 1 when there is nothing to draw."""
    return max(values, default=0) or 1
