"""The values that flow through chattygen: kg -> context -> generation -> results.

Frozen dataclasses without behaviour beyond what follows from their own fields. Names are the field's terms
(Chatty-Gen, sections 2.1, 4 and 5). This module knows nothing about SPARQL engines, models, SQLite or the CLI.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf

XSD = "http://www.w3.org/2001/XMLSchema#"

# ---------------------------------------------------------------------------------------------------------------------
# RDF terms


@dataclass(frozen=True, order=True)
class Iri:
    """An IRI, absolute, without angle brackets."""

    value: str


@dataclass(frozen=True, order=True)
class BlankNode:
    """A blank node; `value` is its store-internal id and is never shown to a person or a model."""

    value: str


@dataclass(frozen=True, order=True)
class Literal:
    """An RDF literal: lexical form, datatype IRI, language tag (empty when there is none)."""

    value: str
    datatype: str = XSD + "string"
    lang: str = ""


Term = Iri | BlankNode | Literal


@dataclass(frozen=True)
class Triple:
    """One statement of the graph."""

    subject: Iri | BlankNode
    predicate: Iri
    object: Term


# ---------------------------------------------------------------------------------------------------------------------
# Dialogue context (section 4)

Direction = OneOf["out", "in"]
"""`out`: the seed entity is the subject of the triple; `in`: it is the object."""

ValueKind = OneOf["entity", "date", "year", "number", "boolean", "text"]
"""What stands at the other end of a fact."""

Being = OneOf["person", "group", "place", "work", "thing"]
"""What an entity of a node type is, as far as pronouns and quotation marks care; a work is a song, a book, a paper."""


Bucket = OneOf["head", "torso", "tail"]
"""How popular an entity is among those of its type (Head-to-Tail, section 2)."""

BUCKETS: tuple[Bucket, ...] = ("head", "torso", "tail")


@dataclass(frozen=True)
class NodeType:
    """A class of the KG that seeds are drawn from (Algorithm 1).

    `count` is its number of entities; `share` its part of all entities of the kept types, renormalised, 0 to 1.
    """

    iri: str
    label: str
    count: int
    share: float


@dataclass(frozen=True)
class DroppedType:
    """A class that no seed is drawn from, and why (`metadata`, `rare`, `shadowed by ...`, `no label`)."""

    iri: str
    label: str
    count: int
    reason: str


@dataclass(frozen=True)
class LabelRule:
    """Which predicate names an entity of a node type (section 4.2); two predicates are joined with a space.

    `coverage` is the share of sampled entities that the rule names, 0 to 1. `chosen_by` is `model` when the model had
    to choose among several candidates, `only` when there was one.
    """

    node_type: str
    predicates: tuple[str, ...]
    coverage: float
    chosen_by: OneOf["model", "only", "user"]


@dataclass(frozen=True)
class Thresholds:
    """The lowest popularity in head, and in torso or head; None where nothing is popular enough."""

    head: float | None
    torso: float | None


@dataclass(frozen=True)
class Strata:
    """Head, torso and tail of a node type, or of the predicates of a graph (Head-to-Tail, Table 1).

    Attributes:
        node_type: IRI; empty for the predicates.
        measure: `density`, the IRI of a predicate or the path of a file; `triples` for predicates.
        entities: how many are in each bucket; of an estimate, how many there would be in the whole type.
        left_out: how many have no popularity, or are too new.
        method: `exact` looks at all entities, `estimated` at a random sample of them.
        looked_at: how many were looked at and have a popularity.
        error: by how much the share of a bucket may be off, 0 to 1, with 95 % confidence; 0 when exact.
        between: for `head` and `torso`, where the threshold lies with 95 % confidence; empty when exact.
    """

    node_type: str
    measure: str
    thresholds: Thresholds
    entities: Mapping[Bucket, int]
    left_out: int
    method: OneOf["exact", "estimated"]
    looked_at: int
    error: float = 0.0
    between: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)

    def share(self, bucket: Bucket) -> float:
        """The part of the entities with a popularity that is in a bucket, 0 to 1."""
        return self.entities[bucket] / max(sum(self.entities.values()), 1)


@dataclass(frozen=True)
class Seed:
    """A seed entity: what a dialogue revolves around (Definition 1). Two entities with one label are two seeds.

    `said` is what stands for the entity in a question where that is not its label: the song "1984", the city Adana.
    """

    iri: str
    label: str
    node_type: str
    type_label: str
    being: Being = "thing"
    bucket: Bucket | None = None
    said: str = ""


@dataclass(frozen=True)
class Value:
    """The other end of a triple, with the text that a person reads for it and the label of its class (or empty).

    `being` is what entities of its class are, as far as that is known.
    """

    term: Iri | Literal
    label: str
    type_label: str = ""
    being: Being = "thing"


@dataclass(frozen=True)
class Fact:
    """All triples of a subgraph that share predicate and direction: one thing that can be asked about the seed.

    It is the summarised triple of Algorithm 3, <e, p, None> or <None, p, e>, together with what it hides.

    Attributes:
        predicate: IRI.
        predicate_label: how the predicate reads, e.g. `birth date`.
        values: the distinct other ends, in a stable order; empty when there are more than the cap (a hub), in which
            case only `count` is known and only "how many" can be asked.
        count: exact number of distinct other ends in the graph.
        value_kind: what the other ends are.
        value_type: label of the most common class of the other ends (`album`), empty when unknown or literal.
    """

    predicate: str
    predicate_label: str
    direction: Direction
    values: tuple[Value, ...]
    count: int
    value_kind: ValueKind
    value_type: str = ""


@dataclass(frozen=True)
class DroppedFact:
    """A predicate around the seed that is not asked about, and why."""

    predicate: str
    direction: Direction
    reason: str


@dataclass(frozen=True)
class Subgraph:
    """The context of a dialogue: the triples around a seed entity (Definition 2), already summarised into facts.

    `size` is the number of triples kept; `dropped` says what the filters took out. `interest` says how much a person
    would want to know those facts that something speaks against, more than 0 and less than 1; that of the others is 1.
    `absent` are facts that entities of the type usually have and this one has not, with a count of 0.
    `beyond` are the questions over two facts that the data allow, each with its first fact, in the order of `facts`;
    empty unless the run looks beyond one fact.
    `others` are values of the same kind that other entities of the type have in the place of a fact's, and this one
    has nowhere.
    """

    seed: Seed
    facts: tuple[Fact, ...]
    size: int
    dropped: tuple[DroppedFact, ...] = ()
    interest: Mapping[Fact, float] = field(default_factory=dict, hash=False)
    absent: tuple[Fact, ...] = ()
    beyond: tuple[tuple[Fact, Beyond], ...] = ()
    others: Mapping[Fact, tuple[Value, ...]] = field(default_factory=dict, hash=False)


# ---------------------------------------------------------------------------------------------------------------------
# Dialogue generation (section 5)

QuestionKind = OneOf["what", "who", "when", "where", "which", "how-many", "yes-no", "other"]
Flow = OneOf["opening", "reference", "ellipsis", "follow-up", "return"]
Origin = OneOf["model", "builder"]
"""Who wrote a text: the language model, or chattygen's deterministic builder as the last resort."""


@dataclass(frozen=True)
class Finding:
    """An assertion that failed. `rule` is a stable id (Q1, S2, D3, ...), `evidence` the offending text."""

    rule: str
    message: str
    evidence: str = ""


AnswerForm = OneOf["value", "count", "yes-no"]
"""Whether a question asks for the values of its fact, for their number, or whether one of them is there."""


@dataclass(frozen=True)
class Beyond:
    """What a question over two facts says of the other ends of the first one.

    Attributes:
        kind: `hop` asks for something of the other end (where the spouse of X was born); `condition` for those other
            ends of which something is so (the albums of X that are of 1999); `most` and `least` for the one with the
            greatest or smallest value (which album of X was the last).
        fact: the second fact, around those other ends as around a seed: `out` has them as its subject. Its values are
            the condition's one value, with a count of the most that any of them has, or what is compared; those of a
            hop are the answers.
        asked: what is asked for, as if it were a fact of the seed: its values are the answers.
    """

    kind: OneOf["hop", "condition", "most", "least"]
    fact: Fact
    asked: Fact


@dataclass(frozen=True)
class Question:
    """A standalone question about a fact of the seed, and perhaps about one beyond it.

    `pattern` is the question with the placeholder `X` where the entity is named; `text` has the name in its place.
    `tested` is what a yes-no question asks about; the right answer is yes if it is one of the fact's values.
    """

    fact: Fact
    pattern: str
    text: str
    kind: QuestionKind
    origin: Origin
    form: AnswerForm = "value"
    tested: Value | None = None
    beyond: Beyond | None = None

    @property
    def asked(self) -> Fact:
        """The fact whose other ends are the answer, or are counted."""
        return self.beyond.asked if self.beyond else self.fact

    @property
    def holds(self) -> bool:
        """Whether what a yes-no question asks is so."""
        return self.tested is not None and self.tested.term in {value.term for value in self.asked.values}

    @property
    def answerable(self) -> bool:
        """False where the graph has no such fact about the seed."""
        return self.fact.count > 0


@dataclass(frozen=True)
class Answer:
    """One gold answer, a typed term with the label that a person reads.

    `type` is `uri`, `literal` or `boolean`; `datatype` and `lang` are empty unless `type` is `literal`.
    """

    type: OneOf["uri", "literal", "boolean"]
    value: str
    label: str
    datatype: str = ""
    lang: str = ""


@dataclass(frozen=True)
class Query:
    """An executed SPARQL query with its answers (a set, in a stable order)."""

    sparql: str
    form: OneOf["select", "count", "ask"]
    origin: Origin
    answers: tuple[Answer, ...]
    complete: bool = True


@dataclass(frozen=True)
class Turn:
    """One turn of a dialogue: what is said, its standalone form, its query.

    `flow` says how it goes on with what was said: it opens the dialogue, refers to the seed, leaves out what was just
    said, asks about the answer of the turn `refers_to`, or comes back to the seed after that.
    """

    n: int
    utterance: str
    utterance_origin: Origin
    question: Question
    query: Query
    flow: Flow = "reference"
    refers_to: int | None = None


@dataclass(frozen=True)
class Usage:
    """What was spent: tokens as the server reports them, calls, seconds waited."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.calls + other.calls,
            self.seconds + other.seconds,
        )

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class Dialogue:
    """A finished dialogue (Definition 1): seed entity, turns, and what it cost."""

    seed: Seed
    turns: tuple[Turn, ...]
    usage: Usage


@dataclass(frozen=True)
class Visit:
    """A visit to a seed by the program alone; `turns` are those of the dialogue that came of it, or none.

    `number` counts the visits to the seed in a run, from 1.
    """

    subgraph: Subgraph
    number: int
    turns: tuple[Turn, ...]


# ---------------------------------------------------------------------------------------------------------------------
# The record of a run: everything that happened becomes a row


@dataclass(frozen=True)
class Call:
    """One call to a model: what was sent, what came back, what it cost.

    Attributes:
        stage: a name of generation.stages.
        revision: which state of the model answers: a hash of its weights and the engine, or an address.
        prompt_hash: identifies the jinja template.
        sampling_seed, temperature, max_tokens: how the reply is drawn.
        finish: `error` when the call failed; then `error` says why.
        thinking: a leading think block, stripped from `reply`.
        cached_tokens: the part of `prompt_tokens` that the server had in its prefix cache, if it says so.
        reused: the reply is that of an earlier call with the same request; tokens and seconds are what that one cost.
    """

    stage: str
    role: str
    model: str
    revision: str
    attempt: int
    prompt_hash: str
    messages: tuple[tuple[str, str], ...]
    constraint: str
    max_tokens: int
    temperature: float
    sampling_seed: int
    reply: str = ""
    thinking: str = ""
    finish: OneOf["stop", "length", "error"] = "error"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    seconds: float = 0.0
    error: str = ""
    reused: bool = False

    @property
    def request(self) -> str:
        """Identifies what is asked of which model, and how: 64 hexadecimal digits. Two calls with the same request may
        share a reply.
        """
        asked = (
            self.model,
            self.revision,
            self.messages,
            self.constraint,
            self.max_tokens,
            self.temperature,
            self.sampling_seed,
            self.attempt,
        )
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()

    @property
    def usage(self) -> Usage:
        return Usage(self.prompt_tokens, self.completion_tokens, 1, self.seconds)


Repair = OneOf["model", "builder", "replaced", "lost"]
"""What became of an item of a stage whose first line broke a rule: the model mended it in a later attempt, or the
builder did; another fact took its place; or its question is lost."""


@dataclass(frozen=True)
class Attempt:
    """What one attempt at a stage led to: the call (None for the builder's work) and the findings it raised.

    `item` is the number of the question (from 1) for item-wise repair, 0 for the whole stage.
    """

    stage: str
    number: int
    item: int
    call: Call | None
    findings: tuple[Finding, ...] = field(default=())
