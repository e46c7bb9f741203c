"""Make one-line titles of rounds from their requests, written in third-party Markdown."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from sitegen.importers.kit.redaction import one_line

LONGEST = 120
"""Maximum length of a title, in characters."""

_MAX_SENTENCES = 8
"""Maximum number of sentences of a request that are considered for its title."""

_MARKER = re.compile(r"#{1,6}\s+|[-*+>]\s+|\d+[.)]\s+")
"""The Markdown marker at the start of a heading, a list item or a quotation."""

_RULE = re.compile(r"[-*_=\s]{3,}")
_NUMBER = re.compile(
    r"^(?:round|step|checkpoint|target|turn)\s*\d+\s*(?:[:.\u2013\u2014-]+\s*|$)", re.IGNORECASE
)
"""A round number at the start of a title; it is removed because pages already show it."""

_CODE = re.compile(r"(`+)(.+?)\1")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(
    r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|</?[a-zA-Z][^<>]*>|\\(?=[^\w\s])|`"
)
_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)[.!?](?=\s+[^a-z\s]|$)")
"""The end of a sentence; text that continues in lower case belongs to the same sentence."""


def titles_of(requests: Sequence[str]) -> list[str]:
    """Return a title for each request of a task.

    A title is the request's first sentence or heading that no other request contains, or its first
    sentence if other requests contain all of them. It is empty for a request without text.
    """
    sentences_of_requests = [list(islice(_sentences(text), _MAX_SENTENCES)) for text in requests]
    request_counts = Counter[str]()
    for sentences in sentences_of_requests:
        request_counts.update(set(sentences))
    titles = []
    for sentences in sentences_of_requests:
        unshared = (sentence for sentence in sentences if request_counts[sentence] == 1)
        title = next(unshared, sentences[0] if sentences else "")
        titles.append(title)
    return titles


def _sentences(text: str) -> Iterator[str]:
    """Yield sentences and headings without markup; long sentences are cut between words."""
    pending = ""
    for block in _blocks(text):
        pending = f"{pending} {block}".lstrip()
        if pending.endswith(":") and len(pending) < LONGEST:
            continue  # the next block completes the sentence
        for sentence in _END.split(pending):
            bare = sentence.strip(" :.;,")
            if bare:
                yield _shortened(one_line(bare, LONGEST * 10))
        pending = ""
    if pending:
        yield one_line(pending.rstrip(" :"), LONGEST)


def _shortened(sentence: str) -> str:
    """Return a sentence; if too long for a title, it is cut between words, with an ellipsis."""
    if len(sentence) <= LONGEST:
        return sentence
    beginning = sentence[:LONGEST].rpartition(" ")[0].rstrip(" :.;,(")
    return f"{beginning or sentence[: LONGEST - 1]}…"


def _blocks(text: str) -> Iterator[str]:
    """Yield headings, list items and paragraphs as plain text, without code and round numbers."""
    paragraph: list[str] = []
    is_code = False
    for line in (*text.splitlines(), ""):
        bare = line.strip()
        is_fence = bare.startswith(("```", "~~~"))
        is_code ^= is_fence
        is_separator = not bare or is_fence or _RULE.fullmatch(bare) is not None
        marker = _MARKER.match(bare)
        if paragraph and (is_separator or marker):
            yield " ".join(paragraph)
            paragraph = []
        if is_separator or is_code:
            continue
        content = bare[marker.end() :] if marker else bare
        plain = _NUMBER.sub("", _without_markup(content), count=1)
        if plain and marker and bare.startswith("#"):
            yield plain
        elif plain:
            paragraph.append(plain)


def _without_markup(line: str) -> str:
    """Return a line without markup; text between backticks is otherwise unchanged."""
    pieces: list[str] = []
    end = 0
    for code in _CODE.finditer(line):
        pieces += [_without_emphasis(line[end : code.start()]), code[2]]
        end = code.end()
    pieces.append(_without_emphasis(line[end:]))
    return "".join(pieces).strip()


def _without_emphasis(text: str) -> str:
    return _MARKUP.sub("", _LINK.sub(r"\1", text))
