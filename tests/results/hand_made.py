"""A small run, made by hand and played through the recorder: two dialogues, one seed given up, one unfinished."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from chattygen.config import RunSettings
from chattygen.domain import (
    XSD,
    Answer,
    Attempt,
    Beyond,
    Call,
    Dialogue,
    DroppedFact,
    DroppedType,
    Fact,
    Finding,
    Iri,
    LabelRule,
    Literal,
    NodeType,
    Query,
    Question,
    Seed,
    Subgraph,
    Turn,
    Usage,
    Value,
)
from chattygen.results.recorder import Recorder

NS = "http://example.org/"
MODELS = {"label": "small", "questions": "small", "sparql": "coder", "dialogue": "small"}


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 10, 15, 2, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


BORN = Fact(
    NS + "born", "birth date", "out", (Value(Literal("1867-11-07", XSD + "date"), "7 November 1867"),), 1, "date"
)
PRIZES = Fact(
    NS + "laureate",
    "laureate",
    "in",
    (
        Value(Iri(NS + "physics1903"), "Physics 1903", "prize"),
        Value(Iri(NS + "chemistry1911"), "Chemistry 1911", "prize"),
    ),
    2,
    "entity",
    "prize",
)
CREW = Fact(NS + "crew", "crew", "in", (), 41, "entity", "sailor")

CURIE = Seed(NS + "marie", "Marie Curie", NS + "Laureate", "laureate", "person", "head")
PIERRE = Seed(NS + "pierre", "Pierre Curie", NS + "Laureate", "laureate", "person", "torso")
SHIP = Seed(NS + "ship", "Marie Curie", NS + "Ship", "ship")
IRENE = Seed(NS + "irene", "Irène Joliot-Curie", NS + "Laureate", "laureate", "person", "tail")

CURIE_DIALOGUE = Dialogue(
    CURIE,
    (
        Turn(
            1,
            "When was Marie Curie born?",
            "model",
            Question(BORN, "When was X born?", "When was Marie Curie born?", "when", "model"),
            Query(
                f"SELECT ?v WHERE {{\n  <{NS}marie> <{NS}born> ?v\n}}",
                "select",
                "model",
                (Answer("literal", "1867-11-07", "7 November 1867", XSD + "date"),),
            ),
            "opening",
        ),
        Turn(
            2,
            "Which prizes did she receive?",
            "model",
            Question(PRIZES, "Which prizes did X receive?", "Which prizes did Marie Curie receive?", "which", "model"),
            Query(
                f"SELECT ?v WHERE {{ ?v <{NS}laureate> <{NS}marie> }}",
                "select",
                "model",
                (
                    Answer("uri", NS + "chemistry1911", "Chemistry 1911"),
                    Answer("uri", NS + "physics1903", "Physics 1903"),
                ),
            ),
        ),
    ),
    Usage(1050, 130, 4, 13.5),
)
SHIP_DIALOGUE = Dialogue(
    SHIP,
    (
        Turn(
            1,
            "How many sailors does Marie Curie have?",
            "model",
            Question(
                CREW,
                "How many sailors does X have?",
                "How many sailors does Marie Curie have?",
                "how-many",
                "model",
                "count",
            ),
            Query(
                f"SELECT (COUNT(?v) AS ?n) WHERE {{ ?v <{NS}crew> <{NS}ship> }}",
                "count",
                "builder",
                (Answer("literal", "41", "41", XSD + "integer"),),
            ),
            "opening",
        ),
        Turn(
            2,
            "Was it born on 7 November 1867?",
            "builder",
            Question(
                BORN,
                "Was X born on 1867?",
                "Was Marie Curie born on 7 November 1867?",
                "yes-no",
                "builder",
                "yes-no",
                Value(Literal("1867-11-07"), "7 November 1867"),  # a text, which the date is not
            ),
            Query(
                f'ASK {{ <{NS}ship> <{NS}born> "1867-11-07" }}', "ask", "builder", (Answer("boolean", "false", "no"),)
            ),
        ),
    ),
    Usage(850, 120, 3, 12.0),
)

ADA = Seed(NS + "ada", "Ada Berg", NS + "Captain", "captain", "person")
BO = Value(Iri(NS + "bo"), "Bo Lind", "person")
BERGEN, OSLO = Value(Iri(NS + "bergen"), "Bergen", "city"), Value(Iri(NS + "oslo"), "Oslo", "city")
GULL, TERN = Value(Iri(NS + "gull"), "Gull", "ship"), Value(Iri(NS + "tern"), "Tern", "ship")
YEAR_1999, YEAR_2004 = (Value(Literal(year, XSD + "gYear"), year) for year in ("1999", "2004"))
MENTOR = Fact(NS + "mentor", "mentor", "out", (BO,), 1, "entity", "person")
BIRTHPLACE = Fact(NS + "birthplace", "birth place", "out", (OSLO,), 1, "entity", "city")
SHIPS = Fact(NS + "captain", "captain", "in", (GULL, TERN), 2, "entity", "ship")
DIED = Fact(NS + "died", "death date", "out", (), 0, "date")
ADA_SUBGRAPH = Subgraph(ADA, (MENTOR, BIRTHPLACE, SHIPS), 4, absent=(DIED,))

HOP = Beyond(
    "hop", replace(BIRTHPLACE, values=(BERGEN,)), Fact(NS + "birthplace", "birth place", "out", (BERGEN,), 1, "entity")
)
LAUNCHED = Fact(NS + "launched", "launch year", "out", (YEAR_1999,), 1, "year")
CONDITION = Beyond("condition", LAUNCHED, replace(SHIPS, values=(GULL,), count=1))
MOST = Beyond(
    "most", replace(LAUNCHED, values=(YEAR_1999, YEAR_2004), count=2), replace(SHIPS, values=(TERN,), count=1)
)


def _sparql(body: str) -> str:
    """The body with the prefix of the namespace spelt out."""
    return re.sub(r"\be:(\w+)", rf"<{NS}\1>", body)


ADA_DIALOGUE = Dialogue(
    ADA,
    (
        Turn(
            1,
            "Who was the mentor of Ada Berg?",
            "model",
            Question(MENTOR, "Who was the mentor of X?", "Who was the mentor of Ada Berg?", "who", "model"),
            Query(
                _sparql("SELECT ?x WHERE { e:ada e:mentor ?x }"),
                "select",
                "model",
                (Answer("uri", NS + "bo", "Bo Lind"),),
            ),
            "opening",
        ),
        Turn(
            2,
            "Where was he born?",
            "model",
            Question(
                MENTOR,
                "Where was the mentor of X born?",
                "Where was the mentor of Ada Berg born?",
                "where",
                "model",
                beyond=HOP,
            ),
            Query(
                _sparql("SELECT ?x WHERE { e:ada e:mentor ?y . ?y e:birthplace ?x }"),
                "select",
                "model",
                (Answer("uri", NS + "bergen", "Bergen"),),
            ),
            "follow-up",
            1,
        ),
        Turn(
            3,
            "Was Ada Berg born in Bergen?",
            "builder",
            Question(
                BIRTHPLACE,
                "Was X born in Bergen?",
                "Was Ada Berg born in Bergen?",
                "yes-no",
                "model",
                "yes-no",
                BERGEN,
            ),
            Query(
                _sparql("ASK WHERE { e:ada e:birthplace e:bergen }"),
                "ask",
                "model",
                (Answer("boolean", "false", "no"),),
            ),
            "return",
        ),
        Turn(
            4,
            "Which of her ships are of 1999?",
            "model",
            Question(
                SHIPS,
                "Which ships of X are of 1999?",
                "Which ships of Ada Berg are of 1999?",
                "which",
                "model",
                beyond=CONDITION,
            ),
            Query(
                _sparql(f'SELECT ?x WHERE {{ ?x e:captain e:ada . ?x e:launched "1999"^^<{XSD}gYear> }}'),
                "select",
                "model",
                (Answer("uri", NS + "gull", "Gull"),),
            ),
        ),
        Turn(
            5,
            "And the last one?",
            "model",
            Question(
                SHIPS,
                "Which ship of X is the last?",
                "Which ship of Ada Berg is the last?",
                "which",
                "model",
                beyond=MOST,
            ),
            Query(
                _sparql("SELECT ?x WHERE { ?x e:captain e:ada . ?x e:launched ?v } ORDER BY DESC(?v) LIMIT 1"),
                "select",
                "model",
                (Answer("uri", NS + "tern", "Tern"),),
            ),
            "ellipsis",
            4,
        ),
        Turn(
            6,
            "When did she die?",
            "model",
            Question(DIED, "When did X die?", "When did Ada Berg die?", "when", "model"),
            Query(_sparql("SELECT ?x WHERE { e:ada e:died ?x }"), "select", "model", ()),
        ),
    ),
    Usage(900, 100, 4, 10.0),
)
"""A dialogue of every kind and flow: two facts, a false yes-no question, one that the graph cannot answer."""


def attempt(
    stage: str,
    number: int,
    prompt: int,
    reply: int,
    seconds: float,
    *findings: Finding,
    item: int = 0,
    finish: str = "stop",
) -> Attempt:
    call = Call(
        stage=stage,
        role="sparql" if stage == "queries" else stage,
        model="coder" if stage == "queries" else "small",
        revision="rev-1",
        attempt=number,
        prompt_hash="ab12",
        messages=(("system", "Write questions."), ("user", "Marie Curie")),
        constraint='root ::= "x"',
        max_tokens=96,
        temperature=0.0,
        sampling_seed=1,
        reply="When was X born?",
        finish=finish,  # type: ignore[arg-type]
        prompt_tokens=prompt,
        completion_tokens=reply,
        seconds=seconds,
        error="refused" if finish == "error" else "",
    )
    return Attempt(stage, number, item, call, findings)


def finding(rule: str) -> Finding:
    return Finding(rule, f"{rule} does not hold", "the text")


def start(recorder: Recorder, dialogues: int = 3) -> str:
    planned = {"kinds": {"yes-no": 0.15}, "flow": {"follow-up": 0.1, "unanswerable": 0.0}}
    settings = asdict(RunSettings(kg="nobel", dialogues=dialogues, questions=2)) | planned
    return recorder.start_run("nobel", "f00d", 1000, settings, MODELS)


def record(path: Path) -> str:
    """Record the whole run; it lasts 120 s and is interrupted. Returns its id."""
    clock = Clock()
    with Recorder(path, clock=clock) as recorder:
        run = start(recorder)
        recorder.node_types(
            run,
            [NodeType(NS + "Laureate", "laureate", 900, 0.9), NodeType(NS + "Ship", "ship", 100, 0.1)],
            [DroppedType(NS + "Agent", "agent", 900, "shadowed by laureate")],
            {NS + "Laureate": 2, NS + "Ship": 1},
        )
        recorder.attempt(run, None, attempt("label", 1, 100, 5, 1.0))
        recorder.label_rule(run, LabelRule(NS + "Laureate", (NS + "given", NS + "family"), 0.98, "model"))

        curie = recorder.start_seed(run, Subgraph(CURIE, (BORN, PRIZES), 3, (DroppedFact(NS + "img", "out", "image"),)))
        recorder.attempt(run, curie, attempt("questions", 1, 400, 40, 4.0, finding("Q5")))
        recorder.attempt(run, curie, attempt("questions", 2, 200, 10, 1.5, item=2))
        recorder.repair(curie, "questions", 2, "model", "Q5")
        recorder.attempt(run, curie, attempt("queries", 1, 300, 60, 6.0))
        recorder.attempt(run, curie, attempt("dialogue", 1, 150, 20, 2.0))
        clock.advance(30)
        recorder.dialogue(run, curie, CURIE_DIALOGUE)

        pierre = recorder.start_seed(run, Subgraph(PIERRE, (BORN,), 1))
        recorder.attempt(run, pierre, attempt("questions", 1, 400, 64, 5.0, finding("P2"), finish="length"))
        recorder.attempt(run, pierre, attempt("questions", 2, 0, 0, 0.5, finding("P4"), finish="error"))
        recorder.attempt(run, pierre, attempt("questions", 3, 410, 40, 4.0, finding("Q8")))
        recorder.repair(pierre, "questions", 1, "builder", "P2")
        recorder.give_up(pierre, "Q8", "asks for another fact")

        ship = recorder.start_seed(run, Subgraph(SHIP, (BORN, CREW), 42))
        recorder.attempt(run, ship, attempt("questions", 1, 400, 40, 4.0))
        recorder.attempt(run, ship, attempt("queries", 1, 300, 60, 6.0, finding("S5")))
        recorder.attempt(run, ship, Attempt("queries", 2, 1, None, (finding("S6"),)))
        recorder.repair(ship, "queries", 1, "builder", "S5")
        recorder.attempt(run, ship, attempt("dialogue", 1, 150, 20, 2.0, finding("D3")))
        recorder.repair(ship, "dialogue", 1, "builder", "D3")
        recorder.dialogue(run, ship, SHIP_DIALOGUE)

        recorder.start_seed(run, Subgraph(IRENE, (BORN,), 1))
        clock.advance(90)
        recorder.finish_run(run, "interrupted", "stopped by the user")
    return run
