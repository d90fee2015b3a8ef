"""The country of lakes: homes with tests/data/lakes.ttl, and a model that does its job, or goes wrong on purpose.

The model stands behind a real OpenAI-compatible server on loopback and is another one for each role, so that a test
sees who was asked what.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chattygen.config import Home
from chattygen.kg.load import load
from tests.models.fake_server import JSON, Fake, Request, completion, serving

GRAPH = Path(__file__).parent.parent / "data" / "lakes.ttl"

ROLES = ("label", "questions", "sparql", "dialogue")

QUESTIONS = {
    "region of X: a region": "In which region is X?",
    "depth of X: a number": "How deep is X?",
    "survey date of X: a date": "When was X surveyed?",
    "outflow of X: a river": "Which river is the outflow of X?",
    "island of X: an island": "Which island does X have?",
    "island of X: 2 islands": "Which islands does X have?",
    "length of X: a number": "How long is X?",
    "source of X": "What is the source of X?",
    "a lake whose outflow is X": "Which lake has its outflow in X?",
    "a lake whose island is X": "In which lake is X?",
    "whether the region Y is the region of X": "Is Y the region of X?",
    "whether the river Y is the outflow of X": "Is Y the outflow of X?",
    "whether the island Y is the island of X": "Is Y the island of X?",
    "whether the island Y is one of the islands of X": "Is Y one of the islands of X?",
    "whether the lake Y has X as its outflow": "Does Y have X as its outflow?",
}
"""The line of the prompt for each fact of the graph -> a question for it."""

ASIDES = ("Not:", "Not right:", "Exactly one line each.", "One of the offered words.")
"""How the lines of a prompt begin that ask for nothing more."""

DULL = ("depth", "length")
"""Predicates that nobody would ask about, says the model that judges them."""

Reply = tuple[str, str]
"""Text and finish reason."""

Spoil = Callable[[str, int, list[str], list[str]], "Reply | None"]
"""(role, number of the call to this role from 1, items asked for, the good lines) -> another reply, or None."""


def items(role: str, prompt: str) -> list[str]:
    """The items that a prompt asks one line for: facts, questions with their triples, or questions."""
    lines = [line for line in prompt.splitlines() if line and not line.startswith(ASIDES)]
    return lines if role == "sparql" else lines[1:]


def good(role: str, item: str) -> str:
    """A right line for an item."""
    if role == "label":
        return f"{_cue(item)}: {'no' if _cue(item) in DULL else 'yes'}"
    if role == "questions" and item.startswith("whether "):
        cue = next(name for name in ("outflow", "region", "island") if name in item)
        return f"{cue}: {QUESTIONS[item]}"
    if role == "questions":
        return f"{_cue(item)}: {QUESTIONS[item]}"
    if role == "sparql":
        question, triple = item.split(" | ")
        if ":v" in triple.split():
            return f"{' '.join(question.split()[:2])}: ASK {{ {triple} }}"
        stored = " (stored)" if triple.endswith(" (stored)") else ""
        return f"{' '.join(question.split()[:2])}{stored}: SELECT ?x {{ {triple.removesuffix(' (stored)')} }}"
    return item.replace("X", "it")


def _cue(item: str) -> str:
    """The predicate of a fact as prompts say it."""
    return item.split(" whose ")[1].split(" is X")[0] if " whose " in item else item.split(" of X")[0]


def whole(prompt: str) -> tuple[list[str], list[str]]:
    """A single prompt's facts that a dialogue asks about, the first ones, and the right lines for all of them."""
    facts = [line for line in prompt.splitlines() if " | " in line and not line.startswith(ASIDES)]
    chosen = facts[: int(prompt.splitlines()[-1].removesuffix(" facts."))]
    lines = []
    for n, fact in enumerate(chosen):
        triple, phrase = fact.split(" | ")
        question = QUESTIONS[phrase]
        lines += [f"question: {question}", f"query: SELECT ?x {{ {triple} }}"]
        lines += [f"in the dialogue: {good('dialogue', question)}"] if n else []
    return chosen, lines


@contextmanager
def able_model(spoil: Spoil = lambda role, number, items, lines: None) -> Iterator[Fake]:
    """The server; `spoil` may put another reply in the place of the right one."""
    calls: dict[str, int] = dict.fromkeys(ROLES, 0)

    def answer(request: Request) -> tuple[int, bytes, dict[str, str]]:
        role = request.body["model"]
        calls[role] += 1
        prompt = request.body["messages"][-1]["content"]
        if prompt.endswith(" facts."):
            asked, lines = whole(prompt)
        else:
            asked = items(role, prompt)
            lines = [good(role, item) for item in asked]
        text, finish = spoil(role, calls[role], asked, lines) or ("\n".join(lines), "stop")
        if finish == "error":
            return 400, text.encode(), JSON
        return 200, completion(text, finish=finish), JSON

    with serving(answer) as fake:
        yield fake


def make_home(path: Path, weights_home: Home) -> Home:
    """A home with the graph and the weights of `weights_home`."""
    path.mkdir(parents=True)
    (path / "models").symlink_to(weights_home.models.resolve(), target_is_directory=True)
    load(Home(path), "lakes", [GRAPH])
    return Home(path)


def fresh(shared: Home, path: Path) -> Home:
    """A home of its own that shares only graphs and weights."""
    path.mkdir(parents=True)
    for name in ("kgs", "models"):
        (path / name).symlink_to((shared.path / name).resolve(), target_is_directory=True)
    return Home(path)


VERIFIER = """
[models.all-minilm-l6-v2]
backend = "embedding"
files = [
    { name = "model.safetensors", size = 90868376 },
    { name = "tokenizer.json", size = 466247 },
]
"""


def write_models(folder: Path, url: str) -> None:
    """A models.toml in which every role is served at `url`."""
    entries = "".join(f'[models.{role}]\nbackend = "endpoint"\nendpoint = "{url}/v1"\n' for role in ROLES)
    roles = "".join(f'{role} = "{role}"\n' for role in ROLES)
    text = f'{entries}{VERIFIER}[roles.cpu]\n{roles}verify = "all-minilm-l6-v2"\njudge = "questions"\n'
    (folder / "models.toml").write_text(text, encoding="utf-8")


def write_script(folder: Path, rules: list[dict[str, object]]) -> None:
    """A models.toml in which one scripted model plays every role but `verify`."""
    lines = "".join(json.dumps(rule) + "\n" for rule in rules)
    (folder / "script.jsonl").write_text(lines, encoding="utf-8")
    roles = "".join(f'{role} = "script"\n' for role in (*ROLES, "judge"))
    text = f'[models.script]\nbackend = "scripted"\nscript = "script.jsonl"\n{VERIFIER}[roles.cpu]\n{roles}'
    (folder / "models.toml").write_text(f'{text}verify = "all-minilm-l6-v2"\n', encoding="utf-8")


SILENT: list[dict[str, object]] = [
    {"match": "What is a", "reply": "place", "times": 0},
    {"reply": "", "times": 0},
]
"""A script that says nothing but what a lake is: the builder has to write everything."""
