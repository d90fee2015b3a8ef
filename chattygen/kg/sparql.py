r"""SPARQL text: named queries with safely bound terms, and the assertions S1 to S3 (section 5.3).

The engine below accepts more than the standard does: it reads `trueSERVICE <x>` as a literal and a call to a remote
server. So queries are judged by their lexical tokens (SPARQL 1.1, section 19.8), strings and comments told apart, and
whatever could be read in two ways is refused. Nothing here runs a query on data; it knows no store and no model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from importlib import resources

from chattygen.config import RDF_TYPE
from chattygen.domain import XSD, BlankNode, Finding, Iri, Literal, Term
from chattygen.errors import QueryError

MAX_TOKENS = 500
MAX_NESTING = 30
"""A longer or deeper query is refused unparsed: some thousand brackets overflow the stack of the parser."""

UPDATES = frozenset({"INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH"})
BEYOND_SPARQL_11 = frozenset({"LATERAL", "<<", ">>", "{|", "|}"})

# ---------------------------------------------------------------------------------------------------------------------
# Terms


def term_text(term: Term) -> str:
    """`term` in the notation that SPARQL and N-Triples share.

    Raises:
        QueryError: an IRI holds a character that cannot stand in an IRI, or a language tag or blank node label does.
    """
    if isinstance(term, Iri):
        return _iri_text(term.value)
    if isinstance(term, BlankNode):
        if not re.fullmatch(r"\w+", term.value):
            raise QueryError(f"{term.value!r} is not a blank node label", "use letters and digits only")
        return f"_:{term.value}"
    quoted = '"' + re.sub(r'[\\"\n\r\t\b\f]', lambda found: _ESCAPES[found[0]], term.value) + '"'
    if term.lang:
        if not re.fullmatch(r"[A-Za-z]+(-[A-Za-z0-9]+)*", term.lang):
            raise QueryError(f"{term.lang!r} is not a language tag", "use a tag such as en or pt-BR")
        return f"{quoted}@{term.lang}"
    return quoted if term.datatype == XSD + "string" else f"{quoted}^^{_iri_text(term.datatype)}"


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def _iri_text(iri: str) -> str:
    if not re.fullmatch(r'[^<>"{}|^`\\\x00-\x20]+', iri):
        raise QueryError(f"{iri!r} is not an IRI", 'an IRI has no space and none of < > " { } | \\ ^ `')
    return f"<{iri}>"


def can_be_asked(iri: str) -> bool:
    """Whether the IRI can be written in a query: published data hold IRIs with spaces or quotes."""
    try:
        term_text(Iri(iri))
    except QueryError:
        return False
    return True


# ---------------------------------------------------------------------------------------------------------------------
# Named queries


def bind(name: str, **terms: Term | Sequence[Term] | int) -> str:
    """The named query of kg/queries with its `$parameters` bound.

    Args:
        name: file name without `.rq`.
        terms: one value per parameter: a term, a number (LIMIT, OFFSET), or many terms (inside VALUES).

    Raises:
        TypeError: a parameter is missing or unknown.
        QueryError: a term cannot be written safely; a blank node would be a variable and is refused.
    """
    tokens = _template(name)
    wanted = {token.text[1:] for token in tokens if _is_parameter(token)}
    if wanted != set(terms):
        raise TypeError(f"query {name} takes {sorted(wanted)}, got {sorted(terms)}")
    texts = {key: _value_text(value) for key, value in terms.items()}
    return "".join(texts[token.text[1:]] if _is_parameter(token) else token.text for token in tokens)


def _value_text(value: Term | Sequence[Term] | int) -> str:
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Iri | Literal):
        return term_text(value)
    if isinstance(value, BlankNode):
        raise QueryError("a blank node cannot be asked for", "ask for an entity that has an IRI")
    return " ".join(_value_text(term) for term in value)


@cache
def _template(name: str) -> tuple[Token, ...]:
    text = resources.files("chattygen.kg").joinpath("queries", f"{name}.rq").read_text(encoding="utf-8")
    return tuple(_lex(text))


def _is_parameter(token: Token) -> bool:
    return token.kind == "variable" and token.text.startswith("$")


# ---------------------------------------------------------------------------------------------------------------------
# Tokens


@dataclass(frozen=True)
class Token:
    """A lexical token; `kind` is a group name of the pattern below, `start` its offset in the query."""

    kind: str
    text: str
    start: int


_PATTERN = re.compile(
    r"""
      (?P<space>    [ \t\r\n]+ )
    | (?P<comment>  \#[^\r\n]* )
    | (?P<iri>      <[^<>"{}|^`\x00-\x20]*> )
    | (?P<string>   \"\"\"(?:\"{0,2}(?:[^"\\]|\\.))*\"\"\" | '''(?:'{0,2}(?:[^'\\]|\\.))*'''
                  | "(?:[^"\\\r\n]|\\.)*" | '(?:[^'\\\r\n]|\\.)*' )
    | (?P<lang>     @[A-Za-z]+(?:-[A-Za-z0-9]+)* )
    | (?P<variable> [?$]\w+ )
    | (?P<blank>    _:\w(?:[\w.\-]*[\w\-])? )
    | (?P<number>   (?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)? )
    | (?P<name>     (?:[^\W\d_](?:[\w.\-]*[\w\-])?)?:
                    (?:(?:[\w:]|%[0-9A-Fa-f]{2}|\\.)
                       (?:(?:[\w:.\-]|%[0-9A-Fa-f]{2}|\\.)*(?:[\w:\-]|%[0-9A-Fa-f]{2}|\\.))?)? )
    | (?P<word>     [^\W\d]\w* )
    | (?P<mark>     \^\^ | << | >> | \{\| | \|\} | . )
    """,
    re.VERBOSE | re.DOTALL,
)


def _lex(query: str) -> Iterator[Token]:
    """All tokens with spaces and comments; their texts joined are the query."""
    for found in _PATTERN.finditer(query):
        yield Token(str(found.lastgroup), found[0], found.start())


def tokens(query: str) -> tuple[Token, ...]:
    """The tokens that mean something: no spaces, no comments."""
    return tuple(token for token in _lex(query) if token.kind not in ("space", "comment"))


# ---------------------------------------------------------------------------------------------------------------------
# Assertions


def parses(query: str) -> Finding | None:
    """S1 unless the query is SPARQL 1.1, every prefix declared, and small enough to be read here safely.

    The engine would begin to run a call to another server, so such a query is left to S2.
    """
    found = tokens(query)
    if len(found) > MAX_TOKENS or _nesting(found) > MAX_NESTING:
        what = f"the query is too long: at most {MAX_TOKENS} tokens and {MAX_NESTING} nested brackets are read"
        return Finding("S1", what, query[:200])
    for token in found:
        if token.kind in ("word", "mark") and token.text.upper() in BEYOND_SPARQL_11:
            return Finding("S1", f"{token.text} is not part of SPARQL 1.1", token.text)
    declared, used = _names(found)
    for token in used:
        if token.kind == "name" and token.text.partition(":")[0] not in declared:
            return Finding("S1", f"the prefix of {token.text} is not declared", token.text)
    return None if _calls_service(found) else _engine_reads(query)


def read_only(query: str) -> Finding | None:
    """S2 unless the query is a SELECT or ASK over the graph at hand: no update, no SERVICE, no FROM."""
    found = tokens(query)
    service = _calls_service(found)
    if service:
        return Finding("S2", "the query must not call another server (SERVICE)", service.text)
    words = [token.text.upper() for token in found if token.kind == "word"]
    form = next((word for word in words if word not in ("PREFIX", "BASE")), "")
    if form in UPDATES:
        return Finding("S2", f"the query must not change the graph ({form})", form)
    if form not in ("SELECT", "ASK"):
        return Finding("S2", "the query must be a SELECT or an ASK", form)
    if "FROM" in words:
        return Finding("S2", "the query must not name another graph (FROM)", "FROM")
    return None


def foreign_iris(query: str, allowed: AbstractSet[str]) -> tuple[str, ...]:
    """S3: the IRIs of the query that are not `allowed`, in order, each once, prefixed names expanded.

    `a` counts as rdf:type; the datatypes and casts of XML Schema are part of SPARQL and always allowed. A name whose
    prefix is not declared is left to S1.
    """
    declared, used = _names(tokens(query))
    iris: dict[str, None] = {}
    for token in used:
        if token.kind == "iri":
            iris[_decode(token.text[1:-1])] = None
        elif token.kind == "word":
            iris[RDF_TYPE] = None
        else:
            prefix, _, local = token.text.partition(":")
            if prefix in declared:
                iris[declared[prefix] + re.sub(r"\\(.)", r"\1", local)] = None
    return tuple(iri for iri in iris if iri not in allowed and not iri.startswith(XSD))


def _names(found: Sequence[Token]) -> tuple[dict[str, str], list[Token]]:
    """The declared prefixes, and the tokens that stand for an IRI outside declarations: IRIs, names, `a`."""
    declared: dict[str, str] = {}
    used: list[Token] = []
    rest = iter(found)
    for token in rest:
        if token.kind == "word" and token.text.upper() == "PREFIX":
            name, iri = next(rest, token), next(rest, token)
            declared[name.text.partition(":")[0]] = _decode(iri.text[1:-1])
        elif token.kind == "word" and token.text.upper() == "BASE":
            next(rest, None)
        elif token.kind in ("iri", "name") or (token.kind == "word" and token.text == "a"):
            used.append(token)
    return declared, used


def _decode(iri: str) -> str:
    """Code point escapes resolved, which the grammar allows inside an IRI."""
    escape = r"\\u([0-9A-Fa-f]{4})|\\U(000[0-9A-Fa-f]{5}|0010[0-9A-Fa-f]{4})"
    return re.sub(escape, lambda found: chr(int(found[1] or found[2], 16)), iri)


def _calls_service(found: Sequence[Token]) -> Token | None:
    """The first token that is SERVICE or that the engine could read so.

    The engine needs no space between tokens (`trueSERVICE`, `SERVICEex:a`), and takes `1<2)SERVICE#>` for a
    comparison, a keyword and a comment where the standard sees an IRI.
    """
    for token in found:
        text = token.text.upper()
        if token.kind == "word" and "SERVICE" in text:
            return token
        if token.kind == "name" and "SERVICE" in text.partition(":")[0]:
            return token
        if token.kind == "iri" and re.search(r"\).*SERVICE.*#", text):
            return token
    return None


def _nesting(found: Sequence[Token]) -> int:
    depth = deepest = 0
    for token in found:
        depth += (token.text in ("(", "{", "[")) - (token.text in (")", "}", "]"))
        deepest = max(deepest, depth)
    return deepest


def _engine_reads(query: str) -> Finding | None:
    """Let the engine parse the query, over an empty store in memory."""
    from pyoxigraph import Store

    try:
        Store().query(query)
    except (SyntaxError, UnicodeEncodeError) as error:
        return Finding("S1", f"the query is not SPARQL 1.1: {first_line(str(error))}", query[:200])
    return None


def first_line(message: str) -> str:
    """An engine's message on one line of at most 160 characters: its lists of expected characters are of no use."""
    line = " ".join(message.split())
    return line if len(line) <= 160 else line[:157] + "..."
