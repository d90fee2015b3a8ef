"""evaluate: what a person and a program read, what ends it, and that it goes on; report shows what came of it."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from chattygen.cli.evaluate import GO_ON, Pace
from chattygen.config import Home
from chattygen.domain import Usage
from chattygen.evaluate import Progress
from tests import drifting
from tests.cli.test_runs import Called
from tests.drifting import DIALOGUES
from tests.models.fake_server import JSON, Fake, Request, completion, serving

RIGHT = {
    "In which region is Almere?": "Nordmark",
    "Which islands does Almere have?": "Pine Holm; Crow Holm",
    "How many islands does Almere have?": "two",
    "How deep is Almere?": "31",
    "Which lake has its outflow in Aske?": "Almere",
    "Is Aske in Sudland?": "No.",
    "Is Aske in Nordmark?": "Yes.",
    "How long is Aske?": "212",
}


@contextmanager
def chatbot(wait: Callable[[int], None] = lambda number: None) -> Iterator[Fake]:
    """A real server that knows the graph of lakes but for the length of the river, of which it is unsure."""
    number = 0

    def answer(request: Request) -> tuple[int, bytes, dict[str, str]]:
        nonlocal number
        number += 1
        wait(number)
        question = request.body["messages"][-1]["content"]
        return 200, completion("I am not sure." if "long" in question else RIGHT[question]), JSON

    with serving(answer) as fake:
        yield fake


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a run over the graph of lakes, and a judge that always says yes."""
    home = Home(tmp_path / "home")
    home.create()
    drifting.load_lakes(home)
    drifting.record(home, *DIALOGUES)
    (home.path / "yes.jsonl").write_text('{"match": "", "reply": "yes", "times": 0}\n', encoding="utf-8")
    text = '[models.judy]\nbackend = "scripted"\nscript = "yes.jsonl"\n'
    (home.path / "models.toml").write_text(text, encoding="utf-8")
    return home.path


@pytest.fixture
def run(home: Path) -> str:
    [[run]] = rows(home, "select id from run")
    return str(run)


def rows(home: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(home / "chattygen.db")) as connection:
        return connection.execute(sql).fetchall()


def test_for_a_person(capsys: pytest.CaptureFixture[str], home: Path, run: str) -> None:
    """Seven of eight are right and one is missing, by every rule."""
    with chatbot() as fake:
        called = Called(capsys, home, "evaluate", run, "--endpoint", fake.url, "--endpoint-model", "bot")
    assert called.code == 0
    assert called.err.splitlines()[0] == f"playing {run}"
    assert [line.split(",")[0] for line in called.err.splitlines()[1:]] == ["1 of 2 dialogues", "2 of 2 dialogues"]
    lines = [line.split() for line in called.out.splitlines()]
    assert lines[0] == [f"{run}-e4", "bot,", "2", "dialogues", "played"]
    words = [" ".join(word for word in line if not word.startswith("(")) for line in lines]
    for row in (
        "oracle all 8 EM 100.0 0.0 0.0",
        "unsure all 8 EM 0.0 0.0 100.0",
        "bot all 8 EM 87.5 0.0 12.5",
        "8 F1 87.5 0.0 12.5",
        "8 RL 87.5 0.0 12.5",
    ):
        assert row in words, row


def test_for_a_program(capsys: pytest.CaptureFixture[str], home: Path, run: str) -> None:
    with chatbot() as fake:
        called = Called(
            capsys, home, "evaluate", "latest", "--endpoint", fake.url, "--endpoint-model", "bot", "--json", "--quiet"
        )
    assert called.err == ""
    told = json.loads(called.out)
    assert {key: told[key] for key in ("run", "evaluation", "system", "status", "done", "wanted")} == {
        "run": run,
        "evaluation": f"{run}-e4",
        "system": "bot",
        "status": "done",
        "done": 2,
        "wanted": 2,
    }
    assert [one["system"] for one in told["evaluations"]] == ["oracle", "unsure", "majority", "bot"]
    bot = told["evaluations"][3]
    assert bot["all"]["accurate"]["EM"]["value"] == 0.875
    assert bot["by"]["type"]["river"]["missing"]["value"] == 0.25
    assert bot["by"]["turn"]["4"]["missing"]["value"] == 0.5
    assert bot["judge"] == ""


def test_options_say_how_it_is_asked(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    with chatbot() as fake:
        options = ("--prompt", "zero-shot", "--no-brief", "--no-unsure", "--history", "own", "--limit", "1")
        called = Called(capsys, home, "evaluate", "latest", "--endpoint", fake.url, *options, "--json")
        assert called.code == 0
        settings = json.loads(called.out)["evaluations"][3]["settings"]
        del settings["prompt_hash"]
        assert settings == {"prompt": "zero-shot", "brief": False, "unsure": False, "history": "own"}
        assert len(fake.requests) == 4
        assert fake.requests[0].body["max_tokens"] == 512
        assert fake.requests[1].body["messages"][2] == {"role": "assistant", "content": "Nordmark"}


def test_a_judge(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    """It says yes to all, so in both orders; seven replies are not missing. Twice asked, it is called no more often."""
    with chatbot() as fake:
        words = ("evaluate", "latest", "--endpoint", fake.url, "--endpoint-model", "bot", "--json", "--judge", "judy")
        first = Called(capsys, home, *words)
        assert first.code == 0
        calls = rows(home, "select stage, turn from judge_call")
        assert len(calls) == 14
        again = Called(capsys, home, *words)
        assert len(rows(home, "select id from judge_call")) == 14
        assert len(fake.requests) == 8
    bot = json.loads(again.out)["evaluations"][3]
    assert (bot["judge"], bot["judged"]) == ("judy", 7)
    assert bot["all"]["accurate"]["LM"]["value"] == 0.875
    assert bot["agreement"] == {"both": 7, "only_exact": 0, "only_judge": 0, "neither": 0, "kappa": None}
    assert rows(home, "select correct, count(*) from reply_verdict group by correct") == [(1, 7)]


def test_a_judge_of_its_own_replies_is_named(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    called = Called(capsys, home, "evaluate", "latest", "--model", "judy", "--judge", "judy", "--quiet")
    assert "warning: judy judges its own work: it wrote the replies" in called.err.splitlines()


def test_report_shows_the_tables(capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path) -> None:
    assert "Table 3" not in Called(capsys, home, "report", run).out
    assert json.loads(Called(capsys, home, "report", run, "--json").out)["evaluations"] == []
    with chatbot() as fake:
        for more in ((), ("--prompt", "in-domain")):
            words = ("--endpoint", fake.url, "--endpoint-model", "bot", "--judge", "judy", *more)
            assert Called(capsys, home, "evaluate", run, *words).code == 0
    out = Called(capsys, home, "report", run).out
    titles = [line for line in out.splitlines() if line.startswith(("Table", "By", "Who", "Judge"))]
    assert titles == [
        "Table 1: the benchmark",
        "Who replied",
        "Table 3: accurate, hallucinated, missing",
        "Table 6: rules and judge",
        "Judge and exact match",
        "Table 7: the same system, asked otherwise",
        "By type of the entity",
        "By number of the turn",
        "By how the turn goes on with the dialogue",
    ]
    told = json.loads(Called(capsys, home, "report", run, "--json").out)
    assert [one["system"] for one in told["evaluations"]] == ["oracle", "unsure", "majority", "bot", "bot"]

    target = tmp_path / "report.html"
    assert Called(capsys, home, "report", run, "--html", str(target)).code == 0
    page = target.read_text(encoding="utf-8")
    section = page[page.index('<section id="played">') :].partition("</section>")[0]
    for title in titles:
        assert f"<h3>{title}</h3>" in section
    assert "A 88%, H 0%, M 12%" in section
    assert '<span class="part third" style="--length:0.1250">' in section
    assert '<a href="#played">' in page


def test_the_pace_leaves_out_what_was_stored_before() -> None:
    """Two of ten dialogues were there at the start; nine replies of 100 tokens in two seconds are new."""
    pace = Pace()
    pace.add(Progress("e", "bot", 2, 10, 0, Usage()))
    pace.add(Progress("e", "bot", 4, 10, 9, Usage(90, 10, 9, 2.0)))
    told = r"4 of 10 dialogues, 9 replies, 50 tokens/s, 0 s, about \d+ s left"
    assert re.fullmatch(told, pace.words())
    assert Pace().words() == ""


def test_what_is_refused(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    def refused(*words: str) -> str:
        called = Called(capsys, home, "evaluate", *words)
        assert (called.code, called.out) == (2, "")
        what, hint = called.err.splitlines()[-2:]
        assert hint.startswith("  ")
        return what.removeprefix("chattygen: ")

    both = ("--model", "judy", "--endpoint", "http://127.0.0.1:9")
    assert refused("latest") == refused("latest", *both) == "evaluate takes a model or an endpoint"
    assert refused("latest", "--model", "judy", "--endpoint-model", "x") == "--endpoint-model is about an endpoint"
    assert refused("none", "--model", "judy") == "no run is called 'none'"
    assert refused("latest", "--model", "jim") == "no model is called 'jim'; there are: judy"
    assert refused("latest", "--endpoint", "http://192.0.2.1/v1") == (
        "192.0.2.1 is not this machine, and nothing may leave this machine"
    )
    assert rows(home, "select id from evaluation") == []


def test_a_refusal_says_how_to_go_on(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    with serving(lambda request: (400, b"too long", {})) as fake:
        called = Called(capsys, home, "evaluate", "latest", "--endpoint", fake.url, "--quiet")
    assert (called.code, called.out) == (1, "")
    what, _, more = called.err.splitlines()
    assert what.endswith("failed: status 400: too long")
    assert more == f"  all replies so far are stored; {GO_ON}"


def begin(home: Path, fake: Fake) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "chattygen", "evaluate", "latest", "--endpoint", fake.url]
    words = [*command, "--endpoint-model", "bot", "--history", "own", "--home", str(home)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


REPLIES = "select count(*) from reply join evaluation on evaluation.id = evaluation where system = 'bot'"


def wait_for(home: Path, replies: int, process: subprocess.Popen[str]) -> None:
    while process.poll() is None:
        if (home / "chattygen.db").exists() and rows(home, REPLIES)[0][0] >= replies:  # type: ignore[operator]
            return
        time.sleep(0.02)
    pytest.fail("it was over too soon")


def test_one_that_is_killed_goes_on(capsys: pytest.CaptureFixture[str], home: Path, run: str) -> None:
    with chatbot(lambda number: time.sleep(0.3)) as fake:
        process = begin(home, fake)
        wait_for(home, 3, process)
        process.kill()
        process.communicate()
        asked = len(fake.requests)
        assert asked < 8
        assert rows(home, "select status from evaluation where system = 'bot'") == [("running",)]
        assert (
            json.loads(Called(capsys, home, "report", run, "--json").out)["evaluations"][3]["status"] == "interrupted"
        )
        words = ("--endpoint", fake.url, "--endpoint-model", "bot", "--history", "own")
        assert Called(capsys, home, "evaluate", run, *words).code == 0
        # What was on its way when the process died is asked for again, and nothing else.
        assert len(fake.requests) in (8, 9)
    assert rows(home, "select status from evaluation where system = 'bot'") == [("done",)]
    assert rows(home, REPLIES) == [(8,)]


def test_ctrl_c_stores_what_is_in_flight_and_says_how_to_go_on(home: Path, run: str) -> None:
    with chatbot(lambda number: time.sleep(0.5)) as fake:
        process = begin(home, fake)
        wait_for(home, 2, process)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
        asked = len(fake.requests)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert err.splitlines()[-2:] == [
        f"chattygen: stopped; 0 of 2 dialogues are played and stored as {run}-e4",
        f"  {GO_ON}",
    ]
    assert rows(home, "select status, reason from evaluation where system = 'bot'") == [
        ("interrupted", "stopped by the user")
    ]
    [[stored]] = rows(home, "select count(*) from reply where error = '' and evaluation like '%-e4'")
    assert stored == asked
