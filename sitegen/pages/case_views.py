"""The cases of a round as a run's pages show them: by identical reason, else by requirement; and what broke when."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sitegen.pages import labels
from sitegen.pages.cases import AttemptCases, KnownCase
from sitegen.pages.findings import Flag, case_flags
from sitegen.pages.labels import visible
from sitegen.pages.records import Run
from sitegen.problems import counted

_NAMED = 4
"""So many requirements are named beside a reason that they share."""

_LINE = 120
"""So many letters of a reason stand on its line; one that is longer is told below it."""

_ROWS = 24
"""So many requirements stand open."""

_HEAVY = (1, 4, 8, 32)
"""From so many failed cases on, a cell of the matrix is a shade darker."""


CaseView = tuple[KnownCase, str, Sequence[tuple[str, str]], str, str, Flag | None]
"""A case that did not pass; a tuple, since templates take thousands of them apart.

What is known of it; its title and its texts with their names, as far as nothing else on the page says so; where all of
it is told, which is its own anchor where it is told here; since when it fails, where it passed before; and the mark of
the findings that name it.
"""


class GroupView(NamedTuple):
    """Cases of a round that did not pass and have something in common: why they failed, where that is told."""

    reason: str
    title: str
    """What they have in common beside it."""
    about: str
    """How many there are, and of what."""
    cases: Sequence[CaseView]

    @property
    def is_told(self) -> bool:
        """Whether it takes more than a line: more is known of its cases than names, and not told elsewhere."""
        return len(self.reason) > _LINE or any(title or texts for _, title, texts, *_ in self.cases)

    @property
    def line(self) -> str:
        """The reason, as far as it has room on a line."""
        return (
            self.reason
            if len(self.reason) <= _LINE
            else f"{self.reason[:_LINE].rsplit(maxsplit=1)[0]}…"
        )


class RoundCases(NamedTuple):
    """What a page shows of the cases of a round."""

    groups: Sequence[GroupView]
    """Those that did not pass: the reason that most of them share first."""
    passed: Sequence[tuple[KnownCase, Flag | None]]
    """Each with the mark of the findings that name it."""
    others: int = 0
    """How many more passed."""
    file: str = ""
    """Address of the file that has them."""


def round_cases(
    run: Run, key: tuple[int, int], cases: Sequence[KnownCase], page: str
) -> RoundCases:
    """Arrange the cases of a round, named by attempt and number, or those of them that a page shows."""
    attempt, number = key
    records, task, told = run.cases.records, run.cases.task, run.told[attempt][number]
    flags = case_flags(records.board, run.entry.id, task.id, number)
    turns, word = (
        run.cases.turns_in(run.entry, attempt, number),
        labels.rounds_word(records.board.benchmark),
    )
    failing = [known for known in cases if known.status != "passed"]
    reasons = Counter(
        known.failure.reason for known in failing if known.failure and known.failure.reason
    )

    def seen(known: KnownCase, reason: str) -> CaseView:
        first = run.places.repeats.get((key, known.anchor))
        place, anchor = run.places.of_case(*(first or (key, known))).split("#")
        address = f"#{anchor}" if place == page else f"{place}#{anchor}"
        texts = (
            [(names, text) for names, text in known.texts if text != reason] if not first else ()
        )
        turn = turns.get(known.key)
        about = "" if first else known.title, texts, address, turn.words(word) if turn else ""
        return known, *about, flags.get(known.case.id)

    groups: dict[tuple[int, int | str, str], list[KnownCase]] = defaultdict(list)
    for known in failing:
        reason = known.failure.reason if known.failure else None
        if first := run.places.repeats.get((key, known.anchor)):
            groups[3, first[0][1], ""].append(known)
        elif reason and reasons[reason] > 1:
            groups[0, "", reason].append(known)
        elif reason:
            groups[1, "", ""].append(known)
        else:
            groups[2, known.requirement or "", ""].append(known)
    views = []
    for (kind, of, reason), several in sorted(
        groups.items(), key=lambda each: (each[0][0], -len(each[1]))
    ):
        shared = visible(reason)
        title = ("", "A reason of their own", str(of) or "Cases", f"As in {word} {of}")[kind]
        views.append(
            GroupView(
                shared, title, _about(kind, several, told), [seen(each, shared) for each in several]
            )
        )
    passed = [(known, flags.get(known.case.id)) for known in cases if known.status == "passed"]
    if run.entry.id in records.dense:  # what is told of them is in a file
        shown = [(known, flag) for known, flag in passed if flag]
        return RoundCases(
            views, shown, len(passed) - len(shown), records.where.outcomes(task.id, number)
        )
    return RoundCases(views, passed)


def _about(kind: int, cases: Sequence[KnownCase], told: AttemptCases) -> str:
    """Say how many cases a group has, and of which requirements; `kind` 2 are those of one."""
    skipped = sum(not known.is_failed for known in cases)
    failed = len(cases) - skipped
    if kind == 2:  # noqa: PLR2004 - see above
        stated = told.by_requirement.get(cases[0].requirement or "", 0)
        shown = (
            f"{failed} of {stated} failed cases named" if failed < stated else f"{failed} failed"
        )
        return ", ".join(
            filter(None, (shown if failed else "", f"{skipped} skipped" if skipped else ""))
        )
    names = list(dict.fromkeys(known.requirement for known in cases if known.requirement))
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return ": ".join(
        filter(
            None, (counted(len(cases), "case"), ", ".join([*map(visible, names[:_NAMED]), *more]))
        )
    )


class Matrix(NamedTuple):
    """Requirements by rounds: what broke when, and stayed broken."""

    rounds: Sequence[int]
    main: Sequence["MatrixRow"]
    """The requirements of which most cases failed, that which broke first on top."""
    others: Sequence["MatrixRow"]
    note: str
    """What is not in it; empty where all is."""


MatrixRow = tuple[str, Sequence[tuple[str, int]]]
"""A requirement, and how many of its cases failed in each round: marks, each with its shade, 0 where none did."""


def matrix_of(rounds: Mapping[int, AttemptCases], word: str, room: int) -> Matrix | None:
    """Count failed cases by requirement and round of an attempt, in so many cells at most.

    None where no requirement, or one round, is known; `word` is what the benchmark calls a round.
    """
    failed = {
        number: {name: n for name, n in told.by_requirement.items() if name}
        for number, told in rounds.items()
    }
    names = list(
        dict.fromkeys(
            name for each in failed.values() for name in sorted(each, key=lambda n: -each[n])
        )
    )
    if not names or len(rounds) < 2:  # noqa: PLR2004 - rounds to compare
        return None
    sums = {name: sum(each.get(name, 0) for each in failed.values()) for name in names}
    shown = sorted(names, key=lambda name: -sums[name])[: room // (len(rounds) + 1)]
    rows: dict[str, MatrixRow] = {}
    for name in filter({*shown}.__contains__, names):
        cells = []
        for number, told in rounds.items():
            count, state = failed[number].get(name, 0), told.result.state
            mark = str(count) if count else "·" if state == "scored" else labels.MARKS[state]
            cells.append((mark, sum(count >= each for each in _HEAVY)))
        rows[name] = visible(name), cells
    missing = {
        number: (told.result.failed or 0) - sum(failed[number].values())
        for number, told in rounds.items()
    }
    lacking = [number for number, cases in missing.items() if cases > 0]
    where = f"{word} {lacking[0]}" if len(lacking) == 1 else f"{len(lacking)} {word}s"
    cases = counted(sum(missing[number] for number in lacking), "failed case")
    note = (
        f"Not in it: {cases} of {where}, whose requirement the source does not name."
        if lacking
        else ""
    )
    more = len(names) - len(rows)
    note = f"{note} {counted(more, 'requirement')} more broke." if more else note
    main = {*shown[:_ROWS]}
    first = [row for name, row in rows.items() if name in main]
    return Matrix(
        list(rounds), first, [row for name, row in rows.items() if name not in main], note
    )


def change_words(told: AttemptCases, before: AttemptCases) -> str:
    """Say how failures changed against the round before, by requirement where all of them are known by it."""
    states = {told.result.state, before.result.state}
    was, now = before.result.failed, told.result.failed
    if states != {"scored"} or was is None or now is None or not (was or now):
        return ""
    counts = [each.by_requirement for each in (before, told)]
    if [sum(each.values()) for each in counts] == [was, now]:
        names = counts[0].keys() | counts[1].keys()
        changes = [counts[1].get(name, 0) - counts[0].get(name, 0) for name in names]
    else:
        changes = [now - was]
    more, fewer = (
        sum(each for each in changes if each > 0),
        -sum(each for each in changes if each < 0),
    )
    words = ", ".join(
        filter(None, (f"{more} more" if more else "", f"{fewer} fewer" if fewer else ""))
    )
    return words or "as many"


def fails_alike(told: AttemptCases, before: AttemptCases) -> bool:
    """Whether a round failed as the one before did, as far as sources tell: as many cases, and the same ones named."""
    if not told.result.failed or told.result.failed != before.result.failed:
        return False
    if told.by_requirement != before.by_requirement:
        return False
    names = told.identities
    return bool(names) and names == before.identities
