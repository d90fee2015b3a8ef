"""Facts and their values as JSON, for the columns of the results database that hold them, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from chattygen.domain import Beyond, Fact, Iri, Literal, Value

Stored = dict[str, Any]


def value_to(value: Value) -> Stored:
    """An IRI has neither datatype nor language."""
    term = value.term
    if isinstance(term, Iri):
        kind = {"type": "uri", "value": term.value, "datatype": "", "lang": ""}
    else:
        kind = {"type": "literal", "value": term.value, "datatype": term.datatype, "lang": term.lang}
    return {**kind, "label": value.label, "type_label": value.type_label}


def value_from(stored: Stored) -> Value:
    is_iri = stored["type"] == "uri"
    term = Iri(stored["value"]) if is_iri else Literal(stored["value"], stored["datatype"], stored["lang"])
    return Value(term, stored["label"], stored["type_label"])


def fact_to(fact: Fact) -> Stored:
    return {**vars(fact), "values": [value_to(value) for value in fact.values]}


def fact_from(stored: Stored) -> Fact:
    return Fact(**{**stored, "values": tuple(value_from(value) for value in stored["values"])})


def beyond_to(beyond: Beyond) -> Stored:
    return {"kind": beyond.kind, "fact": fact_to(beyond.fact), "asked": fact_to(beyond.asked)}


def beyond_from(stored: Stored) -> Beyond:
    return Beyond(stored["kind"], fact_from(stored["fact"]), fact_from(stored["asked"]))


def dumps(value: Any) -> str:
    """JSON as people read it: text of any script is kept as it is."""
    return json.dumps(dict(value) if isinstance(value, Mapping) else value, ensure_ascii=False)
