"""The stage catalogue: what each stage is called, what it takes and gives, whom it asks, which rules it holds (5.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Stage:
    """A stage that asks a model.

    `role` is the role of models.toml whose model is asked; `rules` the ids of its assertions; `prompt` the stage whose
    prompt it uses where that is not its own.
    """

    name: str
    title: str
    section: str
    role: str
    inputs: str
    outputs: str
    rules: tuple[str, ...]
    prompt: str = ""


REPLY = ("P1", "P2", "P3", "P4", "P5")
"""What can be wrong with any reply: not the lines asked for, cut, empty, none at all, not even asked for."""

LABEL = Stage(
    "label",
    "Textual entity representation",
    "4.2",
    "label",
    "node type, candidate predicates",
    "label predicate",
    REPLY,
)
INTEREST = Stage(
    "interest",
    "Judging interest",
    "4.3",
    "label",
    "facts of a node type, each with an example",
    "which of them a person would ask about",
    REPLY,
)
QUESTIONS = Stage(
    "questions",
    "Independent question generation",
    "5.2",
    "questions",
    "summarised subgraph",
    "standalone questions",
    (*REPLY, "Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "Q8", "Q9", "Q10", "Q11"),
)
QUERIES = Stage(
    "queries",
    "SPARQL query generation",
    "5.2",
    "sparql",
    "questions with their triples",
    "executed queries with answers",
    (*REPLY, "S1", "S2", "S3", "S4", "S5", "S6"),
)
DIALOGUE = Stage(
    "dialogue",
    "Dialogue generation",
    "5.2",
    "dialogue",
    "standalone questions",
    "turns",
    (*REPLY, "D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D11", "D12"),
)
SINGLE_PROMPT = Stage(
    "single_prompt",
    "Single prompt",
    "5.1",
    "questions",
    "subgraph",
    "questions, executed queries with answers, turns",
    tuple(dict.fromkeys((*QUESTIONS.rules, *QUERIES.rules, *DIALOGUE.rules))),
)
PHRASING = Stage(
    "phrasing",
    "Phrasing",
    "5.2",
    "questions",
    "facts of entities of a node type",
    "questions and later turns with a place for the entity",
    tuple(dict.fromkeys((*QUESTIONS.rules, *DIALOGUE.rules))),
    QUESTIONS.name,
)
LATER_PHRASING = replace(PHRASING, role=DIALOGUE.role, prompt=DIALOGUE.name)
"""The same stage, asking for what is said in later turns."""

STAGES = (LABEL, INTEREST, QUESTIONS, QUERIES, DIALOGUE, SINGLE_PROMPT, PHRASING)
