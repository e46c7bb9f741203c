"""Make the edition of results that may be published while some tasks are private.

The titles and texts of private tasks are removed, and their cases are numbered. A site is made from
this edition alone, so that pages need not know what is private. Rewards, counts and outcomes stay
unchanged, and so does every score. Start with `public_edition`.
"""

import json
import re
import shutil
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import tomlkit

from sitegen.models.finding import finding_ids
from sitegen.models.journal import seed_of
from sitegen.problems import Problem, ProblemsError
from sitegen.publish.machine.packing import CHECKSUMS, packed, sha256_of_bytes
from sitegen.publish.results.edition_digests import (
    PublicDigests,
    former_ids,
    public_digests,
    recorded_findings,
)
from sitegen.publish.results.file_names import (
    ARRIVALS_FILE,
    CHECKS_FILE,
    FINDINGS_FILE,
    RELEASES_FOLDER,
    TASKS_FOLDER,
)
from sitegen.reading.files import unpacked

_UNREADABLE = b'"unreadable"\n'
"""The replacement for a line that can't be assigned to a task; it is invalid in the edition too."""
_TASK_KEYS = ("id", "labels", "digest", "weight")
"""The keys that private tasks keep."""
_ROUND_KEYS = ("n", "labels", "weight")
_CASE_KEYS = ("category",)
_FAILURE_KEYS = (
    "task",
    "attempt",
    "round",
    "status",
    "category",
    "requirement_failed",
    "start",
)
_PROSE_KEY = re.compile(
    "title|summary|reason|note|about|caveats|cause|instruction|requirement|origin|intent|scenario|"
    "input|expected|actual|where|rows?|columns?"
)
"""Matches the keys whose texts may mention any task."""
_SHA256 = re.compile(rb"\b[0-9a-f]{64}\b")

_FILE_ORDER = {FINDINGS_FILE: 1, CHECKSUMS: 2, CHECKS_FILE: 3}
"""The order in which files are rewritten: findings name cases of task sets; digests come last."""

_JsonObject = dict[str, Any]


@contextmanager
def public_edition(
    folder: Path, day: date, home: Path
) -> Iterator[tuple[Path, Callable[[Problem], Problem]]]:
    """Make the edition of a results folder that may be published.

    Args:
        folder: The results.
        day: The day of publication; a task may be private until a certain day.
        home: The folder for the edition, which replaces an earlier edition.

    Yields:
        The folder to publish, which is the given folder if no task is private, and a function that
        returns a problem of the edition with the path of the original file. If the block raises a
        ProblemsError, its paths are replaced in the same way.
    """
    private: dict[str, _PrivateTasks] = {}
    for benchmark in sorted(folder.glob("*/")):
        tasks = _find_private_tasks(benchmark, day)
        if tasks.public_titles:
            private[benchmark.name] = tasks
    edition = home.resolve() / folder.name if private else folder

    def with_original_path(problem: Problem) -> Problem:
        return problem.moved(edition, folder)

    if private:
        shutil.rmtree(home, ignore_errors=True)
        _write_edition(folder, edition, private)
    try:
        yield edition, with_original_path
    except ProblemsError as error:
        raise ProblemsError(list(map(with_original_path, error.problems))) from error


def _write_edition(folder: Path, edition: Path, private: Mapping[str, "_PrivateTasks"]) -> None:
    """Copy the results, and rewrite everything in the copy that mentions private tasks."""
    shutil.copytree(folder, edition, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    digests: dict[str, str] = {}
    for name, tasks in private.items():
        digests |= _Rewriter(tasks).rewrite_benchmark(edition / name)
        _rename_corrections(folder / name, edition / name)
    _rewrite_arrivals(edition / ARRIVALS_FILE, digests)
    _relock_releases(folder, edition, private, digests)


def _find_private_tasks(benchmark: Path, day: date) -> "_PrivateTasks":
    """Return the tasks of a benchmark that are private on a day.

    All tasks that are or were private are numbered in one sequence. A task with an unreadable date
    stays private.
    """
    private = _PrivateTasks()
    numbers: dict[str, int] = {}
    for path in sorted((benchmark / TASKS_FOLDER).glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            task = _parse_object(line) or {}
            name = task.get("id")
            until = task.get("private", False)
            if not until or not isinstance(name, str):
                continue
            number = numbers.setdefault(name, len(numbers) + 1)
            if _is_private_on(until, day):
                private.add(name, task.get("title"), number)
    return private


def _is_private_on(until: object, day: date) -> bool:
    """Return whether a `private` value applies on a day: a later date, or any other true value."""
    if not isinstance(until, str):
        return bool(until)
    try:
        return date.fromisoformat(until) > day
    except ValueError:
        return True


def _replace_texts(
    value: object, replacements: Mapping[str, str], *, is_prose: bool = False
) -> object:
    """Replace texts in the prose of a document, in place; names and numbers stay the same.

    Returns:
        The value, or a new value if it is a text that changed.
    """
    if isinstance(value, dict):
        for key, inner_value in list(value.items()):
            is_prose_key = bool(_PROSE_KEY.fullmatch(key))
            new_value = _replace_texts(inner_value, replacements, is_prose=is_prose_key)
            if new_value is not inner_value:
                value[key] = new_value
    elif isinstance(value, list):
        for index, inner_value in enumerate(value):
            new_value = _replace_texts(inner_value, replacements, is_prose=is_prose)
            if new_value is not inner_value:
                value[index] = new_value
    elif is_prose and isinstance(value, str):
        return _replace_in_text(value, replacements)
    return value


def _replace_in_text(text: str, replacements: Mapping[str, str]) -> str:
    """Return a text with whole words replaced, longest first; the same object if none occurs."""
    if not any(replaced in text for replaced in replacements):
        return text
    by_length = sorted(replacements, key=len, reverse=True)
    alternatives = "|".join(map(re.escape, by_length))
    pattern = rf"(?<!\w)(?:{alternatives})(?!\w)"
    return re.sub(pattern, lambda match: replacements[match[0]], text)


@dataclass(slots=True)
class _PrivateTasks:
    """The private tasks of a benchmark, and the public names of their parts.

    Cases are numbered in the order in which they are found, so the numbers depend on the order in
    which files are rewritten (see `_rewriting_order`).
    """

    public_titles: dict[str, str] = field(default_factory=dict)
    """The public title of each task, by its id."""
    public_titles_by_private: dict[str, str] = field(default_factory=dict)
    """The public title of each task, by its private title."""
    public_cases: defaultdict[str, dict[str, str]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """The public names of cases by their private names, for each task and all submissions."""
    public_rounds: defaultdict[str, dict[str, str]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """The public names of rounds by their private titles, for each task; used in findings."""

    def is_private(self, task: object) -> bool:
        """Return whether a value is the id of a private task."""
        return task in self.public_titles

    def add(self, task: str, title: object, number: int) -> None:
        """Add a task, given its public id and its private title."""
        public_title = self.public_titles.setdefault(task, f"Private task {number}")
        if title and title != task:
            self.public_titles_by_private[str(title)] = public_title

    def add_round(self, task: str, title: str, number: int) -> None:
        """Add a round of a task, given the round's private title."""
        self.public_rounds[task][title] = f"round {number}"

    def name_case(self, task: str, name: str) -> str:
        """Return the public name of a case; the first call for a case assigns its number."""
        cases = self.public_cases[task]
        return cases.setdefault(name, f"case-{len(cases) + 1}")

    def find_case_owner(self, name: str, tasks: Iterable[str]) -> str | None:
        """Return the first of the given private tasks that is known to have the case, if any."""
        return next((task for task in tasks if name in self.public_cases[task]), None)


@dataclass(frozen=True, slots=True)
class _Rewriter:
    """Replaces private details of tasks in a benchmark's files."""

    private: _PrivateTasks

    def rewrite_benchmark(self, benchmark: Path) -> dict[str, str]:
        """Rewrite a benchmark's files in place.

        Returns:
            The SHA-256 of each rewritten file, by the SHA-256 of the original file.
        """
        digests: dict[str, str] = {}
        paths = [path for path in benchmark.rglob("*") if path.is_file() and not path.is_symlink()]
        for path in sorted(paths, key=_rewriting_order):
            original = path.read_bytes()
            rewritten = self._rewrite_file(path, original, digests)
            path.write_bytes(rewritten)
            digests[sha256_of_bytes(original)] = sha256_of_bytes(rewritten)
        return digests

    def _rewrite_file(self, path: Path, original: bytes, digests: Mapping[str, str]) -> bytes:
        """Return the public content of a file; a file without private content stays unchanged."""
        try:
            text = unpacked(path, original)
        except ProblemsError:
            return _UNREADABLE
        public_text = self._rewrite_text(path, text, digests)
        if public_text == text:
            return original
        return packed(public_text) if path.suffix == ".gz" else public_text

    def _rewrite_text(self, path: Path, text: bytes, digests: Mapping[str, str]) -> bytes:
        """Return the public text of a file; the file name determines what is replaced."""
        if path.name == CHECKSUMS:
            return _replace_digests(text, digests)
        if path.name == CHECKS_FILE:
            lines = text.splitlines(keepends=True)
            return b"".join(_public_check(line, digests) for line in lines)
        if path.parent.name == TASKS_FOLDER:
            return self._rewrite_lines(text, "id", self._public_task)
        match path.name.split(".")[0]:
            case "rounds" | "runs":
                return self._rewrite_lines(text, "task", self._public_record)
            case "failures":
                return self._rewrite_lines(text, "task", self._public_failure)
            case _:
                return self._rewrite_document(text) if path.suffix == ".toml" else text

    def _rewrite_lines(
        self, text: bytes, key: str, publish: Callable[[_JsonObject], _JsonObject]
    ) -> bytes:
        """Return JSON Lines with public versions of the lines about private tasks.

        Args:
            text: The lines.
            key: The key with the id of a line's task.
            publish: Returns the public form of the object on a line about a private task.
        """
        lines = []
        for line in text.splitlines(keepends=True):
            try:
                public_line = self._rewrite_line(line, key, publish)
            except (KeyError, TypeError, AttributeError):
                public_line = _UNREADABLE
            lines.append(public_line)
        return b"".join(lines)

    def _rewrite_line(
        self, line: bytes, key: str, publish: Callable[[_JsonObject], _JsonObject]
    ) -> bytes:
        record = _parse_object(line)
        if record is None:
            return _UNREADABLE if line.strip() else line
        if self.private.is_private(record.get(key)):
            return _write_object(publish(record))
        original = _write_object(record)
        rewritten = _write_object(_replace_texts(record, self.private.public_titles_by_private))
        return line if rewritten == original else rewritten

    def _public_task(self, task: _JsonObject) -> _JsonObject:
        rounds = [self._public_round(task["id"], task_round) for task_round in task["rounds"]]
        return {
            **_only(task, _TASK_KEYS),
            "private": True,
            "title": self.private.public_titles[task["id"]],
            "rounds": rounds,
        }

    def _public_round(self, task: str, task_round: _JsonObject) -> _JsonObject:
        public_round = _only(task_round, _ROUND_KEYS)
        title = task_round.get("title")
        if title:
            self.private.add_round(task, title, task_round["n"])
        cases = task_round.get("cases")
        if cases:
            public_round["cases"] = [self._public_case(task, case) for case in cases]
        return public_round

    def _public_case(self, task: str, case: _JsonObject) -> _JsonObject:
        return {"id": self.private.name_case(task, case["id"]), **_only(case, _CASE_KEYS)}

    def _public_record(self, record: _JsonObject) -> _JsonObject:
        public_record = {key: value for key, value in record.items() if key != "cause"}
        names = record.get("case_ids")
        if names:
            public_record["case_ids"] = [
                self.private.name_case(record["task"], name) for name in names
            ]
        return public_record

    def _public_failure(self, failure: _JsonObject) -> _JsonObject:
        case = self.private.name_case(failure["task"], failure["case"])
        return {**_only(failure, _FAILURE_KEYS), "case": case}

    def _rewrite_document(self, text: bytes) -> bytes:
        """Return a TOML file with public titles in its texts, and public case names in findings."""
        try:
            document = tomlkit.parse(text)
            _replace_texts(document, self.private.public_titles_by_private)
            for finding in document.get("findings", ()):
                self._rewrite_finding(finding)
        except (ValueError, TypeError, AttributeError):
            return _UNREADABLE
        return tomlkit.dumps(document).encode()

    def _rewrite_finding(self, finding: _JsonObject) -> None:
        """Replace the case names of private tasks in a finding and its texts, in place."""
        tasks = list(finding.get("tasks", ()))
        private_tasks = [task for task in tasks if self.private.is_private(task)]
        if not private_tasks:
            return
        has_public_task = len(private_tasks) < len(tasks)
        cases: dict[str, None] = {}  # a set that keeps its order
        for name in finding.get("cases", ()):
            owner = self.private.find_case_owner(name, private_tasks)
            if owner is None and has_public_task:
                cases[name] = None
            else:
                cases[self.private.name_case(owner or private_tasks[0], name)] = None
        if cases:
            finding["cases"] = list(cases)
        for task in private_tasks:
            rounds = self.private.public_rounds[task]
            _replace_texts(finding, rounds | self.private.public_cases[task])


def _rewriting_order(path: Path) -> tuple[int, bool, Path]:
    """Return the sort key of a file: task sets come first, because they determine case names."""
    return _FILE_ORDER.get(path.name, 0), path.parent.name != TASKS_FOLDER, path


def _parse_object(line: bytes) -> _JsonObject | None:
    """Return the JSON object on a line; None if the line is not a JSON object."""
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _write_object(record: object) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode(errors="surrogatepass") + b"\n"


def _only(record: _JsonObject, keys: Sequence[str]) -> _JsonObject:
    return {key: record[key] for key in keys if key in record}


def _replace_digests(text: bytes, digests: Mapping[str, str]) -> bytes:
    """Return a text with the digests of original files replaced by those of public files."""

    def public_digest(match: re.Match[bytes]) -> bytes:
        digest = match[0].decode()
        return digests.get(digest, digest).encode()

    return _SHA256.sub(public_digest, text)


def _public_check(line: bytes, digests: Mapping[str, str]) -> bytes:
    """Return a line about a check with public digests, and with a new seed if the seed was right.

    A wrong seed stays wrong, so that readers of the edition report it as well.
    """
    public_line = _replace_digests(line, digests)
    check = _parse_object(line)
    public_check = _parse_object(public_line)
    if check is None or public_check is None or check.get("seed") != _expected_seed(check):
        return public_line
    return _write_object({**public_check, "seed": _expected_seed(public_check)})


def _expected_seed(check: _JsonObject) -> str:
    """Return the seed that follows from the other values of a check."""
    return seed_of(str(check.get("base")), str(check.get("digest")), check.get("nonce"))


def _rewrite_arrivals(path: Path, digests: Mapping[str, str]) -> None:
    """Replace the digests in the journal of arrivals, unless its hash chain is broken."""
    if not path.is_file():
        return
    public_lines: list[bytes] = []
    previous_line = b""
    previous_public_line = b""
    for line in path.read_bytes().splitlines():
        arrival = _parse_object(line)
        if not arrival or arrival.get("before") != sha256_of_bytes(previous_line):
            return
        digest = digests.get(arrival.get("digest", ""), arrival.get("digest"))
        before = sha256_of_bytes(previous_public_line.rstrip(b"\n"))
        previous_line = line
        previous_public_line = _write_object({**arrival, "digest": digest, "before": before})
        public_lines.append(previous_public_line)
    path.write_bytes(b"".join(public_lines))


def _rename_corrections(benchmark: Path, edition: Path) -> None:
    """Replace the ids of corrected findings, since ids depend on titles that may have changed."""
    original = recorded_findings(benchmark)
    public = recorded_findings(edition)
    if not any(finding.corrects for finding in public):
        return
    # Both can be read, since there are public findings, and an edition has the same number of
    # findings.
    public_ids = dict(zip(finding_ids(original), finding_ids(public), strict=True))
    path = edition / FINDINGS_FILE
    document = tomlkit.parse(path.read_text(encoding="utf-8"))
    for finding in document["findings"]:
        if finding.get("corrects") in public_ids:
            finding["corrects"] = public_ids[finding["corrects"]]
    path.write_text(tomlkit.dumps(document), encoding="utf-8")


def _relock_releases(
    folder: Path,
    edition: Path,
    private: Mapping[str, _PrivateTasks],
    file_digests: Mapping[str, str],
) -> None:
    """Replace the digests and texts of private tasks in an edition's releases.

    Args:
        folder: The results.
        edition: Their public edition.
        private: Private tasks, by the benchmark's id.
        file_digests: SHA-256 of each file of the edition, by the SHA-256 of the original file.
    """
    releases = sorted((edition / RELEASES_FOLDER).glob("*.toml"))
    if not releases:
        return
    public: dict[str, tuple[_PrivateTasks, PublicDigests]] = {}
    for name, tasks in private.items():
        digests = public_digests(folder / name, edition / name, file_digests)
        for benchmark_id in (name, *former_ids(folder / name)):
            public[benchmark_id] = (tasks, digests)
    for path in releases:
        _relock_release(path, public)


def _relock_release(path: Path, public: Mapping[str, tuple[_PrivateTasks, PublicDigests]]) -> None:
    """Replace digests and private titles in a release; keys of `public` include former ids."""
    try:
        release = tomllib.loads(path.read_text(encoding="utf-8"))
        for benchmark in release["benchmarks"]:
            if benchmark["id"] not in public:
                continue
            tasks, digests = public[benchmark["id"]]
            _replace_texts(benchmark, tasks.public_titles_by_private)
            digests.apply(benchmark)
            title = release.get("title", "")
            public_titles = tasks.public_titles_by_private
            release["title"] = _replace_texts(title, public_titles, is_prose=True)
    except (ValueError, KeyError, TypeError, AttributeError):
        return  # the reader of the release reports this
    release.pop("arrivals", None)
    path.write_text(tomlkit.dumps(release), encoding="utf-8")
