"""The page of one submission."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sitegen.board.board import Board
from sitegen.board.caveats import CAVEAT
from sitegen.board.entry import Entry
from sitegen.board.review import problems_in
from sitegen.models.outcome import Start
from sitegen.models.results import Bundle
from sitegen.models.task import Task
from sitegen.pages import addresses, labels
from sitegen.pages.board import board_crumbs
from sitegen.pages.charts import entry_chart_views
from sitegen.pages.diagnostics import submission_section
from sitegen.pages.environment import Crumb, Page, Templates
from sitegen.pages.evidence import evidence_view
from sitegen.pages.figures import place_text, score_rows
from sitegen.pages.flags import flag_of, score_flag
from sitegen.pages.heat import SHARES, Cell, round_look
from sitegen.pages.records import Records
from sitegen.pages.rivals import rivals_of
from sitegen.pages.subjects import row_report
from sitegen.pages.takeaway import takeaway_of
from sitegen.pages.timeline import entry_timeline
from sitegen.pages.tombstone import predecessors_of, tombstone_of
from sitegen.pages.transcripts import shown_source
from sitegen.pages.waived import other_notes, waived_notes
from sitegen.problems import counted, errors_of


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run in a submission's map of rounds; a cell is None past the task's last round."""

    title: str
    address: str
    cells: Sequence[Cell | None]
    note: str


@dataclass(frozen=True, slots=True)
class RoundMap:
    """A submission's tasks by rounds."""

    title: str
    caption: str
    numbers: Sequence[int]
    rows: Sequence[RunRow]


def submission_page(records: Records, entry: Entry, bundle: Bundle, templates: Templates) -> Page:
    """Show a submission with its scores, its rounds and its evidence."""
    board = records.board
    address = addresses.entry_address(board.benchmark.id, board.track.id, entry.id)
    values: dict[str, object] = {
        "title": entry.agent.name,
        "crumbs": board_crumbs(board),
        "benchmark": board.benchmark,
        "track": board.track,
        "entry": entry,
        "scores": score_rows(board, entry),
        "report": row_report(board, entry),
        "takeaway": takeaway_of(board, entry, records.releases, templates.site),
        **_submission_values(records, entry, bundle),
    }
    title = f"{entry.agent.name} on {board.benchmark.title}, {board.track.title}"
    text = templates.fill("submission.html.j2", address, values)
    return Page(address, title, f"{title}: scores and evidence.", text)


def _submission_values(records: Records, entry: Entry, bundle: Bundle) -> dict[str, object]:
    board = records.board
    problems = problems_in(board, entry)
    return {
        "facts": _facts(board, entry),
        "samples": SHARES,
        "tombstone": tombstone_of(records, entry),
        "predecessors": predecessors_of(board, entry),
        "errors": errors_of((*problems, *board.results.problems)),
        "warnings": [problem for problem in problems if not problem.is_error and problem.code != CAVEAT.code],
        "caveats": bundle.submission.caveats,
        "maps": list(_maps(records, entry)),
        "findings": other_notes(board, board.marks.about_row(entry.id)),
        "waived": waived_notes(board, entry),
        "flag": score_flag(board, entry),
        "rank_before": _rank_before(board, entry),
        "charts": entry_chart_views(board, entry),
        "diagnosed": submission_section(board, entry),
        "rivals": rivals_of(board, entry),
        "timeline": entry_timeline(records, entry),
        "evidence": evidence_view(board, entry),
        "provenance": list(_provenance(bundle)),
        "files": list(_files(bundle, board.benchmark.id)),
        "transcripts": shown_source(board, entry),
    }


def _files(bundle: Bundle, benchmark: str) -> Iterator[Crumb]:
    """Give the bundle's files that the site carries; links to elsewhere are not followed."""
    has_content = bundle.rounds and not bundle.path.is_symlink()
    files = sorted(bundle.path.iterdir()) if has_content else ()
    for file in files:
        if addresses.is_carried(file.name) and file.is_file() and not file.is_symlink():
            yield Crumb(file.name, addresses.raw_address(benchmark, f"submissions/{bundle.id}/{file.name}"))


def _facts(board: Board, entry: Entry) -> str:
    coverage = entry.coverage
    covered = []
    if coverage:
        covered.append(f"{coverage.tasks} of {counted(coverage.expected_tasks, 'task')}")
        covered.append(f"{coverage.rounds} of {counted(coverage.expected_rounds, 'round')}")
    rank = [f"rank {place_text(board, entry)}"] if entry.id in board.ranks else []
    return " · ".join([*rank, str(entry.date), *covered, entry.remark or entry.status.state])


def _rank_before(board: Board, entry: Entry) -> str:
    """Give the ranks that a row might have without the effects of findings; empty where they are the same."""
    before = board.before_findings
    other = next(each for each in before.all_entries if each.id == entry.id)
    rank = place_text(before, other)
    return rank if rank != place_text(board, entry) else ""


def _maps(records: Records, entry: Entry) -> Iterator[RoundMap]:
    board = records.board
    longest = max((len(task.rounds) for task in board.tasks.tasks), default=0)
    word = labels.rounds_word(board.benchmark, 2)
    titles: Mapping[Start, str] = {
        "own": f"Tasks by {word}",
        "reference": f"{word.capitalize()} from the reference state",
    }
    for start, title in titles.items():
        rows = [row for task in board.tasks.tasks for row in _rows(records, entry, task, start, longest)]
        if rows:
            yield RoundMap(title, f"{title}, {entry.agent.name}", range(1, longest + 1), rows)


def _rows(records: Records, entry: Entry, task: Task, start: Start, longest: int) -> Iterator[RunRow]:
    board = records.board
    attempts = records.attempts(entry, task.id, start)
    address = addresses.run_address(board.benchmark.id, board.track.id, entry.id, task.id)
    for attempt, rounds in attempts:
        cells: list[Cell | None] = [None] * longest
        for each in task.rounds:
            look = round_look([rounds[each.n]] if each.n in rounds else [], records.usual.get((task.id, each.n)))
            told = look.about(f"{task.name}, {labels.rounds_word(board.benchmark)} {each.n}")
            anchor = addresses.round_anchor(each.n, attempt)
            flag = flag_of(board, board.marks.on_round(entry.id, task.id, each.n))
            cells[each.n - 1] = told.cell(entry.id, task.id, each.n, f"{address}#{anchor}").flagged(flag)
        counted_rounds = [result for result in rounds.values() if result.state != "excluded"]
        note = f"{sum(result.solved for result in counted_rounds)} / {len(counted_rounds)}"
        row = RunRow(task.name, address, cells, note)
        if len(attempts) > 1:
            row = replace(row, title=f"{task.name}, attempt {attempt}", address=f"{address}#attempt-{attempt}")
        yield row


def _provenance(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Say what is known of how the runs were made; what is not known is said to be so."""
    submission = bundle.submission
    about = submission.provenance.model_dump(exclude_none=True)
    about |= {"cases": _DETAIL[submission.detail.cases] if bundle.rounds else "redacted"}
    if submission.submitter:
        about |= {
            f"submitter {key}": value for key, value in submission.submitter.model_dump(exclude_none=True).items()
        }
    for name, value in about.items():
        yield name.replace("_", " ").capitalize(), _told(value)
    if not submission.provenance.harness:
        yield "Harness", "not stated"


def _told(value: object) -> str:
    """Give a value of the manifest in words, several after each other."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}: {each}" for name, each in value.items())
    return str(value)


_DETAIL = {
    "all": "every case is here",
    "failures": "every failed case is here",
    "sample": "some of the failed cases are here, as far as the source lists them",
    "counts": "only the number of passed cases is here",
    "none": "only verdicts are here",
}
