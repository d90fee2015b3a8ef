"""How an entity is said: by its name, as it stands in a question, and in later turns by a reference that fits. English.

The last resort of the dialogue stage is made of these, counted as `builder` wherever it is used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from chattygen.context.names import unbracketed
from chattygen.context.reading import PREPOSITIONS, plural
from chattygen.context.spoken import VAGUE, called, title
from chattygen.domain import QuestionKind, Seed, Subgraph
from chattygen.generation.plan import is_gender
from chattygen.generation.words import PRONOUNS, contains_words, words

BODIES = frozenset("agency association company institution organisation organization party team university".split())
"""Groups that are referred to as one thing, unlike a band: by the last word of their class."""

AUXILIARIES = frozenset("did does do is was are were has have had can could will would".split())
"""Behind these `X` is a subject: `When did X die?`."""

RELATIVES = frozenset(["that", "which", "who", "whom"])
"""Behind these, too, `X` is a subject: `the people that X wrote with`."""


@dataclass(frozen=True)
class Reference:
    """How later turns refer to the seed: subject, object and possessive pronoun, and a definite phrase or nothing."""

    gender: str
    subject: str
    object: str
    possessive: str
    phrase: str
    place: bool = False

    @property
    def forms(self) -> tuple[str, ...]:
        """Everything that refers to the entity."""
        phrase, there = [self.phrase] * bool(self.phrase), ["there"] * self.place
        return (*dict.fromkeys((self.subject, self.object, *phrase, self.possessive)), *there)

    def settle(self, turn: str) -> str:
        """`turn` as a person says it: what is in a place is there, the length of it is its length, a part of it one of
        its parts."""
        turn = re.sub(
            rf"\bthe ((?:(?!of\b)[\w-]+ ){{0,2}}[\w-]+) of {self.object}(?=\?| (?:as|at|by|for|from|in|on)\b)",
            lambda found: f"{self.possessive} {found[1]}",
            turn,
        )
        one = re.compile(rf"\b(?:a|an) ([\w-]+) of {self.object}(?=\?)")
        turn = agreeing(one.sub(lambda found: f"one of {self.possessive} {plural(found[1])}", turn), "they")
        if not self.place:
            return turn
        bare = r"(?<!\bis )(?<!\bare )(?<!\bthere )"  # nobody asks which city is there
        turn = re.sub(rf"{bare}\b(?:in|at|within) it\b", "there", turn)
        return re.sub(r"\bfrom it\b", "from there", turn)


PRONOUN_FORMS = {
    "masculine": ("he", "him", "his"),
    "feminine": ("she", "her", "her"),
    "neuter": ("it", "it", "its"),
    "plural": ("they", "them", "their"),
}
"""Gender -> subject, object and possessive pronoun."""


def reference(subgraph: Subgraph) -> Reference:
    """The reference that fits the seed's type, and its gender where the graph states one (D8)."""
    seed = subgraph.seed
    gender = {"person": "plural", "group": of_group(seed.type_label)}.get(seed.being, "neuter")
    if seed.being == "person":
        for fact in subgraph.facts:
            if is_gender(fact) and fact.count == 1 and fact.values:
                gender = stated_gender(fact.values[0].label)
    phrase = "" if seed.type_label.casefold() in VAGUE else f"the {seed.type_label}"
    return Reference(gender, *PRONOUN_FORMS[gender], phrase, seed.being == "place")


def of_group(type_label: str) -> str:
    """The gender of a group, as Reference.gender: a band are they, an organisation is one thing."""
    return "neuter" if BODIES & set(words(type_label)[-1:]) else "plural"


def stated_gender(label: str) -> str:
    """The gender that a graph's word for it means, as Reference.gender: plural for all but female and male."""
    told = words(label)
    return "feminine" if "female" in told else "masculine" if "male" in told else "plural"


def said(seed: Seed) -> str:
    """The seed's name as it stands in a question; where the label alone would not do, the phrase that says it."""
    return seed.said or called(seed.label, seed.being, seed.type_label)


def names_of(seed: Seed) -> tuple[str, ...]:
    """Everything that names the seed: what is said, its label, and its label without a bracket."""
    return said(seed), seed.label, unbracketed(seed.label)[0]


def ends_in_clause(seed: Seed) -> bool:
    """Whether words stand behind the name in what is said, so that no `'s` can: `the Ada Berg whose mentor is Bo`."""
    return bool(seed.said) and not seed.said.endswith(tuple(title(name, seed.being) for name in names_of(seed)[1:]))


def sayable(pattern: str, seed: Seed) -> str:
    """`pattern` with a place for what is said: no article in front of one, and `the rank of X` for `X's rank`."""
    if seed.said.startswith("the "):
        pattern = re.sub(r"\bthe X\b", "X", pattern)
    owned = r"\bX['’]s ((?:[\w-]+ ){0,2}[\w-]+)\?$"
    return re.sub(owned, r"the \1 of X?", pattern) if ends_in_clause(seed) else pattern


def with_name(pattern: str, name: str) -> str:
    """`pattern` with the name in the place of `X`."""
    return re.sub(r"\bX\b", lambda _: name, pattern)


def kind_of(question: str) -> QuestionKind:
    """The kind of a question by its opening words."""
    said_words = words(question)
    if said_words[:2] == ["how", "many"] or said_words[:2] == ["how", "much"]:
        return "how-many"
    if said_words and said_words[0] in AUXILIARIES:
        return "yes-no"
    if said_words[:2] in (["in", "which"], ["on", "which"]) and {"year", "date", "day"} & set(said_words[2:4]):
        return "when"
    for word in said_words[:2]:
        if word in ("whom", "whose"):
            return "who"
        if word in ("what", "who", "when", "where", "which"):
            return word  # type: ignore[return-value]
    return "other"


def with_reference(pattern: str, ref: Reference, form: str = "") -> str:
    """`pattern` with a reference in the place of `X`: `form`, or the pronoun that fits there."""
    if form.startswith(("the ", "that ")) and re.search(r"\bX['’]s\b", pattern):
        form += "'s"
    if not form:
        form, pattern = fitting(pattern, ref), agreed(pattern, ref)
    text = re.sub(r"\bX(?:['’]s)?(?!\w)", form, pattern, count=1)
    return ref.settle(text)


def says_type(pattern: str, ref: Reference) -> bool:
    """Whether the question says the noun of the definite phrase, of something else than the entity."""
    noun = ref.phrase.removeprefix("the ")
    return any(contains_words(pattern, name) for name in (noun, plural(noun)))


def without_phrase(turn: str, ref: Reference) -> str:
    """`turn` with the fitting pronoun in the place of the definite phrase: nobody says `the laureate` four times."""
    return with_reference(re.sub(rf"\b{re.escape(ref.phrase)}\b", "X", turn, count=1, flags=re.IGNORECASE), ref)


def agreeing(text: str, subject: str) -> str:
    """`text` with the verb beside `subject` in the plural: `does they` becomes `do they`, `they is` `they are`.

    Not behind a preposition, where another word is the subject: `Which of the songs by X is the shortest?`.
    """
    verbs = "|".join(MANY)
    text = re.sub(rf"\b({verbs}) {subject}\b(?!['’])", lambda found: f"{MANY[found[1]]} {subject}", text)
    opening = re.match(rf"({verbs}) {subject}\b(?!['’])", text, re.IGNORECASE)
    text = f"{MANY[opening[1].lower()].title()}{text[opening.end(1) :]}" if opening else text
    bound = "|".join(sorted(PREPOSITIONS))
    behind = re.compile(rf"\b(?:({bound}) )?{subject} ({verbs})\b")
    return behind.sub(lambda found: found[0] if found[1] else f"{subject} {MANY[found[2]]}", text)


MANY = {"is": "are", "was": "were", "does": "do", "has": "have"}
"""Verbs in the singular -> in the plural."""


def fitting(pattern: str, ref: Reference) -> str:
    """The pronoun that fits the place of `X`: possessive, subject after an auxiliary or `that`, else object."""
    if re.search(r"\bX['’]s\b", pattern):
        return ref.possessive
    return ref.subject if is_subject(pattern) else ref.object


def is_subject(pattern: str) -> bool:
    """Whether `X` stands after an auxiliary or `that`, and is not owned: `Which book has X as its author?`."""
    before, _, after = pattern.partition("X")
    last = words(before)[-1:]
    owned = last and last[0] in ("has", "have", "had") and after.startswith(" as ")
    return bool(last) and last[0] in AUXILIARIES | RELATIVES and not owned


def agreed(pattern: str, ref: Reference) -> str:
    """`pattern` with the possessives that go back to `X` as its pronoun has them: `do they have their`, not `its`."""
    if not is_subject(pattern):
        return pattern
    before, name, after = pattern.partition("X")
    return before + name + re.sub(r"\b(?:its|their|his|her)\b(?= \w)", ref.possessive, after)


def other_pronouns(ref: Reference) -> frozenset[str]:
    """The pronouns that would not agree with `ref`."""
    return frozenset(word for gender, group in PRONOUNS.items() if gender != ref.gender for word in group)
