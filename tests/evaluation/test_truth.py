"""Yes and no: what decides, in which languages, and what says neither."""

from __future__ import annotations

import pytest

from chattygen.evaluation.truth import truth

YES = """
Yes | yes. | **Yes** | Yes, he was. | Yeah | True | Correct. | That is true. | It's correct.
That is not false. | It is not wrong. | yes, yes
The answer is yes. | Ja | Ja, das stimmt. | Oui | Sí | si | Sì | Sim | Vrai | Waar | 是 | 是的。 | 对 | 没错
はい | はい、そうです。
Yes, although no one knew. | Not false
"""

NO = """
No | no. | "No" | No, he was not. | No, it is not true that he was: yes, I checked. | Nope | False
Incorrect. | That is not true. | It isn't true.
That is false. | It was not correct. | The answer is no. | Not true. | Nein | Nein, nie. | Non | Não
não, nunca | Nee | Faux | Falso | 不是 | 否 | 不。 | 没有
いいえ | いいえ、違います。 | No, yes was never right
"""

NEITHER = """
Yes and no | yes or no | Yes/No | ja oder nein | no, and yes | maybe | He was. | He was not. | Paris
It is not clear | 1912 | not sure | not | Norway | Yesterday
Nothing | Truetype |
"""


def listed(text: str) -> list[str]:
    return [one.strip() for one in text.strip("\n").replace("\n", " | ").split(" | ")]


@pytest.mark.parametrize("reply", listed(YES))
def test_yes(reply: str) -> None:
    assert truth(reply) is True


@pytest.mark.parametrize("reply", listed(NO))
def test_no(reply: str) -> None:
    assert truth(reply) is False


@pytest.mark.parametrize("reply", listed(NEITHER))
def test_neither(reply: str) -> None:
    assert truth(reply) is None
