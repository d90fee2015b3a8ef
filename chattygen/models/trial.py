"""Try a model out before a run depends on it: does it speak, keep to a grammar, count, hear its instructions, stop?

Each trial is one or a few small calls. Knows nothing about servers or files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from chattygen.errors import CallError
from chattygen.models.model import Completion, Constraint, Embedder, Message, Model

_FREE = r'[^\r\n?X"]'
CONSTRAINT = Constraint(
    grammar='root ::= l1 "\\n" l2\n'
    'l1 ::= ("red" | "blue")\n'
    f'l2 ::= ("Who" | "What") " " ({_FREE}{{1,30}} " ")? "Ada Lovelace" {_FREE}{{0,20}} "?"\n',
    lines=2,
    choices=(("red", "blue"), ()),
    max_line=100,
)
"""What a run's grammars are made of: rules, alternatives, options, character classes with a bound, a forced name."""

OBEYED = re.compile(rf"(red|blue)\n(Who|What) ({_FREE}{{1,30}} )?Ada Lovelace{_FREE}{{0,20}}\?")

COUNT: Message = ("user", "Count from one to twenty in words.")
COLOUR: Message = ("user", "Choose a colour, then ask about a person.")
BRIEF: Message = ("system", "Be brief.")
INSTRUCTION: Message = ("system", "You are a patient teacher of arithmetic and you answer in English.")

SHORT: Message = ("user", "Say: yes.")
LONG: Message = (
    "user",
    "Say: " + 'Ærø 1901-05-06 <http://example.org/sea/It%27s_Late_(1931_ship)> 東京 "aye" naïve R2D2, ' * 8 + "yes.",
)

THINKING = 1024
"""Tokens more for a model that thinks before it speaks."""

CONTEXT_TRIED = 8192
"""Tokens of a context that are tried out; no prompt of a run is longer."""

Seen = tuple[bool, str]
"""Whether it went well, and what was seen."""


@dataclass(frozen=True)
class Trial:
    """What was tried, whether it went well, and what was seen."""

    name: str
    passed: bool
    seen: str


def try_model(model: Model, *, system_role: bool) -> Iterator[Trial]:
    """The trials of a language model, each as soon as it is done; after a first call that fails there are no others.

    `system_role`: its chat template must pass system text on.
    """
    try:
        spoken = model.complete([COUNT], max_tokens=48)
        thinks = bool(spoken.thinking)
        if thinks:
            spoken = model.complete([COUNT], max_tokens=48 + THINKING)
    except CallError as error:
        yield Trial("speaks", False, error.message)
        return
    yield Trial("speaks", bool(spoken.text.strip()), _short(spoken.text))
    yield Trial("thinks", True, f"yes, {spoken.completion_tokens} tokens for a short reply" if thinks else "no")
    trials: list[tuple[str, Callable[[Model], Seen]]] = [
        ("obeys a grammar" if model.exact else "obeys a schema", lambda m: _obeys(m, 100 + THINKING * thinks)),
        ("says when a reply is cut", _tells_cut),
        ("counts tokens", _counts_like_its_tokenizer if model.exact else _counts),
        ("speed", _speed),
    ]
    if not model.exact:
        trials.append(("reads its whole context", _whole_context))
    if system_role:
        trials.append(("hears system text", _hears))
    for name, trial in trials:
        try:
            passed, seen = trial(model)
        except CallError as error:
            passed, seen = False, error.message
        yield Trial(name, passed, seen)


def _obeys(model: Model, max_tokens: int) -> Seen:
    """A server that takes the grammar must keep to it to the letter, others to what the schema says of the lines."""
    reply = model.complete([COLOUR], constraint=CONSTRAINT, max_tokens=max_tokens)
    if reply.finish == "length":
        return False, f"the reply does not end: {_short(reply.text)}"
    lines = reply.text.split("\n")
    kept = len(lines) == CONSTRAINT.lines and lines[0] in CONSTRAINT.choices[0] and len(lines[1]) <= CONSTRAINT.max_line
    if not (OBEYED.fullmatch(reply.text) if model.exact else kept):
        return False, f"no, the server ignores it: {_short(reply.text)}"
    return True, _short(reply.text)


def _tells_cut(model: Model) -> Seen:
    finish = model.complete([COUNT], max_tokens=3).finish
    return finish == "length", finish


def _counts_like_its_tokenizer(model: Model) -> Seen:
    """What a long prompt has more than a short one must be the same for both; the chat template adds to each."""
    used = _prompt_tokens(model, LONG) - _prompt_tokens(model, SHORT)
    counted = model.count_tokens(LONG[1]) - model.count_tokens(SHORT[1])
    return used == counted, f"{used} tokens of a prompt; its tokenizer says {counted}"


def _counts(model: Model) -> Seen:
    """A server that tells no counts beforehand must at least count the same prompt the same, cached or not."""
    short, long, again = (_prompt_tokens(model, message) for message in (SHORT, LONG, SHORT))
    if again != short:
        return False, f"no: {short} tokens, and {again} for the same prompt again"
    return long > short, f"{short} tokens for a short prompt, {long} for a long one"


def _speed(model: Model) -> Seen:
    read = model.complete([("user", _numbers(30, "Read this."))], max_tokens=1)
    written = model.complete([COUNT], max_tokens=48)
    new = read.prompt_tokens - read.cached_tokens
    return True, f"reads {_rate(new, read)}, writes {_rate(written.completion_tokens, written)} tokens/s"


def _whole_context(model: Model) -> Seen:
    """A server with less context than models.toml says may cut a prompt without a word: its own counts show it."""
    few, more = (_prompt_tokens(model, ("user", _numbers(times))) for times in (10, 20))
    each = (more - few) / 10
    if each <= 0:
        return False, f"cannot be seen: {few} tokens for a prompt, {more} for one of twice the length"
    times = 10 + int((min(model.context, CONTEXT_TRIED) - 16 - few) / each)
    sent, read = round(few + (times - 10) * each), _prompt_tokens(model, ("user", _numbers(times)))
    if read < 0.95 * sent:
        return False, f"no: of {sent} tokens it read {read}; give it more context, or set context = {read}"
    return True, f"{read} tokens"


def _hears(model: Model) -> Seen:
    """Some templates put a default where there is no system text, so two texts are compared, not text and none."""
    short, long = (_prompt_tokens(model, system, COUNT) for system in (BRIEF, INSTRUCTION))
    return long > short, "yes" if long > short else "no: set system_role = false in models.toml"


def try_embedder(embedder: Embedder) -> Iterator[Trial]:
    """The trials of a sentence embedding."""
    question, fitting, other = embedder.embed(["When did the man die?", "death date", "birth place"])
    near, far = _dot(question, fitting), _dot(question, other)
    yield Trial("tells meanings apart", near > far, f"{near:.2f} for a fact that fits, {far:.2f} for another")


def _prompt_tokens(model: Model, *messages: Message) -> int:
    return model.complete(messages, max_tokens=1).prompt_tokens


def _numbers(times: int, before: str = "") -> str:
    return before + " one two three four five six seven eight nine ten" * times


def _rate(tokens: int, reply: Completion) -> str:
    return f"{tokens / reply.seconds:.1f}" if reply.seconds else "-"


def _short(text: str) -> str:
    return " ".join(text.split())[:80]


def _dot(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
