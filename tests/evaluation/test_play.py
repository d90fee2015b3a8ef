"""What a system is sent, word by word, turn by turn."""

from __future__ import annotations

from dataclasses import replace

from chattygen.domain import Answer, Fact, Query, Question, Seed, Turn
from chattygen.evaluation.play import Example, Manner, Messages, Talk, examples, play, shown

NS = "http://example.org/"
ADA = Seed(NS + "ada", "Ada Berg", NS + "Captain", "captain", "person")
BO = Seed(NS + "bo", "Bo Lind", NS + "Captain", "captain", "person")
CY = Seed(NS + "cy", "Cy Holm", NS + "Captain", "captain", "person")
FRAM = Seed(NS + "fram", "Fram", NS + "Ship", "ship")


def iri(name: str, label: str) -> Answer:
    return Answer("uri", NS + name, label)


def turn(n: int, predicate: str, said: str, standalone: str, *answers: Answer) -> Turn:
    fact = Fact(NS + predicate, predicate, "out", (), 1, "entity")
    question = Question(fact, standalone, standalone, "other", "model")
    return Turn(n, said, "model", question, Query(f"SELECT ?x {{ {n} }}", "select", "model", answers))


TALK = Talk(
    "d1",
    ADA,
    (
        turn(1, "birth place", "Where was Ada Berg born?", "Where was Ada Berg born?", iri("oslo", "Oslo")),
        turn(2, "ship", "Which ships had she?", "Which ships had Ada Berg?", iri("fram", "Fram"), iri("tor", "Tor")),
        turn(3, "port", "And which port?", "Which port had Ada Berg?", iri("bergen", "Bergen")),
    ),
)

BRIEF = "Answer the question in as few words as possible.\n"
SEVERAL = "If there are several answers, give all of them, separated by semicolons.\n"
BEFORE = "A question may be about what was said before it."
UNSURE = '\nIf you do not know the answer, say "unsure".'
TWO = (
    "\n\nQuestion: Which river flows through Vienna?\nAnswer: the Danube"
    "\n\nQuestion: Which river flows through Ostramora?\nAnswer: unsure"
)


def played(talk: Talk, manner: Manner | None, *replies: str) -> list[Messages]:
    """What the system was sent at each turn, when it replies so."""
    sent: list[Messages] = []
    left = iter(replies)

    def ask(turn: Turn, messages: Messages) -> str:
        assert turn is talk.turns[len(sent)]
        sent.append(messages)
        return next(left)

    play(talk, manner, ask, examples([talk]))
    return sent


def test_the_gold_answers_are_the_history() -> None:
    instruction = ("system", BRIEF + SEVERAL + BEFORE + UNSURE + TWO)
    first = ("user", "Where was Ada Berg born?")
    second = ("user", "Which ships had she?")
    assert played(TALK, Manner(), "Paris", "", "Bergen") == [
        (instruction, first),
        (instruction, first, ("assistant", "Oslo"), second),
        (
            instruction,
            first,
            ("assistant", "Oslo"),
            second,
            ("assistant", "Fram; Tor"),
            ("user", "And which port?"),
        ),
    ]


def test_its_own_replies_are_the_history_and_nothing_counts_as_unsure() -> None:
    sent = played(TALK, Manner(history="own"), " Paris\n", "", "Bergen")
    assert [messages[1:] for messages in sent] == [
        (("user", "Where was Ada Berg born?"),),
        (("user", "Where was Ada Berg born?"), ("assistant", "Paris"), ("user", "Which ships had she?")),
        (
            ("user", "Where was Ada Berg born?"),
            ("assistant", "Paris"),
            ("user", "Which ships had she?"),
            ("assistant", "unsure"),
            ("user", "And which port?"),
        ),
    ]


def test_the_instruction_says_what_was_chosen() -> None:
    def said(manner: Manner) -> str:
        return played(replace(TALK, turns=TALK.turns[:1]), manner, "Oslo")[0][0][1]

    assert said(Manner("zero-shot")) == BRIEF + SEVERAL + BEFORE + UNSURE
    assert said(Manner("zero-shot", brief=False, unsure=False)) == "Answer the question.\n" + SEVERAL + BEFORE
    one = "\n\nQuestion: Which river flows through Vienna?\nAnswer: the Danube"
    assert said(Manner("few-shot", unsure=False)) == BRIEF + SEVERAL + BEFORE + one


def test_a_system_that_is_not_asked_in_words_is_sent_nothing() -> None:
    assert played(TALK, None, "a", "b", "c") == [(), (), ()]


OTHERS = (
    Talk(
        "d2",
        BO,
        (
            turn(1, "birth place", "Where was Bo Lind born?", "Where was Bo Lind born?", iri("malmo", "Malmö")),
            turn(2, "port", "And his port?", "Which port had Bo Lind?", iri("kiel", "Kiel")),
        ),
    ),
    Talk("d3", FRAM, (turn(1, "port", "Which port has Fram?", "Which port has Fram?", iri("narvik", "Narvik")),)),
)


def test_an_example_is_of_the_same_type_and_predicate() -> None:
    find = examples([TALK, *OTHERS])
    assert find(TALK, TALK.turns[2]) == Example("Which port had Bo Lind?", "Kiel")
    assert find(TALK, TALK.turns[0]) == Example("Where was Bo Lind born?", "Malmö")
    # No other captain is asked about ships: any question about a captain will do.
    assert find(TALK, TALK.turns[1]) in (
        Example("Which port had Bo Lind?", "Kiel"),
        Example("Where was Bo Lind born?", "Malmö"),
    )
    assert find(OTHERS[1], OTHERS[1].turns[0]) is None  # there is no other ship


def test_the_example_stands_in_the_place_of_the_one_with_an_answer() -> None:
    sent: list[Messages] = []

    def ask(turn: Turn, messages: Messages) -> str:
        sent.append(messages)
        return "x"

    play(TALK, Manner("in-domain"), ask, examples([TALK, *OTHERS]))
    unknown = "\n\nQuestion: Which river flows through Ostramora?\nAnswer: unsure"
    own = "\n\nQuestion: Which port had Bo Lind?\nAnswer: Kiel"
    assert sent[2][0] == ("system", BRIEF + SEVERAL + BEFORE + UNSURE + unknown + own)
    play(OTHERS[1], Manner("in-domain"), ask, examples([TALK, *OTHERS]))
    capital = "\n\nQuestion: Which river flows through Vienna?\nAnswer: the Danube"
    assert sent[3][0] == ("system", BRIEF + SEVERAL + BEFORE + UNSURE + unknown + capital)


def test_no_example_is_about_the_entity_or_tells_its_answer() -> None:
    """Ada has several questions, as under head-to-tail; the spouse of Bo is Ada, and the spouse of Ada is Bo."""
    again = Talk("d4", ADA, (turn(1, "birth place", "Where?", "Where was Ada Berg born?", iri("oslo", "Oslo")),))
    ada = Talk("d5", ADA, (turn(1, "spouse", "Whom?", "Whom did Ada Berg marry?", iri("bo", "Bo Lind")),))
    bo = Talk("d6", BO, (turn(1, "spouse", "Whom?", "Whom did Bo Lind marry?", iri("ada", "Ada Berg")),))
    cy = Talk("d7", CY, (turn(1, "spouse", "Whom?", "Whom did Cy Holm marry?", iri("di", "Di Aas")),))
    assert examples([TALK, again])(TALK, TALK.turns[0]) is None
    assert examples([ada, bo])(ada, ada.turns[0]) is None
    assert examples([ada, bo])(bo, bo.turns[0]) is None
    assert examples([ada, bo, cy])(ada, ada.turns[0]) == Example("Whom did Cy Holm marry?", "Di Aas")
    # What Bo was asked elsewhere would name the answer to whom Ada married.
    assert examples([ada, OTHERS[0]])(ada, ada.turns[0]) is None


def test_a_question_without_an_answer_is_no_example() -> None:
    nobody = Talk("d8", BO, (turn(1, "birth place", "Where?", "Where was Bo Lind born?"),))
    assert examples([TALK, nobody])(TALK, TALK.turns[0]) is None


def test_the_choice_is_the_same_whatever_the_order_and_the_ids() -> None:
    def port(n: int) -> Talk:
        captain = Seed(f"{NS}c{n}", f"C{n}", ADA.node_type, "captain")
        return Talk(f"m{n}", captain, (turn(1, "port", "?", f"Port of C{n}?", iri(f"p{n}", f"P{n}")),))

    many = [port(n) for n in range(20)]
    chosen = examples(many)(TALK, TALK.turns[2])
    renamed = [replace(talk, id=f"r{talk.id}") for talk in reversed(many)]
    assert examples(renamed)(TALK, TALK.turns[2]) == chosen
    assert chosen is not None
    assert len({examples(many)(one, one.turns[0]) for one in many}) > 5  # others get others


def test_long_lists_of_answers_are_cut() -> None:
    assert shown([iri(str(n), f"N{n}") for n in range(1, 13)]) == (
        "N1; N2; N3; N4; N5; N6; N7; N8; N9; N10; and 2 more"
    )
    assert shown([Answer("literal", "4", "")]) == "4"
    assert shown([]) == ""
