"""Find private data in texts: secrets, home folders, e-mail addresses, and deceptive characters.

`private_problems` returns the problems of a file. `may_be_private` is a fast filter that matches
hardly any text; only lines that it matches are searched closely.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from sitegen.models.submission import Submission
from sitegen.problems import Problem, Rule, counted, limited
from sitegen.reading.files import read_bytes
from sitegen.reading.secrets import find_secrets, hint_patterns, without_secrets
from sitegen.reading.secrets.rule import Hints
from sitegen.reading.toml import Document, parsed

_NAME = r"([^\W_][\w.-]{0,63})"
HOME_ROOTS = (
    r"/(?:[a-z]|data\d{0,3}|disk\d{0,3}|raid\d{0,3}|ssd\d{0,3}|nvme\w{0,6}|vol\w{0,10}|var|mnt|nfs"
    r"|net|export|usr|srv|lustre|gpfs|beegfs|afs|fs|cluster|work|scratch|storage|shared|private"
    r"|media|cygdrive|Volumes)(?:/[\w.-]{1,40})?"
)
"""Parents of home folders on servers and clusters, and mount points of Windows drives."""
_ENCODED_SLASH = r"%(?:25)?2[Ff]"
_WINDOWS_SLASH = r"(?:\\+|/+|%(?:25)?5[Cc])"
_HOMES = re.compile(
    rf"(?<![\w.])/(?:home|Users)/{_NAME}"
    rf"|(?:(?<=file://)|(?<![\w./])){HOME_ROOTS}/(?:home|Users)/{_NAME}"
    rf"|(?:(?<=%2[Ff])|(?<![\w.%]))(?:{_ENCODED_SLASH}[\w.-]{{1,40}}){{0,2}}"
    rf"{_ENCODED_SLASH}(?:home|Users){_ENCODED_SLASH}{_NAME}"
    rf"|\b[A-Za-z](?::|%3[Aa]){_WINDOWS_SLASH}(?i:Users){_WINDOWS_SLASH}{_NAME}"
    rf"|\\{{2,4}}[\w.$-]{{1,60}}(?:\\+[\w.$-]{{1,60}})?\\+(?:home|Users)\\+{_NAME}"
)
"""Paths of home folders; the one group that matches is the account name."""

_ACCOUNTS = (
    "admin agent app appuser bench build builder ci circleci coder debian default dev developer "
    "docker ec2-user eval gitpod jenkins jovyan linuxbrew me model node nonroot nobody openhands "
    "public python root runner sandbox shared student swe-agent test tester ubuntu user username "
    "users vagrant vscode work worker workspace you"
)
_SHARED_ACCOUNTS = frozenset(_ACCOUNTS.split())
"""Account names that do not identify a person."""

DECEPTIVE = re.compile(r"[\x1b\x9b\u202a-\u202e\u2066-\u2069]")
"""Characters that change the direction of text or control a terminal."""

_EMAIL = re.compile(r"\b[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b")
_IMPERSONAL_EMAIL = re.compile(
    r"(?:git|no-?reply|donotreply)@.*|.*@(?:.*\.)?(?:example\.(?:com|org|net)|noreply\.github\.com)"
    r"|.*@.*\.(?:example|invalid|local|localhost|internal"
    r"|png|jpe?g|gif|svg|webp|js|mjs|ts|css|json)",
    re.IGNORECASE,
)
"""Addresses that do not belong to a person, and file names with an @."""

_PERSONAL_HINTS = (
    r"/home/[^/\s\"'\\]",
    r"/Users/[^/\s\"'\\]",
    r":\\\\*(?i:users)",
    r":/[/]*(?i:users)",
    r":%(?:25)?5[Cc]",
    r"%3[Aa]%(?:25)?5[Cc]",
    r"\\/(?:home|Users)\\/",
    r"\\home\\",
    r"\\Users\\",
    r"home%(?:25)?2[Ff]",
    r"Users%(?:25)?2[Ff]",
    r"@[A-Za-z0-9-]+\.[A-Za-z]",
)
_ESCAPES = r"\\(?:u|U0000)(?:00(?:1[bB]|9[bB]|[2-7])|202[a-eA-E]|206[6-9])"
"""Escapes of plain letters, digits and signs, which can hide any text, and deceptive characters."""
_DECEPTIVE_HINT = r"[\x1b\x{9b}\x{202a}-\x{202e}\x{2066}-\x{2069}]"


@cache
def _hints(*, is_ascii: bool) -> Hints:
    """Return the hints of private data; ASCII text is not searched for deceptive characters."""
    deceptive = () if is_ascii else (_DECEPTIVE_HINT,)
    return Hints((*hint_patterns(), *_PERSONAL_HINTS, _ESCAPES, *deceptive))


def may_be_private(text: bytes) -> bool:
    """Return whether a UTF-8 text, such as lines of JSON, needs a closer search; hardly any does.

    Args:
        text: A text of any length; lists of failed cases take hundreds of megabytes. Plain ASCII
            is not searched for raw control characters, since JSON and TOML contain none.
    """
    return _hints(is_ascii=text.isascii()).are_in(text)


def keys_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each secret in a text."""
    for secret in find_secrets(text):
        yield secret.kind, text[secret.start : secret.stop]


def homes_in(text: str) -> Iterator[str]:
    """Yield the home folders in a text that contain a person's name."""
    for match in _HOMES.finditer(text):
        account = next(filter(None, match.groups())).rstrip(".")
        if account.lower() not in _SHARED_ACCOUNTS:
            yield match[0]


def emails_in(text: str) -> Iterator[str]:
    """Yield the e-mail addresses of people in a text."""
    if "@" not in text:
        return
    # Secrets are removed first because a password in a web address is followed by an @, too.
    for match in _EMAIL.finditer(without_secrets(text)):
        if not _IMPERSONAL_EMAIL.fullmatch(match[0]):
            yield match[0]


def without_emails(text: str, replacement: str) -> str:
    """Return a text with people's e-mail addresses replaced."""
    if "@" not in text:
        return text

    def replace_personal(match: re.Match[str]) -> str:
        return match[0] if _IMPERSONAL_EMAIL.fullmatch(match[0]) else replacement

    return _EMAIL.sub(replace_personal, text)


_MANIFEST_NAME = "submission.toml"

SECRET_FOUND = Rule.error(
    "SECRET-FOUND",
    "A file contains a key, a password or another secret.",
    "revoke the secret, write `[redacted]` in its place, and run `sha256sum` over the bundle's "
    "files again",
    unwaivable="a published secret can't be taken back; leave the text out even if it is not a "
    "secret",
)
PERSONAL_PATH = Rule.warning(
    "PERSONAL-PATH",
    "A file contains the path of a person's home folder.",
    "replace the folders with `…/`, and run `sha256sum` over the bundle's files again",
)
PERSONAL_EMAIL = Rule.warning(
    "PERSONAL-EMAIL",
    "A file contains an e-mail address other than `submitter.contact`.",
    "remove the address, or set it as `submitter.contact`",
)
TEXT_DECEPTIVE = Rule.warning(
    "TEXT-DECEPTIVE",
    "A text contains characters that change its direction or control a terminal.",
    "remove the characters, and run `sha256sum` over the bundle's files again",
)

_MAX_SHOWN_LENGTH = 4
"""Maximum number of characters of a secret that messages show; at most a quarter is shown."""


def _beginning(secret: str) -> str:
    """Return the characters of a secret that messages may show."""
    return secret[: min(_MAX_SHOWN_LENGTH, len(secret) // 4)]


SuspectLines = Sequence[tuple[int, str]]
"""Lines that need a closer search: the number of each, from 1, and its texts without escapes."""


def private_problems(path: Path, data: bytes) -> list[Problem]:
    """Return the secrets, home folders, e-mail addresses and deceptive characters of a text.

    The manifest's addresses are left to `email_problems`, which knows the submitter's contact.
    """
    lines = _suspect_lines(data)
    problems = list(_secret_problems(path, lines))
    problems += _problem_of_file(PERSONAL_PATH, path, lines, "a home folder", homes_in)
    if path.name != _MANIFEST_NAME:
        problems += _problem_of_file(PERSONAL_EMAIL, path, lines, "an e-mail address", emails_in)
    problems += _problem_of_file(
        TEXT_DECEPTIVE, path, lines, "deceptive characters", _deceptive_characters_in
    )
    return problems


def secret_problems(path: Path, data: bytes) -> list[Problem]:
    """Return a problem for each kind of secret in a text."""
    return list(_secret_problems(path, _suspect_lines(data)))


def _secret_problems(path: Path, lines: SuspectLines) -> Iterator[Problem]:
    problems = []
    for number, text in lines:
        for kind, secret in keys_in(text):
            fact = f"the file contains {kind}: {_beginning(secret)}…"
            problems.append(SECRET_FOUND.broken(path, number, fact))
    return limited(problems)


def _deceptive_characters_in(text: str) -> Iterator[str]:
    for match in DECEPTIVE.finditer(text):
        yield f"U+{ord(match[0]):04X}"


_CHUNK_SIZE = 64 * 1024
"""Bytes that are searched together before their lines are searched."""


def _suspect_lines(data: bytes) -> SuspectLines:
    """Return the lines that need a closer search."""
    lines = []
    first_number = 1
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _CHUNK_SIZE) + 1 or len(data)
        chunk = data[start:end]
        if may_be_private(chunk):
            for number, line in enumerate(chunk.split(b"\n"), start=first_number):
                if may_be_private(line):
                    lines.append((number, _unescaped(line)))
        first_number += chunk.count(b"\n")
        start = end
    return lines


def file_problems(paths: Sequence[Path]) -> Iterator[Problem]:
    """Yield the private data in files; a file that can't be read is reported by its own reader."""
    for path in paths:
        data, _ = read_bytes(path)
        yield from private_problems(path, data or b"")


def email_problems(manifest: Document[Submission]) -> Iterator[Problem]:
    """Yield the e-mail addresses in a manifest, except the submitter's contact."""
    submitter = manifest.raw.get("submitter")
    text = manifest.places.text
    contact = str(submitter.get("contact")) if isinstance(submitter, Mapping) else ""
    for address in dict.fromkeys(emails_in(text)):
        if address not in contact:
            line = text.count("\n", 0, text.index(address)) + 1
            fact = f"the file contains an e-mail address: {address}"
            yield PERSONAL_EMAIL.broken(manifest.path, line, fact)


def _problem_of_file(
    rule: Rule,
    path: Path,
    lines: SuspectLines,
    content: str,
    find_private: Callable[[str], Iterator[str]],
) -> list[Problem]:
    """Return one problem for all lines of a file with one kind of content, or no problem.

    A program repeats such texts on every line, so one problem per line would help nobody.

    Args:
        rule: The rule that the file breaks.
        path: The file.
        lines: Its lines that need a closer search.
        content: What the rule is about, such as "an e-mail address".
        find_private: Yields the texts in a line that break the rule.
    """
    examples = []
    for number, text in lines:
        example = next(find_private(text), None)
        if example:
            examples.append((number, example))
    if not examples:
        return []
    number, example = examples[0]
    fact = f"{counted(len(examples), 'line')} with {content}, first {example}"
    return [rule.broken(path, number, fact)]


def _unescaped(line: bytes) -> str:
    """Return the unescaped texts in a line of JSON or TOML; the line unchanged if it is neither."""
    text = line.decode(errors="replace")
    for parse in (json.loads, parsed):
        try:
            return "\n".join(_texts(parse(text)))
        except (ValueError, RecursionError):
            pass
    return text


def _texts(value: object) -> Iterator[str]:
    """Yield the texts in a value, each after its key, which may name a secret."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, str):
                yield f"{key} = {item}"
            else:
                yield str(key)
                yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
