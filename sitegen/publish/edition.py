"""Results as the public may have them: without the titles and texts of private tasks, and their cases by numbers.

All that a site shows or offers is made of this edition, so that no page has to know what it must not tell. Rewards,
counts and outcomes stay, and with them every score.
"""

import hashlib
import json
import re
import shutil
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import tomlkit

from sitegen.models.finding import finding_ids
from sitegen.problems import Problem, ProblemsError
from sitegen.publish.edition_locks import (
    PublicLocks,
    former_ids,
    public_locks,
    recorded_findings,
)
from sitegen.publish.packing import packed
from sitegen.reading.files import unpacked

_SUMS, _FINDINGS, _CHECKS, _ARRIVALS = (
    "SHA256SUMS",
    "findings.toml",
    "checks.jsonl",
    "arrivals.jsonl",
)
_UNREADABLE = b'"unreadable"\n'
"""In the place of what nobody can tell what it is about: it is wrong there, too."""
_TASK = ("id", "labels", "digest", "weight")
_ROUND = ("n", "labels", "weight")
_CASE = ("category",)
_FAILURE = ("task", "attempt", "round", "status", "category", "requirement_failed", "start")
"""What is told of private tasks. Of rounds and runs it is all that has no text in it."""
_PROSE = re.compile(
    "title|summary|reason|note|about|caveats|cause|instruction|requirement|origin|intent|scenario|input|expected|actual|"
    "where|rows?|columns?"
)
"""Keys of texts: what stands there may speak of any task."""
_HEX = re.compile(rb"\b[0-9a-f]{64}\b")

_Line = dict[str, Any]


@contextmanager
def public_edition(
    folder: Path, day: date, home: Path
) -> Iterator[tuple[Path, Callable[[Problem], Problem]]]:
    """Make the edition of a results folder that may be published.

    Args:
        folder: The results.
        day: The day of publishing; tasks may be private until one.
        home: Where the edition is written, in the place of an earlier one.

    Yields:
        The folder to publish, which is the one given where no task is private; and what gives a problem found there
        the path of the file that it is about. Problems that are raised have it.
    """
    private = {
        path.name: found
        for path in sorted(folder.glob("*/"))
        if (found := _private_tasks(path, day)).titles
    }
    edition = home.resolve() / folder.name if private else folder

    def at_home(problem: Problem) -> Problem:
        return problem.moved(edition, folder)

    if private:
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(folder, edition, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        digests: dict[str, str] = {}
        for name, tasks in private.items():
            digests |= tasks.withhold(edition / name)
            _rename_corrections(folder / name, edition / name)
        _renew_arrivals(edition / _ARRIVALS, digests)
        _relock_releases(folder, edition, private, digests)
    try:
        yield edition, at_home
    except ProblemsError as error:
        raise ProblemsError([at_home(each) for each in error.problems]) from error


def _private_tasks(benchmark: Path, day: date) -> "_Private":
    """Find the private tasks of a benchmark, numbered with those that were; a day that can't be read never comes."""
    found, numbers = _Private(), dict[str, int]()
    for path in sorted((benchmark / "tasks").glob("*.jsonl")):
        for line in filter(None, map(_read, path.read_bytes().splitlines())):
            until, name = line.get("private", False), line.get("id")
            if until and isinstance(name, str):
                numbers.setdefault(name, len(numbers) + 1)
            with suppress(TypeError, ValueError):
                until = date.fromisoformat(until) > day
            if until and name in numbers:
                found.titles.setdefault(name, f"Private task {numbers[name]}")
                if (title := line.get("title")) and title != name:  # its id is no secret
                    found.words[str(title)] = found.titles[name]
    return found


def _reworded(value: object, words: Mapping[str, str], *, is_prose: bool = False) -> object:
    """What a file holds, with other words in its texts; names and numbers as they are."""
    if isinstance(value, dict):
        for key, inner in list(value.items()):
            if (now := _reworded(inner, words, is_prose=bool(_PROSE.fullmatch(key)))) is not inner:
                value[key] = now
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            if (now := _reworded(inner, words, is_prose=is_prose)) is not inner:
                value[place] = now
    elif is_prose and isinstance(value, str) and any(each in value for each in words):
        some = "|".join(re.escape(each) for each in sorted(words, key=len, reverse=True))
        return re.sub(rf"(?<!\w)(?:{some})(?!\w)", lambda found: words[found[0]], value)
    return value


@dataclass(frozen=True, slots=True)
class _Private:
    titles: dict[str, str] = field(default_factory=dict)
    """What each is called in public, by its id."""
    words: dict[str, str] = field(default_factory=dict)
    """The same by the title that it has."""
    cases: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    """What the cases of each are called, in every submission."""
    rounds: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    """What the rounds of each are called where findings speak of them, by title."""

    def withhold(self, benchmark: Path) -> dict[str, str]:
        """Rewrite a benchmark's files in place; gives the digests that they have, by those that they had."""
        digests: dict[str, str] = {}
        files = [path for path in benchmark.rglob("*") if path.is_file() and not path.is_symlink()]
        last = {_FINDINGS: 1, _SUMS: 2, _CHECKS: 3}
        # Task sets name the cases first; findings speak of any, and what tells digests comes last.
        for path in sorted(
            files, key=lambda path: (last.get(path.name, 0), path.parent.name != "tasks", path)
        ):
            was = path.read_bytes()
            try:
                text = unpacked(path, was)
            except ProblemsError:
                now = _UNREADABLE
            else:
                left = self._withheld(path, text, digests)
                now = was if left == text else packed(left) if path.suffix == ".gz" else left
            path.write_bytes(now)
            digests[_digest(was)] = _digest(now)
        return digests

    def _withheld(self, path: Path, text: bytes, digests: Mapping[str, str]) -> bytes:
        if path.name in {_SUMS, _CHECKS}:
            renewed = _HEX.sub(
                lambda found: digests.get(found[0].decode(), found[0].decode()).encode(), text
            )
            return (
                renewed
                if path.name == _SUMS
                else b"".join(map(_drawn_anew, renewed.splitlines(keepends=True)))
            )
        match path.name.split(".")[0]:
            case _ if path.parent.name == "tasks":
                return self._rewritten(text, "id", self._task)
            case "rounds" | "runs":
                return self._rewritten(text, "task", self._record)
            case "failures":
                return self._rewritten(text, "task", self._failure)
        return self._document(text) if path.suffix == ".toml" else text

    def _rewritten(self, text: bytes, key: str, change: Callable[[_Line], _Line]) -> bytes:
        """Change the lines that are about private tasks."""
        lines = []
        for line in text.splitlines(keepends=True):
            found = _read(line)
            try:
                if found is None:
                    now = _UNREADABLE if line.strip() else line
                elif found.get(key) in self.titles:
                    now = _line(change(found))
                else:
                    was = _line(found)
                    now = line if (told := _line(_reworded(found, self.words))) == was else told
            except (KeyError, TypeError, AttributeError):
                now = _UNREADABLE
            lines.append(now)
        return b"".join(lines)

    def _task(self, line: _Line) -> _Line:
        rounds = [_only(each, _ROUND) for each in line["rounds"]]
        for told, each in zip(rounds, line["rounds"], strict=True):
            if title := each.get("title"):
                self.rounds[line["id"]][title] = f"round {each['n']}"
            if cases := each.get("cases"):
                told["cases"] = [
                    {"id": self._case(line["id"], case["id"]), **_only(case, _CASE)}
                    for case in cases
                ]
        return {
            **_only(line, _TASK),
            "private": True,
            "title": self.titles[line["id"]],
            "rounds": rounds,
        }

    def _record(self, line: _Line) -> _Line:
        told = {key: value for key, value in line.items() if key != "cause"}
        if names := line.get("case_ids"):
            told["case_ids"] = [self._case(line["task"], name) for name in names]
        return told

    def _failure(self, line: _Line) -> _Line:
        return {**_only(line, _FAILURE), "case": self._case(line["task"], line["case"])}

    def _case(self, task: str, name: str) -> str:
        return self.cases[task].setdefault(name, f"case-{len(self.cases[task]) + 1}")

    def _document(self, text: bytes) -> bytes:
        """Reword what people write, and name cases in findings as everywhere."""
        try:
            document = tomlkit.parse(text)
            _reworded(document, self.words)
            for finding in document.get("findings", ()):
                named = list(finding.get("tasks", ()))
                if private := [task for task in named if task in self.titles]:
                    cases = [
                        self._public_case(name, private, named) for name in finding.get("cases", ())
                    ]
                    if cases:
                        finding["cases"] = list(dict.fromkeys(cases))
                    for task in private:
                        _reworded(finding, self.rounds[task] | self.cases[task])
        except (ValueError, TypeError, AttributeError):
            return _UNREADABLE
        return tomlkit.dumps(document).encode()

    def _public_case(self, name: str, private: list[str], named: list[str]) -> str:
        """What a case is called that a finding names, of whichever of its tasks has it."""
        owner = next((task for task in private if name in self.cases[task]), None)
        return (
            name
            if owner is None and len(private) < len(named)
            else self._case(owner or private[0], name)
        )


def _read(line: bytes) -> _Line | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _line(record: object) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode(errors="surrogatepass") + b"\n"


def _only(line: _Line, keys: Iterable[str]) -> _Line:
    return {key: line[key] for key in keys if key in line}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _drawn_anew(line: bytes) -> bytes:
    """A line about a check, with the seed of what it is about now."""
    found = _read(line)
    if not found or "digest" not in found:
        return line
    seed = _digest(f"{found.get('base')}:{found['digest']}".encode())
    return _line({**found, "seed": seed})


def _renew_arrivals(path: Path, digests: Mapping[str, str]) -> None:
    """Make the chain of arrivals anew, if it is whole."""
    if not path.is_file():
        return
    lines, before = list[bytes](), (b"", b"")
    for line in path.read_bytes().splitlines():
        found = _read(line)
        if not found or found.get("before") != _digest(before[0]):
            return
        digest = digests.get(found.get("digest", ""), found.get("digest"))
        lines.append(_line({**found, "digest": digest, "before": _digest(before[1].rstrip(b"\n"))}))
        before = (line, lines[-1])
    path.write_bytes(b"".join(lines))


def _rename_corrections(benchmark: Path, edition: Path) -> None:
    """Name corrected findings as the edition does: names follow from titles, which may be others there."""
    before, after = recorded_findings(benchmark), recorded_findings(edition)
    if not any(finding.corrects for finding in after):
        return
    names = dict(zip(finding_ids(before), finding_ids(after), strict=True))
    path = edition / _FINDINGS
    document = tomlkit.parse(path.read_text(encoding="utf-8"))
    for finding in document["findings"]:
        if finding.get("corrects") in names:
            finding["corrects"] = names[finding["corrects"]]
    path.write_text(tomlkit.dumps(document), encoding="utf-8")


def _relock_releases(
    folder: Path, edition: Path, private: Mapping[str, _Private], files: Mapping[str, str]
) -> None:
    """Make the releases of an edition hold its files and its words.

    Args:
        folder: The results.
        edition: Their public edition.
        private: Private tasks, by the benchmark's id.
        files: SHA-256 of each file of the edition, by that of the original file.
    """
    releases = sorted((edition / "releases").glob("*.toml"))
    if not releases:
        return
    public: dict[str, tuple[_Private, PublicLocks]] = {}
    for name, tasks in private.items():
        locks = public_locks(folder / name, edition / name, files)
        public |= dict.fromkeys((name, *former_ids(folder / name)), (tasks, locks))
    for path in releases:
        _relock(path, public)


def _relock(path: Path, public: Mapping[str, tuple[_Private, PublicLocks]]) -> None:
    """Make a release hold the public files of benchmarks, by the ids that they have or had."""
    try:
        release = tomllib.loads(path.read_text(encoding="utf-8"))
        for benchmark in release["benchmarks"]:
            if benchmark["id"] in public:
                tasks, locks = public[benchmark["id"]]
                _reworded(benchmark, tasks.words)
                locks.apply(benchmark)
                release["title"] = _reworded(release.get("title", ""), tasks.words, is_prose=True)
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
    ):  # whoever reads the release reports it
        return
    release.pop("arrivals", None)
    path.write_text(tomlkit.dumps(release), encoding="utf-8")
