"""What each rule demands, in a few words: for people who read a report. docs/rules.md says it in full.

Knows nothing about how a rule is checked.
"""

from __future__ import annotations

GROUPS = {
    "P": "form of a reply",
    "C": "context",
    "Q": "question",
    "S": "query",
    "D": "dialogue",
}
"""The first letter of a rule's id -> what the rule is about."""

STAGES = {
    "label": "Label",
    "interest": "Interest",
    "questions": "Question",
    "queries": "SPARQL",
    "dialogue": "Dialogue",
    "single_prompt": "Single-prompt",
    "phrasing": "Phrasing",
}
"""Name of a stage -> what Table 4 calls it."""

RULES = {
    "P1": "the reply has as many lines as were asked for, and only choices that were offered",
    "P2": "the reply is not cut at the token limit",
    "P3": "the reply is not empty",
    "P4": "the call to the model succeeds",
    "P5": "prompt and reply fit the model's context",
    "P6": "the server reads the whole prompt",
    "P7": "the reply does not go on in white space up to the token limit",
    "P8": "the server keeps to the grammar that it takes",
    "C1": "an entity that the user names is in the graph and has a class there",
    "C2": "a seed has a label that a person can read",
    "C3": "a label has at most twelve words",
    "C4": "enough facts of a seed can be asked about",
    "C5": "a seed can be told from the entities that have the same name",
    "Q1": "a question names its entity once",
    "Q2": "the question's fact is in the graph",
    "Q3": "no other question of the dialogue is about the same fact",
    "Q4": "a question is one sentence of at least four words with one question mark",
    "Q5": "a question does not contain its answer",
    "Q6": "a question can be understood without an earlier sentence",
    "Q7": "no other question of the dialogue asks the same",
    "Q8": "a question asks what its fact says",
    "Q9": "a question places neither its entity in what it is itself nor its like in it",
    "Q10": "a yes-no question names the one concrete object that it tests",
    "Q11": "a question over two facts says both",
    "S1": "a query is valid SPARQL 1.1",
    "S2": "a query only reads, and only this graph",
    "S3": "a query uses no identifiers but those it was given",
    "S4": "the store answers a query in time",
    "S5": "a query's answers are exactly those of the graph",
    "S6": "a query's form fits the question: a number for “how many”, otherwise the values",
    "D1": "the dialogue has as many turns as questions, in the same order",
    "D2": "the first turn is its standalone question, unchanged",
    "D3": "no later turn names the entity",
    "D4": "every later turn refers back to the entity",
    "D5": "a turn is one question of at least three words",
    "D6": "a turn means what its standalone question means",
    "D7": "no two turns are the same",
    "D8": "pronouns agree with the entity and with each other",
    "D9": "the definite phrase does not repeat a noun of the question",
    "D10": "an ellipsis can be completed from the turn before",
    "D11": "a follow-up is about the one answer of the turn before",
    "D12": "the turn behind a follow-up returns to the entity",
}
"""Rule id -> what it demands."""
