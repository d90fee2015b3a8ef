"""The dataset card: what the dataset is, what graph, models and prompts made it, and under which terms.

Front matter and text as the Hugging Face Hub reads them. What the graph's owner wrote is quoted or escaped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chattygen.results.formats.escape import code, plain
from chattygen.results.formats.parquet import Written
from chattygen.results.formats.record import dumps
from chattygen.results.reader import Player, StoredRun

FIELDS = {
    "schema": "`chattygen/dialogue/1`",
    "id": "of the dialogue, unique over all runs",
    "run, kg, kg_fingerprint": "the run, the graph, and which state of the graph",
    "seed": "the entity that the dialogue revolves around: `iri`, `label`, `type`, `type_label`, `bucket`, its"
    " popularity (`head`, `torso`, `tail` or null), and `said`, what questions call it where that is not the label",
    "approach, serialisation, language": "how the dialogue was made, and its language",
    "turns": "a list, in order:",
    "turns.n": "from 1",
    "turns.utterance": "what is said",
    "turns.standalone": "the same question, understandable without the dialogue",
    "turns.kind": "`what`, `who`, `when`, `where`, `which`, `how-many`, `yes-no` or `other`",
    "turns.fact": "`subject`, `predicate`, `object`, `direction`; the side that is asked for is null; in a `yes-no`"
    " question no side is, and what it asks about stands there",
    "turns.sparql, turns.query_origin": "the query as it was executed, and whether the model or chattygen's"
    " builder wrote it",
    "turns.answers": "the gold answers: `type` (`uri`, `literal`, `boolean`), `value`, `label`, `datatype`, `lang`",
    "turns.answer_count, turns.answers_complete": "their number; false when the store cut them short",
    "turns.facts": "the one or two triple patterns that the question is about; `turns.fact` is the first, the second is"
    " about its other ends: null for these, and the condition's value, or null",
    "turns.flow, turns.refers_to": "`opening`, `reference`, `ellipsis`, `follow-up` or `return`, and the number of the"
    " turn that it takes up, or null",
    "turns.answerable": "false when the graph has no answer, and then there are none",
    "models": "names of the models for `questions`, `sparql`, `dialogue`",
    "usage": "what the dialogue cost: `prompt_tokens`, `completion_tokens`, `calls`, `seconds`",
}

LICENCES = frozenset(
    "afl-3.0 agpl-3.0 apache-2.0 artistic-2.0 bsd bsd-2-clause bsd-3-clause bsd-3-clause-clear bsl-1.0 c-uda cc"
    " cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0"
    " cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cc-by-nd-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc0-1.0"
    " cdla-permissive-1.0 cdla-permissive-2.0 cdla-sharing-1.0 ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 gfdl gpl"
    " gpl-2.0 gpl-3.0 isc lgpl lgpl-2.1 lgpl-3.0 lgpl-lr mit mpl-2.0 odbl odc-by osl-3.0 pddl unlicense wtfpl zlib"
    "".split()
)
"""Identifiers that the Hub has for the licence of data, in lower case."""


def card(
    run: StoredRun,
    players: Sequence[Player],
    splits: Mapping[str, Written],
    *,
    standalone: bool = True,
    accepted: bool = False,
) -> str:
    """The text of README.md; `splits` says what each file holds, `accepted` that people accepted all dialogues."""
    front = "\n".join(_front_matter(run, splits))
    return f"---\n{front}\n---\n\n" + "\n".join(_text(run, players, splits, standalone, accepted)) + "\n"


def _front_matter(run: StoredRun, splits: Mapping[str, Written]) -> Iterator[str]:
    yield from _licence(run.kg_source.get("licence", "").strip())
    yield from ("language:", f"- {_quoted(run.language)}", "task_categories:", "- question-answering")
    yield from ("tags:", "- knowledge-graph", "- sparql", "- dialogue", "- synthetic", "- chattygen")
    yield f"pretty_name: {_quoted('Dialogues about ' + (run.kg_source.get('title') or run.kg))}"
    yield from ("size_categories:", f"- {_size(sum(part.dialogues for part in splits.values()))}")
    yield from ("configs:", "- config_name: default", "  data_files:")
    for name in splits:
        yield from (f"  - split: {name}", f"    path: data/{name}-*")
    yield from ("dataset_info:", "  splits:")
    for name, part in splits.items():
        yield from (f"  - name: {name}", f"    num_bytes: {part.bytes}", f"    num_examples: {part.dialogues}")
    yield f"  dataset_size: {sum(part.bytes for part in splits.values())}"


def _licence(stated: str) -> list[str]:
    """The Hub's identifier where the graph's licence is one; else `other` with a name, as the Hub wants it."""
    if not stated:
        return ["license: unknown"]
    if stated.lower() in LICENCES:
        return [f"license: {stated.lower()}"]
    return ["license: other", f"license_name: {_quoted(re.sub('[^a-z0-9.]+', '-', stated.lower()).strip('-.'))}"]


def _quoted(text: str) -> str:
    """A YAML string on one line: a JSON string is one, once the two characters that YAML forbids are escaped."""
    return re.sub("[\ufffe\uffff]", lambda found: f"\\u{ord(found[0]):04x}", dumps(text))


def _size(dialogues: int) -> str:
    limits = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}
    return next((name for limit, name in limits.items() if dialogues < limit), "1M<n<10M")


def _text(
    run: StoredRun, players: Sequence[Player], splits: Mapping[str, Written], standalone: bool, accepted: bool
) -> Iterator[str]:
    source = {name: run.kg_source.get(name) or "not stated" for name in ("title", "url", "licence")}
    dialogues, turns = (sum(getattr(part, what) for part in splits.values()) for what in ("dialogues", "turns"))
    told = plain(run.kg_source.get("title") or run.kg)
    forms = "a standalone form, a SPARQL query" if standalone else "a SPARQL query"
    yield from (f"# Dialogues about {told}", "")
    yield f"{dialogues} dialogues with {turns} turns about entities of a knowledge graph. Each turn has {forms} that"
    yield "was executed, and the answers that the graph gave. A language model wrote the texts, rules checked them."
    yield f"The run was asked for {run.wanted} dialogues; its status is {run.status}."
    yield from ("", "| split | dialogues | turns |", "|---|---|---|")
    yield from (f"| {name} | {part.dialogues} | {part.turns} |" for name, part in splits.items())
    yield from ("", "## How to load it", "", "    from datasets import load_dataset", "")
    yield '    dialogues = load_dataset("path/to/this/folder")'
    yield from ("", "## How it was made", "")
    yield f"- graph: {plain(run.kg)}, {run.kg_triples} triples, fingerprint {code(run.kg_fingerprint)}"
    yield from (f"- {name} of the graph: {plain(value)}" for name, value in source.items())
    yield f"- chattygen {plain(run.chattygen_version)}, run {code(run.id)}, started {run.started}"
    yield "- " + ("the same settings give the same texts again" if run.repeatable else NOT_REPEATABLE)
    yield from ("", "Models, as they were used:", "")
    for player in players:
        yield f"- {plain(player.role)}: {plain(player.model)}, revision {code(player.revision) or 'not known'}," + (
            f" prompt {code(player.prompt_hash)}"
        )
    yield from ("", "Settings of the run:", "", "```json", json.dumps(_settings(run), indent=1), "```")
    yield from ("", "## Fields", "")
    fields = {names: what for names, what in FIELDS.items() if standalone or names != "turns.standalone"}
    yield from (f"- {', '.join(map(code, names.split(', ')))}: {what}" for names, what in fields.items())
    yield from ("", "## Limits", "", ACCEPTED if accepted else NOT_READ, *LIMITS)


def _settings(run: StoredRun) -> dict[str, Any]:
    """The settings of the run; a list of entities, which may be long, as its length."""
    listed = run.settings.get("entities")
    return run.settings | ({"entities": f"{len(listed)} IRIs"} if listed else {})


NOT_REPEATABLE = "sampling was seeded, but the server batches requests, so that the same settings may give other texts"

ACCEPTED = (
    "- Rules and a sentence embedding checked the texts. People read the dialogues; these are those they accepted."
)
NOT_READ = "- Rules and a sentence embedding checked the texts; no person need have read them."

LIMITS = (
    "- The answers are what the graph held on that day; they are not checked against the world, and what the graph"
    " lacks is not asked.",
    "- Where a model failed, chattygen's builder wrote a plain text instead: such turns are more alike.",
    "- Splits keep the seed entities apart. An entity may still be an answer in another split.",
    "- Texts and labels come from the graph, so its licence governs them too.",
)
