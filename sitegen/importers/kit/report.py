"""What an import says of its source: problems and notes for who imports it, caveats for the readers of its bundles."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rules import ASSUMED, FILE_BROKEN, VERSION_NEWER
from sitegen.importers.kit.versions import is_newer
from sitegen.models.outcome import Start
from sitegen.problems import Problem, ProblemsError, Rule, counted, errors_of, grouped, listed

T = TypeVar("T")

_PASSED_OVER = "passed over: "

_SHOWN = 10
"""Things of one kind that are named in a line; the others are counted."""

_SHOWN_OF_ERRORS = 100
"""The same of errors: whoever mends them needs to know each."""


Doubt = tuple[Rule, str]
"""A rule that a source breaks, and the fact as readers of one bundle are told it; empty where the rule says it all."""

_SHOWN_OF_CAVEATS, _LONGEST = 5, 400
"""Facts told of one rule, and the characters of one; the other facts are counted."""


def caveats_of(doubts: Iterable[Doubt]) -> tuple[str, ...]:
    """What was odd about a bundle's source: a sentence for each broken rule that readers hear of, by its code."""
    facts: defaultdict[Rule, dict[str, None]] = defaultdict(dict)
    for rule, fact in doubts:
        if rule.caveat:
            facts[rule][one_line(fact, _LONGEST)] = None
    return tuple(
        rule.caveat.format(
            listed(facts[rule], _SHOWN_OF_CAVEATS, more="; and {} more", separator="; ")
        )
        for rule in sorted(facts, key=lambda each: each.code)
    )


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the runs of one agent, or in the tasks of all: readers of a bundle are told what is doubtful there."""

    whose: Hashable
    """The agent; None for every agent of the import."""
    place: str = ""
    """As readers of the bundle are told it; empty for all of its runs."""
    words: str = ""
    """As a message names it, where that differs."""
    start: Start = "own"

    def __str__(self) -> str:
        return self.words or " at ".join(map(str, filter(None, (self.whose, self.place))))


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule that one of many rounds or runs breaks."""

    rule: Rule
    path: Path
    where: Spot | str
    """The round or run, or its name in messages where it concerns no reader."""
    what: str
    """The fact; empty where the rule's name says it all."""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.what else f"{self.where}"


@dataclass(slots=True)
class Report:
    """Collects what is said of a source."""

    root: Path
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What was found in it, what was passed over and why, a line each."""
    doubts: list[Breach] = field(default_factory=list)
    """What is wrong with single rounds or runs: told together, a problem for each rule."""
    faults: dict[tuple[str, Path, str], tuple[Problem, int]] = field(default_factory=dict)
    """What is wrong with many lines of a file in the same way: the first of them, and how many there are."""
    told: defaultdict[Hashable, list[Doubt]] = field(default_factory=lambda: defaultdict(list))
    """What readers are told of a run or an agent, by what names it; of every agent by None."""

    def take(self, found: tuple[T, Iterable[Problem]]) -> T:
        """Keep the problems of something that was read, and go on with it."""
        value, problems = found
        self.problems += problems
        return value

    def add(
        self, rule: Rule, path: Path, what: str, line: int | None = None, kind: str | None = None
    ) -> None:
        """Add a problem; those of a rule that are of one kind are one fault, however many lines have it."""
        problem = rule.broken(path, line, what)
        if kind is None:
            self.problems.append(problem)
        else:
            first, times = self.faults.get((rule.code, path, kind), (problem, 0))
            self.faults[rule.code, path, kind] = first, times + 1

    def tell(self, whose: Hashable, rule: Rule, fact: str = "") -> None:
        """Tell the readers of a run's or an agent's bundle what is doubtful about it."""
        self.told[whose].append((rule, fact))

    def say(self, rule: Rule, path: Path, what: str, whose: Hashable, fact: str) -> None:
        """Add a problem, and tell the readers of a run's or an agent's bundle of it."""
        self.add(rule, path, what)
        self.tell(whose, rule, fact)

    def assume(self, fact: str, whose: Hashable = None) -> None:
        """Note something that the import assumed, and keep it as a caveat.

        Args:
            fact: What was assumed, as a clause: "column `resolved` is the reward".
            whose: The agent or run whose bundle carries the caveat; None for every bundle of the import.
        """
        self.note_assumption(fact)
        self.tell(whose, ASSUMED, fact)

    def note_assumption(self, fact: str) -> None:
        """Say that the import assumed something of which a rule of its own keeps the caveat."""
        note = f"assumed: {fact}"
        if note not in self.notes:
            self.notes.append(note)

    def newer_version(
        self, runner: str, version: str | float | None, newest: str | float, whose: Hashable = None
    ) -> None:
        """Warn where a source is of a newer version of its runner's format than the newest that is known here.

        Args:
            runner: Whose version it is: "Inspect's log format".
            version: The version that the source states, if it states one.
            newest: The newest version that this importer was checked with.
            whose: As in `assume`.
        """
        if version is None or not is_newer(str(version), str(newest)):
            return
        fact = f"{runner} {one_line(str(version))}; the newest known here is {newest}"
        if (VERSION_NEWER, fact) not in self.told[whose]:
            self.say(VERSION_NEWER, self.root, fact, whose, fact)

    def name(self, path: Path) -> str:
        """Name a place in the source, without the folders above it."""
        inner = path.relative_to(self.root) if path.is_relative_to(self.root) else Path(path.name)
        return one_line(inner.as_posix() if inner.parts else path.absolute().name)

    def passed_over(self, why: str, paths: Sequence[Path]) -> None:
        """Note what was not imported."""
        if paths:
            more = f" and {counted(len(paths) - 1, 'other place')}" if len(paths) > 1 else ""
            self.notes.append(f"{_PASSED_OVER}{self.name(min(paths))}{more} ({why})")

    def stop_at_nothing(self, rule: Rule, what: str, fix: str | None = None) -> None:
        """Go no further as nothing can be imported, and say what was there instead."""
        instead = [note for note in self.notes if note.startswith(_PASSED_OVER)]
        self.problems.append(rule.broken(self.root, None, "; ".join((what, *instead)), fix))
        self.stop_at_errors()

    def doubt(self, rule: Rule, path: Path, where: Spot | str, what: str = "") -> None:
        """Note what is wrong with a round or a run."""
        self.doubts.append(Breach(rule, path, where, what))

    def caveats(
        self,
        whose: Hashable,
        runs: Collection[Path] = (),
        starts: Collection[Start] = ("own", "reference"),
    ) -> tuple[str, ...]:
        """What is doubtful about the bundle of an agent that is made of some runs, which start from some states."""
        spots = [(each, each.where) for each in self.doubts if isinstance(each.where, Spot)]
        doubts = [
            (
                each.rule,
                f"{spot.place} ({each.what})"
                if spot.place and each.what
                else spot.place or each.what,
            )
            for each, spot in spots
            if spot.whose in (whose, None) and spot.start in starts
        ]
        folders = set(runs)
        unread = [each.path for each in self.problems if each.code == FILE_BROKEN.code]
        broken = [
            (FILE_BROKEN, path.name) for path in unread if not folders.isdisjoint(path.parents)
        ]
        told = [
            each for key in dict.fromkeys((None, whose, *runs)) for each in self.told.get(key, ())
        ]
        return caveats_of((*told, *doubts, *broken))

    def all_problems(self) -> tuple[Problem, ...]:
        """Every problem, of one kind the first few; what many rounds or runs have in common is summed once."""
        summed: list[Problem] = []
        for fault, number in self.faults.values():
            again = f"; and so in {counted(number - 1, 'more row')}" if number > 1 else ""
            summed.append(replace(fault, what=fault.what + again))
        times = Counter(problem.code for problem in self.problems)
        seen: Counter[str] = Counter()
        for problem in self.problems:
            seen[problem.code] += 1
            shown = _SHOWN_OF_ERRORS if problem.is_error else _SHOWN
            if seen[problem.code] == shown < times[problem.code]:
                more = times[problem.code] - shown
                summed.append(replace(problem, what=f"{problem.what}; and {more} more such places"))
            elif seen[problem.code] <= shown:
                summed.append(problem)
        together = grouped((each.rule.code, each) for each in self.doubts)
        for first, *others in together.values():
            shown = _SHOWN_OF_ERRORS if first.rule.severity == "error" else _SHOWN
            what = listed(
                dict.fromkeys(map(str, (first, *others))),
                shown,
                more="; and {} more",
                separator="; ",
            )
            summed.append(first.rule.broken(first.path, None, what))
        return tuple(summed)

    def stop_at_errors(self) -> None:
        """Go no further where something is wrong: `ProblemsError` carries every problem, warnings included."""
        if errors_of(problems := self.all_problems()):
            raise ProblemsError(problems)
