"""Missing replies: what says that there is no answer, and what only looks so. All lists are made by hand."""

from __future__ import annotations

import pytest

from chattygen.evaluation.missing import is_missing, without_lead

UNSURE = """
unsure | Unsure. | "unsure" | “Unsure” | **Unsure** | UNSURE | unsure (not enough information)
Answer: unsure | A: Unsure
unknown | Unknown. | not sure | Not sure! | uncertain | unclear | undetermined | not known | not available
not applicable
N/A | n/a. | n.a. | idk | dunno | no idea | No idea. | no clue | no answer | no comment | no answer found
no data available
No information available. | cannot determine | can't say | hard to say | I pass | Sorry. | I'm sorry.
I don't know. | I don’t know | I dont know | I Don't Know | I DO NOT KNOW | i do not know
I really don't know. | I dunno
I do not know who wrote it. | I don't know Ada Berg. | I don't remember | I have no idea.
I've never heard of Ada Berg.
I'm not sure. | I’m not sure who that was. | im not sure | I am not certain about this, sorry. | I'm unsure
I am unaware of this.
I'm not familiar with Ada Berg. | I am unable to determine the answer. | I was unable to find it.
I'm not able to answer that.
I do not have the exact date. | I don't have enough information to answer. | I don't have access to that data.
I can’t find any record of this. | I cannot answer that question. | I won't answer that.
I could not find this information.
As an AI language model, I do not have information about that.
As an AI language model I don't have access to real-time data.
As an AI, I cannot give personal details. | As of my last update in 2021, there is no information about this.
I'm sorry, but I cannot help with that. | I'm sorry, I don't have that information. | Sorry, I can't say.
I'm afraid I don't know.
I'm afraid that I don't know that. | I apologize, but I am not able to answer. | Unfortunately, I do not know.
Unfortunately I don't know
There is no information available about this person. | There's no record of that. | There are no records.
No evidence was found.
Not enough information. | Insufficient data. | Insufficient information to answer the question.
It is not known when he was born. | It's unclear. | It is unknown. | It's not possible to say. | Nobody knows.
No one knows.
The answer is unknown. | The answer is not known. | I think the answer is unknown.
The exact date is unknown to me.
The birth date of Ada Berg is not publicly known. | Her birth date has not been disclosed.
This information is not available.
The Eiffel Tower's first owner is unknown. | Please provide more context. | Could you please clarify the question?
The question is ambiguous. | The provided context does not mention it. | We do not know.
My knowledge does not cover this.
"""

UNSURE_ELSEWHERE = """
Ich weiß es nicht. | Ich weiss es nicht | Das weiß ich leider nicht. | Unbekannt | keine Ahnung
Nicht bekannt. | Keine Angabe | k.A.
Leider habe ich keine Informationen dazu. | Ich habe dazu leider keine Daten.
Ich kann diese Frage leider nicht beantworten.
Ich bin mir nicht sicher. | Als KI-Sprachmodell habe ich keine Informationen.
Es tut mir leid, aber ich weiß es nicht.
Das Geburtsdatum ist nicht bekannt. | Dazu liegen keine Informationen vor.
Ich bin nicht in der Lage, das zu beantworten.
Je ne sais pas. | je ne sais pas exactement | Inconnu | Inconnue. | Aucune idée. | Je l’ignore. | Je n’en sais rien
Je n’ai pas d’information à ce sujet. | Je n'ai aucune information. | Désolé, je ne sais pas | Je ne suis pas sûr.
La date est inconnue. | La date de naissance n'est pas connue. | Il n'y a aucune information disponible.
En tant que modèle de langage, je ne peux pas répondre.
Je suis désolée, mais je ne peux pas répondre à cette question.
No lo sé. | no se | No sé | Desconocido | Ni idea. | No estoy seguro | No tengo ni idea
No hay información disponible.
Lo siento, no tengo información sobre eso. | Lo siento, pero no puedo responder a esa pregunta. | Se desconoce.
La fecha de nacimiento es desconocida. | Como modelo de lenguaje, no tengo acceso a esos datos.
Non lo so. | Non so | Sconosciuto | Boh | Non ne ho idea. | Mi dispiace, non ho informazioni su questo.
Non è noto.
Non sono sicuro. | Non posso rispondere. | La data di nascita non è nota. | Purtroppo non ho informazioni.
Não sei. | nao sei | Desconhecido | Não tenho certeza. | Não há informações.
Desculpe, não tenho informações sobre isso.
Infelizmente, não consigo responder. | Não faço ideia. | A data de nascimento é desconhecida.
Ik weet het niet. | Weet ik niet | Onbekend | Geen idee. | Dat weet ik niet.
Ik heb geen informatie hierover. | n.v.t.
Sorry, maar ik heb geen informatie hierover. | Helaas kan ik deze vraag niet beantwoorden.
De geboortedatum is onbekend.
我不知道。 | 不知道 | 不确定 | 未知 | 我不太清楚。 | 抱歉，我无法回答这个问题。 | 对不起，我不知道。
出生日期不详。
作为一个人工智能语言模型，我没有相关信息。 | 没有相关信息。 | 我沒有足夠的資料，無法回答。
わかりません。 | 分かりません | 不明 | 不明です。 | 知りません | 申し訳ありませんが、その情報は持っていません。
その質問には答えられません。 | すみません、わかりません。 | 生年月日は不明です。 | 回答できません
"""

ANSWERS = """
Paris | 0 | None | none | Nobody | No | No. | No, he was not. | Nein | Non | Não | いいえ | Yes, it is known.
Sure | True
The Unknown Soldier | The Unknown
"I Don't Know Why" is a song by Stevie Wonder.
Unknown: Ghost of a Chance | Unknown Pleasures | Unknown Mortal Orchestra | I'm Not There
I’m Not There | Missing
I Don't Know How She Does It | I Don’t Know How to Love Him | There Is No Evil | No One Knows What It Means
No One Else
I Can't Get No Satisfaction | (I Can't Get No) Satisfaction | Not Fade Away | Not Available Light
No Country for Old Men
Sorry Not Sorry | Certain Women | The Man Who Wasn't There | No Information Society | Nobody Else But You
Paris, but I am not sure. | Paris (unsure) | It was probably Paris, though I do not know.
Marie Curie, I think. I'm not certain.
I'm not sure, but I think it is Paris. | I'm not sure but I think it's Paris
I don't know exactly. It might be Paris.
I don't know for sure, but my best guess is Paris. | I do not have the exact date, but it was in 1912.
Unknown, possibly Paris
I am not certain; perhaps Paris. | I'm sorry, but the answer is Paris. | As an AI language model, I say Paris.
The town is not known for its wine | It is not unknown Paris | The man who was not there | I cannot live without you
Ich glaube, es ist Paris. | Ich weiß nicht genau, aber ich glaube, es war Paris. | Keiner | Niemand
Unbekannte Heldin
Je pense que c'est Paris. | Je ne suis pas sûr, mais je pense que c'est Paris. | Personne | Nadie | Nada
Nessuno | Ninguém
No estoy seguro, pero creo que es París. | Non sono sicuro, ma credo che sia Parigi.
Não tenho certeza, mas acho que é Paris.
Ik weet het niet zeker, maar ik denk Parijs. | Non ho l'età | No tengo dinero | Niemand
我不知道，但可能是巴黎 | 巴黎 | わかりませんが、たぶんパリです | パリ | 東京だと思います
"""


def listed(text: str) -> list[str]:
    return [one.strip() for line in text.strip().splitlines() for one in line.split(" | ")]


@pytest.mark.parametrize("reply", listed(UNSURE))
def test_unsure(reply: str) -> None:
    assert is_missing(reply)


@pytest.mark.parametrize("reply", listed(UNSURE_ELSEWHERE))
def test_unsure_in_other_languages(reply: str) -> None:
    assert is_missing(reply)


@pytest.mark.parametrize(
    "reply", ["", " ", "\n\n", ".", "...", "?", "-", "--", "**", "…", "()", "？", "Answer:", "A: ..."]
)
def test_empty(reply: str) -> None:
    assert is_missing(reply)


@pytest.mark.parametrize("reply", listed(ANSWERS))
def test_answers(reply: str) -> None:
    assert not is_missing(reply)


def test_a_long_reply_counts_by_its_beginning() -> None:
    assert is_missing("I don't know.\n\nHowever, you can search a library catalogue for the works of this author.")
    assert not is_missing("Marie Curie discovered polonium.\nI don't know who discovered radium.")


@pytest.mark.parametrize(
    ("reply", "rest"),
    [
        ("Answer: Paris", "Paris"),
        ("A: Paris", "Paris"),
        ("**Answer:** Paris", "Paris"),
        ("Antwort : Paris", "Paris"),
        ("答案：巴黎", "巴黎"),
        ("Final answer: Paris", "Paris"),
        ("Aida: an opera", "Aida: an opera"),
        ("Mission: Impossible", "Mission: Impossible"),
        ("Paris", "Paris"),
    ],
)
def test_what_introduces_an_answer(reply: str, rest: str) -> None:
    assert without_lead(reply) == rest
