"""The form of a reply, before anybody reads what it says: rules P1 to P3 and P6 to P8.

A server is not believed: what it was told to keep to is checked here. Knows nothing about the stages' own rules.
"""

from __future__ import annotations

from collections.abc import Sequence

from chattygen.domain import Call, Finding
from chattygen.generation.gbnf import to_regex
from chattygen.models.model import Constraint

LOOP = 20
"""Characters of white space at the end of a cut reply: the model has nothing more to say, but may not stop."""

CHARACTERS_PER_TOKEN = 6
"""More than any usual tokenizer puts into a token of a whole prompt on average; English has about four."""


def form_findings(call: Call, constraint: Constraint, *, exact: bool) -> tuple[Finding, ...]:
    """P1: not the lines that were asked for; P2: cut at the token limit; P3: nothing at all; P7: white space up to the
    limit; P8: not what the grammar allows, from a server that takes grammars (`exact`).
    """
    if call.finish == "length":
        return (_cut(call),)
    if not call.reply.strip():
        return (Finding("P3", "the reply is empty"),)
    wrong = _lines_asked_for(call.reply, constraint)
    if exact and not any(to_regex(constraint.grammar).fullmatch(text) for text in (call.reply, call.reply.strip())):
        return (Finding("P8", "the server did not keep to the grammar", call.reply[:200]), *wrong)
    return wrong


def _cut(call: Call) -> Finding:
    said = call.reply.rstrip()
    if len(call.reply) - len(said) >= LOOP:
        return Finding("P7", "the reply went on in white space up to the token limit", said[-80:])
    if call.thinking and not said:
        return Finding("P2", "the reply was cut at the token limit: it is nothing but thinking", call.thinking[-80:])
    return Finding("P2", "the reply was cut at the token limit", call.reply[-80:])


def _lines_asked_for(reply: str, constraint: Constraint) -> tuple[Finding, ...]:
    got = split(reply)
    if len(got) != constraint.lines:
        return (Finding("P1", f"{len(got)} lines where {constraint.lines} were asked for", reply[:200]),)
    for line, allowed in zip(got, constraint.choices, strict=False):
        if allowed and line not in allowed:
            return (Finding("P1", "not one of the allowed texts", line),)
    return ()


def prompt_cut(call: Call, counted: int | None) -> tuple[Finding, ...]:
    """P6: the server counts clearly fewer tokens than the prompt has, so it did not read all of it.

    `counted` is the prompt's number of tokens by the served tokenizer, if it was asked; a tenth is left for what
    joining the messages changes. Otherwise the number of characters says how many there are at least.
    """
    characters = sum(len(text) for _, text in call.messages)
    least = characters // CHARACTERS_PER_TOKEN if counted is None else counted * 9 // 10
    if call.prompt_tokens >= least:
        return ()
    told = f"the server counts {call.prompt_tokens} tokens in a prompt that has at least {least}: it cut the prompt"
    return (Finding("P6", f"{told}, or leaves out what it has cached", call.reply[:80]),)


def whole_lines(reply: str, raised: Sequence[Finding]) -> list[str]:
    """The lines of a reply that can be judged one by one, whatever was found about its form: of one that was cut, those
    that a line break ends.
    """
    rules = {finding.rule for finding in raised}
    if rules & {"P2", "P7"}:
        ended = reply.lstrip().rpartition("\n")[0]
        return split(ended) if ended.strip() else []
    return split(reply) if rules <= {"P8"} else []


def split(reply: str) -> list[str]:
    """The lines of a reply without surrounding white space."""
    return [line.strip() for line in reply.strip().split("\n")]
