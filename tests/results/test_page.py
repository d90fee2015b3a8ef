"""The page: the figures of the hand-made run on it, text that stays text, and a real browser that shows it alone."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest

from chattygen.domain import Answer, Dialogue, Finding, Subgraph
from chattygen.results.page import Side, page
from chattygen.results.reader import Reader, StoredDialogue
from chattygen.results.recorder import Recorder
from chattygen.results.report import make_report
from tests.browser import Browser
from tests.results import hand_made
from tests.results.hand_made import ADA_DIALOGUE, ADA_SUBGRAPH, BORN, CURIE, CURIE_DIALOGUE, PRIZES

VOID = {"meta", "br"}


class Parsed(HTMLParser):
    """A page as a parser sees it: its tags, and its words by the id of the section that they stand in."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.pieces: dict[str, list[str]] = {"": []}
        self.section = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in {"th", "td"}:
            self.handle_data(" ")
        if tag not in VOID:
            self.open.append(tag)
        if tag == "section":
            self.section = dict(attrs)["id"] or ""
            self.pieces[self.section] = []

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes nothing"
        if tag == "section":
            self.section = ""

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.pieces[self.section].append(data)

    def words(self, section: str) -> str:
        return " ".join("".join(self.pieces[section]).split())

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


def make(path: Path, run: str, *, limit: int = 200, other: str = "") -> str:
    """The page as the command makes it."""
    with Reader(path) as reader:

        def side(name: str) -> Side:
            measures = reader.measures(name)
            return Side(measures.run, make_report(measures))

        parts = (reader.contents(run), reader.players(run), reader.dialogues(run), limit)
        return "".join(page(side(run), *parts, side(other) if other else None))


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page") / "chattygen.db"


@pytest.fixture(scope="module")
def run(database: Path) -> str:
    return hand_made.record(database)


@pytest.fixture(scope="module")
def html(database: Path, run: str) -> str:
    return make(database, run)


@pytest.fixture(scope="module")
def parsed(html: str) -> Parsed:
    return Parsed(html)


def test_head(parsed: Parsed, run: str) -> None:
    said = parsed.words("")
    assert f"nobel: dialogue benchmark {run}" in said  # the title
    assert "2 of 3 dialogues interrupted: stopped by the user" in said
    assert "started 2026-11-30 10:15 UTC, ended 2026-11-30 10:17 UTC" in said
    assert "Multi-stage, summarised subgraphs." in said


def test_measures(parsed: Parsed) -> None:
    said = parsed.words("measures")
    for tile in (
        "50% success rate 2 of 4 entities visited became a dialogue",
        "5 errors",
        "2 parse errors",
        "2.0 minutes 30% of it waiting for the model",
        "3,169 tokens in 11 calls",
        "1,585 tokens per dialogue 18.0 s of model time each",
        "Label errors failed checks of the stage label 0",
        "Question errors failed checks of the stage questions 2",
        "SPARQL errors failed checks of the stage queries 2",
        "Dialogue errors failed checks of the stage dialogue 1",
        "Prompt tokens as the servers report them, for all calls 2,810",
        "questions 3 of 4 (75%) queries 2 of 4 (50%) turns 3 of 4 (75%)",
    ):
        assert tile in said, tile
    assert "were not spent" not in said
    assert "Sampling was seeded" not in said


def test_errors(parsed: Parsed) -> None:
    said = parsed.words("errors")
    assert "4 of the 7 failed checks were put right" in said  # Q5, S5, S6, D3
    assert (
        "Q5 question Demands that a question does not contain its answer. 1 1 put right"
        " 1 example Marie Curie: Q5 does not hold the text" in said
    )
    assert "Demands that a question asks what its fact says. 1 0 put right; 1 seed given up" in said
    assert said.count("given up") == 2  # that one, and the sentence that explains it
    assert "Lost leak 2 1 1 0 0 query 1 0 1 0 0 form 1 0 0 0 1" in said


def test_cost(parsed: Parsed, html: str) -> None:
    said = parsed.words("cost")
    assert "label 100 prompt + 5 reply questions 1,810 prompt + 194 reply queries 600 prompt + 120 reply" in said
    assert "questions 19.0 s in 6 calls" in said
    assert "small 2,210 prompt + 239 reply coder 600 prompt + 120 reply" in said
    assert 'style="--length:0.9032"></span>' in html  # 1810 of 2004, the longest bar by stage


def test_contents(parsed: Parsed) -> None:
    said = parsed.words("contents")
    assert "Of 1 question to be answered with yes or no, 1 is to be answered with no." in said
    assert "when 1 (25%) which 1 (25%) how-many 1 (25%) yes-no 1 (25%) 15% planned" in said
    assert "opening 2 (50%) reference 2 (50%) follow-up 0 (0%) 10% planned" in said
    assert "The graph cannot answer" not in said
    assert "1 answer 3 (75%) 2 answers 1 (25%)" in said
    assert "laureate 90% of the graph 50% of the benchmark (1) ship 10% of the graph 50% of the benchmark (1)" in said
    assert "Left out: 1 class." in said
    assert "agent: shadowed by laureate" in said
    assert "The 4 questions ask about 3 different predicates of the graph." in said
    assert "birth date 2 (50%) crew 1 (25%) laureate 1 (25%)" in said
    assert "birth date: http://example.org/born" in said


def test_dialogues(parsed: Parsed) -> None:
    said = parsed.words("dialogues")
    assert "All 2 dialogues, in the order in which they were finished." in said
    first, second = said.split("2 Marie Curie ship, 2 turns")
    assert "1 Marie Curie laureate, head, 2 turns http://example.org/marie When was Marie Curie born?" in first
    assert "Which prizes did she receive? by itself: Which prizes did Marie Curie receive? Chemistry 1911" in first
    assert "the builder wrote" not in first
    assert "41 SPARQL the builder wrote: query SELECT (COUNT(?v) AS ?n)" in second
    assert "no SPARQL the builder wrote: turn, question, query ASK {" in second


def test_kinds_and_flow(tmp_path: Path) -> None:
    with Recorder(tmp_path / "chattygen.db") as recorder:
        run = hand_made.start(recorder)
        recorder.dialogue(run, recorder.start_seed(run, ADA_SUBGRAPH), ADA_DIALOGUE)
    parsed = Parsed(make(tmp_path / "chattygen.db", run))
    said = parsed.words("dialogues")
    assert "Where was he born? refers to turn 1 by itself: Where was the mentor of Ada Berg born? Bergen SPARQL" in said
    assert "by itself: When did Ada Berg die? the graph has no answer SPARQL" in said
    said = parsed.words("contents")
    assert "3 questions ask about two facts." in said
    assert "The graph cannot answer 1 turn, and they are meant so." in said
    assert "What was mended" not in parsed.words("errors")


def test_provenance(parsed: Parsed) -> None:
    said = parsed.words("provenance")
    assert "Name nobel Title not stated Address not stated Licence not stated Triples 1,000 Fingerprint f00d" in said
    assert "sparql coder revision rev-1, prompt ab12" in said
    assert "questions 2" in said


def test_source_reuse_and_a_server_that_batches(database: Path, run: str) -> None:
    source = {"title": "Nobel prizes", "url": "https://example.org/nobel", "licence": "CC0-1.0"}
    with Reader(database) as reader:
        measures = reader.measures(run)
        contents = reader.contents(run)
    told = replace(measures.run, kg_source=source, repeatable=False, status="running", reason="")
    (spent,) = (usage for (stage, _, _), usage in measures.calls.items() if stage == "label")
    report = replace(make_report(replace(measures, run=told)), reused=spent)
    parsed = Parsed("".join(page(Side(told, report), contents, [], [], 0)))
    assert "Nobel prizes 2 of 3 dialogues running" in parsed.words("")
    assert "last stored 2026-11-30 10:17 UTC" in parsed.words("")
    assert "105 tokens, 1 call and 1.0 s were not spent" in parsed.words("measures")
    assert (
        "Sampling was seeded; the server batches requests, which can still change text from run to run."
        in parsed.words("measures")
    )
    assert "Title Nobel prizes Address https://example.org/nobel Licence CC0-1.0" in parsed.words("provenance")
    assert "No model was called." in parsed.words("provenance")


def test_at_most_so_many_dialogues_are_read(database: Path, run: str) -> None:
    with Reader(database) as reader:
        measures, contents = reader.measures(run), reader.contents(run)
        first, _ = reader.dialogues(run)

    def endless() -> Iterator[StoredDialogue]:
        yield first
        raise AssertionError("a second dialogue was read")

    said = Parsed("".join(page(Side(measures.run, make_report(measures)), contents, [], endless(), 1))).words(
        "dialogues"
    )
    assert "The first 1 of 2 dialogues, in the order in which they were finished." in said
    assert said.count("2 turns") == 1


def test_a_run_that_did_nothing(tmp_path: Path) -> None:
    with Recorder(tmp_path / "chattygen.db", clock=hand_made.Clock()) as recorder:
        run = hand_made.start(recorder)
        recorder.finish_run(run, "failed", "no seed")
    parsed = Parsed(make(tmp_path / "chattygen.db", run))
    assert "0 of 3 dialogues failed: no seed" in parsed.words("")
    assert "– success rate 0 of 0 entities visited" in parsed.words("measures")
    assert "– tokens per dialogue no dialogue is finished" in parsed.words("measures")
    assert "No check failed." in parsed.words("errors")
    assert "No model was called." in parsed.words("cost")
    assert "No dialogue is finished yet" in parsed.words("contents")
    assert parsed.words("dialogues") == "Dialogues No dialogue is finished."


@pytest.mark.parametrize(("fingerprint", "warned"), [("f00d", False), ("beef", True)])
def test_two_runs_side_by_side(tmp_path: Path, fingerprint: str, warned: bool) -> None:
    path = tmp_path / "chattygen.db"
    ours = hand_made.record(path)
    settings = {"kg": "nobel", "dialogues": 1, "approach": "multi-stage", "serialisation": "full", "questions": 2}
    with Recorder(path, clock=hand_made.Clock()) as recorder:
        theirs = recorder.start_run("nobel", fingerprint, 1000, settings, hand_made.MODELS | {"label": "coder"})
        seed = recorder.start_seed(theirs, Subgraph(CURIE, (BORN, PRIZES), 3))
        recorder.attempt(theirs, seed, hand_made.attempt("questions", 1, 3000, 169, 4.0))
        recorder.dialogue(theirs, seed, CURIE_DIALOGUE)
        recorder.finish_run(theirs, "done", "")
    said = Parsed(make(path, ours, other=theirs)).words("beside")
    assert f"This run (summarised, multi-stage) beside {theirs} (full, multi-stage)." in said
    assert "Tokens per finished dialogue summarised, multi-stage 1,585 full, multi-stage 3,169" in said
    assert "summarised, multi-stage 2,810 prompt + 359 reply full, multi-stage 3,000 prompt + 169 reply" in said
    assert "queries by the model summarised, multi-stage 2 of 4 (50%) full, multi-stage 2 of 2 (100%)" in said
    assert "Success rate 50% 100% Dialogues 2 of 3 1 of 1 Errors 5 0 Parse errors 2 0 Minutes 2.0 0.0" in said
    assert "Setting: dialogues 3 1" in said
    assert "Model: label small coder" in said
    assert ("did not read the same graph" in said) == warned


NASTY = '<img src="http://leak.example/x" onerror="document.title=1"><script>document.title=2</script>&lt; {{ 7*7 }}'


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of a run in which every text of the graph and of the model is markup, or a word without an end."""
    path = tmp_path_factory.mktemp("nasty") / "chattygen.db"
    long = "Donaudampfschifffahrt" * 40
    born, prizes = replace(BORN, predicate_label=NASTY), replace(PRIZES, predicate=NASTY, predicate_label=long)
    seed = replace(CURIE, label=NASTY, iri=f"http://example.org/{long}", type_label=f"{NASTY}\x00\x1b")
    turns = tuple(
        replace(
            turn,
            utterance=text,
            question=replace(turn.question, text=text, fact=fact),
            query=replace(turn.query, sparql=f"# {text}", answers=(Answer("literal", "v", text),)),
        )
        for turn, text, fact in zip(CURIE_DIALOGUE.turns, (NASTY, long), (born, prizes), strict=True)
    )
    with Recorder(path, clock=hand_made.Clock()) as recorder:
        settings = {"dialogues": 3, "approach": "multi-stage", "serialisation": "full", NASTY: long}
        source = {"title": NASTY, "url": long, "licence": NASTY}
        run = recorder.start_run(NASTY, long, 1000, settings, hand_made.MODELS, source=source)
        visited = recorder.start_seed(run, Subgraph(seed, (born, prizes), 3))
        found = (Finding("Q5", NASTY, NASTY), Finding("Q5", long, long))
        recorder.attempt(run, visited, hand_made.attempt("questions", 1, 400, 40, 4.0, *found))
        recorder.dialogue(run, visited, Dialogue(seed, turns, CURIE_DIALOGUE.usage))
        recorder.finish_run(run, "failed", long)
    target = path.with_name("page.html")
    target.write_text(make(path, run, other=run), encoding="utf-8")
    return target


def test_text_stays_text(nasty: Path) -> None:
    text = nasty.read_text(encoding="utf-8")
    parsed = Parsed(text)
    for section, times in (("", 1), ("errors", 2), ("contents", 1), ("dialogues", 4), ("provenance", 2)):
        assert parsed.words(section).count(NASTY) >= times, section
    assert {tag for tag, _ in parsed.tags} == {
        *("html", "head", "meta", "title", "style", "body", "header", "nav", "main", "section", "h1", "h2", "h3"),
        *("p", "a", "ul", "ol", "li", "dl", "dt", "dd", "div", "span", "strong", "code", "pre", "time", "br"),
        *("figure", "figcaption", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"),
    }
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    assert "\N{REPLACEMENT CHARACTER}" in parsed.words("dialogues")


def test_nothing_points_out_of_the_page(nasty: Path) -> None:
    parsed = Parsed(nasty.read_text(encoding="utf-8"))
    for tag, attrs in parsed.tags:
        assert not {"src", "srcset", "action", "data", "poster"} & attrs.keys(), tag
        assert not [name for name in attrs if name.startswith("on")], tag
        assert (attrs.get("href") or "#").startswith("#"), tag
    style = files("chattygen.results").joinpath("templates", "page.css").read_text(encoding="utf-8")
    assert "url(" not in style
    assert "@import" not in style
    policies = [meta["content"] for meta in parsed.named("meta") if "http-equiv" in meta]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_a_reader_of_the_screen_finds_the_way(parsed: Parsed) -> None:
    assert parsed.named("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in parsed.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert {th.get("scope") for th in parsed.named("th")} == {"row", "col"}
    ids = {attrs["id"] for _, attrs in parsed.tags if "id" in attrs}
    assert {(a["href"] or "")[1:] for a in parsed.named("a")} == ids


PAIRS = [
    *(("--text", "--page"), ("--text", "--card"), ("--faint", "--page"), ("--faint", "--card"), ("--first", "--page")),
    *(("--chip-text", "--chip"), ("--notice-text", "--notice")),
]
BARS = [("--first", "--card"), ("--second", "--card")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_that_of_wcag_aa(scheme: str) -> None:
    style = files("chattygen.results").joinpath("templates", "page.css").read_text(encoding="utf-8")
    light, dark, *_ = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    colours = dict(re.findall(r"(--[a-z-]+): (#\w{6});", light if scheme == "light" else dark))

    def luminance(colour: str) -> float:
        parts = [int(colours[colour][at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for wanted, pairs in ((4.5, PAIRS), (3.0, BARS)):
        for front, back in pairs:
            low, high = sorted((luminance(front), luminance(back)))
            assert (high + 0.05) / (low + 0.05) >= wanted, (front, back)


@contextmanager
def counting_proxy() -> Iterator[tuple[int, list[bytes]]]:
    """A port that notes what it is asked first on each connection, and answers nothing."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    asked.append(connection.recv(200))

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield server.getsockname()[1], asked
        server.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def test_a_browser_shows_it(chromium: Browser, html: str, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text(html, encoding="utf-8")
    shown = Parsed(chromium.dom(target))
    source = Parsed(html)
    for section in source.pieces:
        assert shown.words(section) == source.words(section)
    assert "3,169 tokens in 11 calls" in shown.words("measures")


def test_a_browser_runs_no_text(chromium: Browser, nasty: Path) -> None:
    shown = Parsed(chromium.dom(nasty))
    assert shown.words("").startswith(f"{NASTY}: dialogue benchmark")  # the title is as it was
    assert not shown.named("img")
    assert not shown.named("script")


@pytest.mark.parametrize("width", [360, 1280])
def test_a_browser_needs_no_sideways_scrolling(
    chromium: Browser, html: str, nasty: Path, tmp_path: Path, width: int
) -> None:
    target = tmp_path / "page.html"
    target.write_text(html, encoding="utf-8")
    assert chromium.overflow(target, width) == 0
    assert chromium.overflow(nasty, width) == 0
    target.write_text("<!DOCTYPE html><p style='width:2000px'>wide", encoding="utf-8")
    assert chromium.overflow(target, width) > 0


def test_a_browser_asks_for_nothing(chromium: Browser, nasty: Path, tmp_path: Path) -> None:
    with counting_proxy() as (port, asked):
        assert chromium.requested(nasty, port) == []
        assert not [request for request in asked if b"leak.example" in request]
        beacon = tmp_path / "beacon.html"
        beacon.write_text('<!DOCTYPE html><img src="http://beacon.example/x.png">', encoding="utf-8")
        assert "http://beacon.example/x.png" in chromium.requested(beacon, port)
        assert [request for request in asked if b"beacon.example" in request]
