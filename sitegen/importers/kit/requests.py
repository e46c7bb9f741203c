"""What a round asks for, in a line: a title made of its request, which is Markdown that somebody else wrote."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from sitegen.importers.kit.redaction import one_line

LONGEST = 120

_LOOKED_AT = 8
"""Sentences of a request that its title is chosen from."""

_MARKER = re.compile(r"#{1,6}\s+|[-*+>]\s+|\d+[.)]\s+")
"""What a heading, a point of a list or a quotation begins with."""

_RULE = re.compile(r"[-*_=\s]{3,}")
_NUMBER = re.compile(
    r"^(?:round|step|checkpoint|target|turn)\s*\d+\s*(?:[:.\u2013\u2014-]+\s*|$)", re.IGNORECASE
)
"""What tells a round's number, which stands beside its title anyway."""

_CODE = re.compile(r"(`+)(.+?)\1")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(
    r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|</?[a-zA-Z][^<>]*>|\\(?=[^\w\s])|`"
)
_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)[.!?](?=\s+[^a-z\s]|$)")
"""Where a sentence ends: what begins in lower case goes on."""


def titles_of(requests: Sequence[str]) -> list[str]:
    """A title for each request of a task: its first sentence or heading, or the next that is not another's, too."""
    told = [list(islice(_sentences(text), _LOOKED_AT)) for text in requests]
    shared = Counter(sentence for sentences in told for sentence in {*sentences})
    return [
        next((each for each in own if shared[each] == 1), own[0] if own else "") for own in told
    ]


def _sentences(text: str) -> Iterator[str]:
    """Sentences and headings without markup, cut between words where they are long."""
    begun = ""
    for block in _blocks(text):
        begun = f"{begun} {block}".lstrip()
        if begun.endswith(":") and len(begun) < LONGEST:  # it says what comes
            continue
        for sentence in filter(None, (each.strip(" :.;,") for each in _END.split(begun))):
            whole = one_line(sentence, LONGEST * 10)
            cut = whole[:LONGEST].rpartition(" ")[0].rstrip(" :.;,(") or whole[: LONGEST - 1]
            yield whole if len(whole) <= LONGEST else f"{cut}…"
        begun = ""
    if begun:
        yield one_line(begun.rstrip(" :"), LONGEST)


def _blocks(text: str) -> Iterator[str]:
    """Headings, points and paragraphs in plain words; not those that give a number only, nor code."""
    paragraph: list[str] = []
    is_code = False
    for line in (*text.splitlines(), ""):
        bare = line.strip()
        is_fence = bare.startswith(("```", "~~~"))
        is_code ^= is_fence
        begun = _MARKER.match(bare)
        if paragraph and (not bare or begun or is_fence or _RULE.fullmatch(bare)):
            yield " ".join(paragraph)
            paragraph = []
        if not bare or is_code or is_fence or _RULE.fullmatch(bare):
            continue
        words = _NUMBER.sub("", _plain(bare[begun.end() :] if begun else bare), count=1)
        if words and begun and bare.startswith("#"):
            yield words
        elif words:
            paragraph.append(words)


def _plain(line: str) -> str:
    """A line without markup; what stands between backticks is kept as it is."""
    kept: list[str] = []
    end = 0
    for code in _CODE.finditer(line):
        kept += [_MARKUP.sub("", _LINK.sub(r"\1", line[end : code.start()])), code[2]]
        end = code.end()
    kept.append(_MARKUP.sub("", _LINK.sub(r"\1", line[end:])))
    return "".join(kept).strip()
