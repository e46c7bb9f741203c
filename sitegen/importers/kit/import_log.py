"""Collect the messages of an import: problems and notes for the user, caveats for readers."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rules import ASSUMED, FILE_BROKEN, VERSION_NEWER
from sitegen.importers.kit.versions import is_newer
from sitegen.models.outcome import Start
from sitegen.problems import Problem, ProblemsError, Rule, counted, errors_of, grouped, listed

T = TypeVar("T")

_SKIPPED = "skipped: "

_MAX_SHOWN_WARNINGS = 10
"""Maximum number of warnings shown for one rule; the rest are counted."""

_MAX_SHOWN_ERRORS = 100
"""Maximum number of errors shown for one rule; higher, since the user must fix every error."""

Doubt = tuple[Rule, str]
"""A rule that a source breaks, and a fact for the rule's caveat; the fact may be empty."""

_MAX_CAVEAT_FACTS = 5
"""Maximum number of facts that a caveat shows; the rest are counted."""
_MAX_FACT_LENGTH = 400


def caveats_of(doubts: Iterable[Doubt]) -> tuple[str, ...]:
    """Return a bundle's caveats: one sentence per broken rule that has a caveat, in rule order."""
    facts: defaultdict[Rule, dict[str, None]] = defaultdict(dict)
    for rule, fact in doubts:
        if rule.caveat:
            facts[rule][one_line(fact, _MAX_FACT_LENGTH)] = None
    caveats = []
    for rule in sorted(facts, key=lambda rule: rule.order or rule.code):
        shown_facts = listed(facts[rule], _MAX_CAVEAT_FACTS, more="; and {} more", separator="; ")
        caveats.append(rule.caveat.format(shown_facts))
    return tuple(caveats)


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """The location to which a caveat applies, in an agent's runs or in the tasks of all agents."""

    whose: Hashable
    """The agent; None for all agents of the import."""
    place: str = ""
    """The location as named in a caveat; empty for all runs of the agent."""
    words: str = ""
    """The location as named in a message, if different from `place`."""
    start: Start = "own"

    def __str__(self) -> str:
        """Return the location as named in a message."""
        names = map(str, filter(None, (self.whose, self.place)))
        return self.words or " at ".join(names)


@dataclass(frozen=True, slots=True)
class ResultDoubt:
    """A rule that a round or run breaks."""

    rule: Rule
    path: Path
    location: SourceLocation | str
    """The round or run; a plain string, used only in messages, if readers do not need a caveat."""
    fact: str
    """A further fact; empty if the rule is clear without it."""

    def __str__(self) -> str:
        """Return the location and the fact, as shown in a message."""
        return f"{self.location}: {self.fact}" if self.fact else f"{self.location}"


@dataclass(slots=True)
class ImportLog:
    """Collects the messages of an import about its source."""

    root: Path
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Notes about results that were found or skipped in the source and why, one line each."""
    doubts: list[ResultDoubt] = field(default_factory=list)
    """Faults of rounds or runs, reported together as one problem for each rule."""
    faults: dict[tuple[Rule, Path, str], tuple[Problem, int]] = field(default_factory=dict)
    """Faults that several lines may have: the first problem of each kind, and the number of lines.

    The keys are the rule, the file and the kind of fault.
    """
    caveat_facts: defaultdict[Hashable, list[Doubt]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Facts for caveats about a run or an agent, by its key; None is the key for all agents."""

    def collect(self, result: tuple[T, Iterable[Problem]]) -> T:
        """Add the problems of a (value, problems) pair, and return the value."""
        value, problems = result
        self.problems += problems
        return value

    def add(
        self, rule: Rule, path: Path, message: str, line: int | None = None, kind: str | None = None
    ) -> None:
        """Add a problem.

        Args:
            rule: The broken rule.
            path: The file or folder.
            message: The fact.
            line: The line in the file.
            kind: The kind of fault; only the first fault of a kind in a file is shown, with the
                number of other faults.
        """
        problem = rule.broken(path, line, message)
        if kind is None:
            self.problems.append(problem)
            return
        key = (rule, path, kind)
        first_problem, count = self.faults.get(key, (problem, 0))
        self.faults[key] = (first_problem, count + 1)

    def add_caveat(self, whose: Hashable, rule: Rule, fact: str = "") -> None:
        """Add a caveat to the bundle of a run or an agent; to every bundle if `whose` is None."""
        self.caveat_facts[whose].append((rule, fact))

    def add_with_caveat(
        self, rule: Rule, path: Path, message: str, whose: Hashable, fact: str
    ) -> None:
        """Add a problem, and a caveat as `add_caveat` does."""
        self.add(rule, path, message)
        self.add_caveat(whose, rule, fact)

    def assume(self, fact: str, whose: Hashable = None) -> None:
        """Note an assumption of the import, and add it as a caveat.

        Args:
            fact: The assumption, as a clause: "column `resolved` is the reward".
            whose: The agent or run whose bundle gets the caveat; None for every bundle.
        """
        self.note_assumption(fact)
        self.add_caveat(whose, ASSUMED, fact)

    def note_assumption(self, fact: str) -> None:
        """Note an assumption of the import for which another rule adds the caveat."""
        note = f"assumed: {fact}"
        if note not in self.notes:
            self.notes.append(note)

    def warn_if_newer(
        self, runner: str, version: str | float | None, newest: str | float, whose: Hashable = None
    ) -> None:
        """Warn if the format version of a source is newer than the newest known version.

        Args:
            runner: The subject of the version: "Inspect's log format".
            version: The version that the source states; None if it does not state a version.
            newest: The newest version with which this importer was checked.
            whose: As in `assume`.
        """
        if version is None or not is_newer(str(version), str(newest)):
            return
        fact = f"{runner} {one_line(str(version))}; the newest supported version is {newest}"
        if (VERSION_NEWER, fact) not in self.caveat_facts[whose]:
            self.add_with_caveat(VERSION_NEWER, self.root, fact, whose, fact)

    def name(self, path: Path) -> str:
        """Return a path relative to the source, as shown in messages."""
        inner = path.relative_to(self.root) if path.is_relative_to(self.root) else Path(path.name)
        return one_line(inner.as_posix() if inner.parts else path.absolute().name)

    def note_passed_over(self, why: str, paths: Sequence[Path]) -> None:
        """Note which files were not imported, and why."""
        if not paths:
            return
        location = self.name(min(paths))
        if len(paths) > 1:
            location = f"{location} and {counted(len(paths) - 1, 'other place')}"
        self.notes.append(f"{_SKIPPED}{location} ({why})")

    def stop_at_nothing(self, rule: Rule, message: str, fix: str | None = None) -> None:
        """Raise the error for a source with nothing to import, listing the skipped files.

        Raises:
            ProblemsError: Always, if the rule is an error.
        """
        passed_over = [note for note in self.notes if note.startswith(_SKIPPED)]
        message = "; ".join((message, *passed_over))
        self.problems.append(rule.broken(self.root, None, message, fix))
        self.stop_at_errors()

    def add_doubt(
        self, rule: Rule, path: Path, location: SourceLocation | str, fact: str = ""
    ) -> None:
        """Note a fault of a round or a run."""
        self.doubts.append(ResultDoubt(rule, path, location, fact))

    def caveats(
        self,
        whose: Hashable,
        runs: Collection[Path] = (),
        starts: Collection[Start] = ("own", "reference"),
    ) -> tuple[str, ...]:
        """Return the caveats of an agent's bundle.

        Args:
            whose: The agent.
            runs: Folders of the runs in the bundle.
            starts: States from which the bundle's rounds started.
        """
        doubts: list[Doubt] = []
        for key in dict.fromkeys((None, whose, *runs)):
            doubts += self.caveat_facts.get(key, ())
        for doubt in self.doubts:
            spot = doubt.location
            if not isinstance(spot, SourceLocation) or spot.start not in starts:
                continue
            if spot.whose in (whose, None):
                doubts.append((doubt.rule, _caveat_fact(spot, doubt.fact)))
        folders = set(runs)
        for problem in self.problems:
            if FILE_BROKEN.is_broken_by(problem) and not folders.isdisjoint(problem.path.parents):
                doubts.append((FILE_BROKEN, problem.path.name))
        return caveats_of(doubts)

    def all_problems(self) -> tuple[Problem, ...]:
        """Return the problems; if many break one rule, the first few and the number of the rest."""
        problems = [*self._fault_problems(), *self._first_problems()]
        doubts_by_rule = grouped((doubt.rule, doubt) for doubt in self.doubts)
        for same_doubts in doubts_by_rule.values():
            first = same_doubts[0]
            messages = dict.fromkeys(map(str, same_doubts))
            shown = _max_shown(is_error=first.rule.severity == "error")
            message = listed(messages, shown, more="; and {} more", separator="; ")
            problems.append(first.rule.broken(first.path, None, message))
        return tuple(problems)

    def _fault_problems(self) -> Iterator[Problem]:
        """Yield a problem for each kind of fault, with the number of rows that have the fault."""
        for problem, count in self.faults.values():
            message = problem.what
            if count > 1:
                message = f"{message}; the same applies to {counted(count - 1, 'more row')}"
            yield replace(problem, what=message)

    def _first_problems(self) -> Iterator[Problem]:
        """Yield the first problems of each rule; the last message states the number of the rest."""
        totals = Counter((problem.code, problem.fix) for problem in self.problems)
        counts = Counter[tuple[str, str]]()
        for problem in self.problems:
            # Rules with the same code differ in their fix.
            rule_key = (problem.code, problem.fix)
            counts[rule_key] += 1
            shown = _max_shown(is_error=problem.is_error)
            hidden = totals[rule_key] - shown
            if counts[rule_key] == shown and hidden > 0:
                yield replace(problem, what=f"{problem.what}; and {hidden} more such places")
            elif counts[rule_key] <= shown:
                yield problem

    def stop_at_errors(self) -> None:
        """Raise if any of the problems is an error.

        Raises:
            ProblemsError: Carries all problems, including warnings.
        """
        problems = self.all_problems()
        if errors_of(problems):
            raise ProblemsError(problems)


def _caveat_fact(spot: SourceLocation, fact: str) -> str:
    """Return a location and a fact, formatted for a caveat."""
    if spot.place and fact:
        return f"{spot.place} ({fact})"
    return spot.place or fact


def _max_shown(*, is_error: bool) -> int:
    return _MAX_SHOWN_ERRORS if is_error else _MAX_SHOWN_WARNINGS
