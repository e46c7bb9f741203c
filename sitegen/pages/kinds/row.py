"""The pages of a row: of a submission with its scores, rounds and evidence, or of a line of a published table."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sitegen.board.answers.order import row_answer
from sitegen.board.board import Board
from sitegen.board.caveats import CAVEAT
from sitegen.board.entry import Entry, reported_score
from sitegen.board.evidence import EVIDENCE_ITEMS, Amount, EvidenceItem, evidence_in
from sitegen.board.releases import Past
from sitegen.board.review import problems_in
from sitegen.board.score import GAP, Claim, Score
from sitegen.board.waivers import waived_words
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Metric
from sitegen.models.outcome import Start
from sitegen.models.reported import ReportedRow
from sitegen.models.results import Bundle
from sitegen.models.task import Task
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.pages.charts import entry_chart_views
from sitegen.pages.diagnostics import submission_section
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.findings import flag_of, score_flag, speaking_against, waivers_on
from sitegen.pages.heat import SHARES, Cell, round_look
from sitegen.pages.kinds.compare import rivals_of
from sitegen.pages.kinds.run import run_effort
from sitegen.pages.kinds.trajectory import reached, shown_source, source_of
from sitegen.pages.notices import errata_of
from sitegen.pages.records import BoardRecords, Row
from sitegen.pages.reports import row_report
from sitegen.pages.sharing import citation_of
from sitegen.pages.site import View, Whole, authored_parts, page_kind
from sitegen.pages.timeline import entry_timeline
from sitegen.problems import Problem, counted, errors_of

_TIERS = tuple(labels.EVIDENCE)

_TASK = re.compile(r"\bof ([a-z0-9_-]+)")
"""Where a problem names a task: by its id."""

_DETAIL = {
    "all": "every case is here",
    "failures": "every failed case is here",
    "sample": "some of the failed cases are here, as far as the source lists them",
    "counts": "only the number of passed cases is here",
    "none": "only verdicts are here",
}


@page_kind(Row, "submission.html.j2")
def submission_page(row: Row, templates: Templates) -> Iterator[View]:
    """Show a submission with its scores, its rounds and its evidence."""
    records, entry, bundle = row.records, row.entry, row.entry.bundle
    if bundle is None:
        return
    board = records.board
    problems, maps, scores = problems_in(board, entry), list(_maps(records, entry)), score_rows(board, entry)
    seen = {cell.state for each in maps for line in each.rows for cell in line.cells if cell}
    warnings: dict[str, list[Problem]] = defaultdict(list)
    titles = {task.id: task.name for task in board.tasks.tasks}
    for problem in problems:
        if not problem.is_error and problem.code != CAVEAT.code:
            told = _TASK.sub(lambda found: f"of {titles.get(found[1], found[1])}", problem.what)
            warnings[problem.code].append(replace(problem, what=told))
    values = {
        **_shared(row, templates),
        "facts": _facts(entry),
        "samples": SHARES,
        "replacement": replacement_of(board, entry),
        "last_standing": _last_standing(records.pasts.get(entry.id, ())),
        "withdrawing": [
            marked
            for marked in board.marks.on_row(entry.id)
            if marked.finding.effect == "withdraw" or marked.finding.redacts(entry.id)
        ],
        "predecessors": [
            Link(each.id, _address(board, each))
            for each in board.results.bundles
            if each.submission.status.state == "superseded" and each.submission.status.by == entry.id
        ],
        "errors": errors_of((*problems, *board.results.problems)),
        "warnings": list(warnings.values()),
        "caveats": bundle.submission.caveats,
        "maps": maps,
        "map_states": [state for state in labels.MARKS if state in seen and state != "scored"],
        "claims": _claims(scores),
        "costs": list(_costs(board, entry)),
        "findings": speaking_against(board, board.marks.about_row(entry.id)),
        "waived": [(each, waived_words(each.finding)) for each in waivers_on(board, entry)],
        "flag": score_flag(board, entry),
        "rank_before": _rank_before(board, entry),
        "diagnosed": submission_section(board, entry),
        "rivals": rivals_of(board, entry),
        "provenance": list(_provenance(bundle)),
        "files": list(_files(bundle, board.benchmark.id)),
        "transcripts": shown_source(board, entry),
    }
    yield View(records.where.entry(entry.id), row.title, row_answer(board, entry), values)


class PrintedSplit(NamedTuple):
    """A printed figure on parts of the tasks: its score by each value of an axis."""

    metric: Metric
    axis: str
    title: str
    scores: Sequence[tuple[str, Score]]


@page_kind(Row, "reported.html.j2")
def reported_page(row: Row, templates: Templates) -> Iterator[View]:
    """Show a line of a published table as it was printed."""
    board, entry = row.records.board, row.entry
    if entry.reported is None or entry.table is None:
        return
    splits = list(_printed_splits(board, entry.reported))
    values = {**_shared(row, templates), "splits": splits, "errata": errata_of(entry.table, [])}
    yield View(row.records.where.entry(entry.id), row.title, row_answer(board, entry), values)


def _printed_splits(board: Board, row: ReportedRow) -> Iterator[PrintedSplit]:
    axes = board.benchmark.axes
    for name, figure in row.values.items():
        for axis, groups in figure.groups.items() if name in METRICS else ():
            scores = [(value, reported_score(METRICS[name], each, board.track)) for value, each in groups.items()]
            yield PrintedSplit(METRICS[name], axis, axes[axis].title if axis in axes else axis, scores)


def _shared(row: Row, templates: Templates) -> Mapping[str, object]:
    """Gather what the pages of all rows say."""
    records, entry = row.records, row.entry
    board = records.board
    return {
        "title": entry.agent.name,
        "scores": score_rows(board, entry),
        "report": row_report(board, entry),
        "charts": entry_chart_views(board, entry),
        "timeline": entry_timeline(records, entry),
        "citation": citation_of(board, entry, records.releases, templates.site.address),
        **_evidence(board, entry),
    }


class ScoreRow(NamedTuple):
    """A score with its 95 % interval and its claims.

    Attributes:
        score: The score.
        sure: Its interval in words.
        agrees: "yes", "no", or "" where nobody claims a value that compares.
        claims: What is claimed, each with how it stands to the score in words.
        apart: How all claims stand to the score, where that is the same, since they do not compare; else empty.
    """

    score: Score
    sure: str
    agrees: str
    claims: Sequence[tuple[Claim, str]]
    apart: str


def score_rows(board: Board, entry: Entry) -> list[ScoreRow]:
    """List the scores of the board's columns, then those that somebody claims or reports."""
    columns = [entry.scores[metric.id] for metric in board.columns if metric.id in entry.scores]
    others = [score for score in entry.scores.values() if score not in columns and (score.claims or entry.table)]
    return [_score_row(score, board, entry) for score in (*columns, *others)]


class Claims(NamedTuple):
    """What the scores of a row are held against.

    Attributes:
        sources: Who claims values, a column for each.
        extent: What all scores are over, in words; empty where they differ.
        apart: How all claims stand to the scores, where that is the same, since they do not compare; else empty.
    """

    sources: Sequence[str]
    extent: str
    apart: str


def _claims(rows: Sequence[ScoreRow]) -> Claims:
    sources = dict.fromkeys(claim.source or "the submitter" for row in rows for claim, _ in row.claims)
    extents = {row.score.extent.words if row.score.extent else "" for row in rows}
    apart = {row.apart for row in rows if row.claims}
    return Claims([*sources], *(each.pop() if len(each) == 1 else "" for each in (extents, apart)))


_COSTS = {"USD", "minutes", "thousand tokens", "turns", "interactions"}
"""Units of what work costs."""


def _costs(board: Board, entry: Entry) -> Iterator[tuple[Score, str]]:
    """Yield what is known of the cost of a row's work, each figure with its interval in words."""
    for score in entry.scores.values():
        if score.metric.unit in _COSTS and score.value is not None:
            yield score, labels.interval_text(board.certainty.interval(entry, score.metric.id), score.metric)


def _score_row(score: Score, board: Board, entry: Entry) -> ScoreRow:
    sure = labels.interval_text(board.certainty.interval(entry, score.metric.id), score.metric)
    compared = score.value is not None and len(score.incomparable) < len(score.claims)
    agrees = "" if not compared else "no" if score.disputed else "yes"
    standing = {claim: score.standing(claim) for claim in score.claims}
    apart = next(iter(standing.values()), "") if not compared and len(set(standing.values())) == 1 else ""
    claims = [(claim, "" if apart else words) for claim, words in standing.items()]
    return ScoreRow(score, sure, agrees, claims, apart)


def _evidence(board: Board, entry: Entry) -> Mapping[str, object]:
    """Tell how far the numbers of a row can be followed, and what the tiers above take."""
    found: Sequence[tuple[EvidenceItem, Amount]] = list(evidence_in(board, entry, entry.bundle)) if entry.bundle else ()
    above = _TIERS[_TIERS.index(entry.evidence) + 1 :]
    where = addresses.of(board)
    return {
        "ways": [
            (each.decides, f"{each.title[:1].lower()}{each.title[1:]}")
            for each in EVIDENCE_ITEMS
            if each.decides in above
        ],
        "there": [each for each in found if each[1].presence == "there"],
        "missing": [each for each in found if each[1].presence != "there"],
        "reruns": board.reproductions.get(entry.id, ()) if entry.bundle else (),
        "repeats": [
            Link(name, where.entry(name))
            for name, reruns in (board.reproductions.items() if entry.bundle else ())
            if entry.id in {each.rerun for each in reruns}
        ],
    }


@authored_parts
def evidence_part(_: Whole, templates: Templates) -> Iterator[Fragment]:
    """Tell on the methods page what decides the tiers."""
    text = templates.fill("evidence_sources.html.j2", addresses.METHODS, {"sources": EVIDENCE_ITEMS})
    yield Fragment(addresses.METHODS, "evidence", text)


def replacement_of(board: Board, entry: Entry) -> Link | None:
    """Name what replaces a submission, which may be on another track; None for one that nothing replaces."""
    name = entry.status.by
    if entry.status.state != "superseded" or not name:
        return None
    bundle = next((each for each in board.results.bundles if each.id == name), None)
    return Link(name, _address(board, bundle) if bundle else "")


def _address(board: Board, bundle: Bundle) -> str:
    return addresses.BoardAddresses(board.benchmark.id, bundle.submission.track).entry(bundle.id)


def _last_standing(pasts: Sequence[Past]) -> Past | None:
    """Find how a row stood in the last release in which it stood."""
    stood = (past for past in reversed(pasts) if past.release and past.row.state == "published")
    return next(stood, None)


def _facts(entry: Entry) -> str:
    coverage, covered = entry.coverage, []
    if coverage:
        covered.append(f"{coverage.tasks} of {counted(coverage.expected_tasks, 'task')}")
        covered.append(f"{coverage.rounds} of {counted(coverage.expected_rounds, 'round')}")
    return " · ".join([str(entry.date), *covered, entry.remark or entry.status.state])


def _rank_before(board: Board, entry: Entry) -> str:
    """Write the ranks that a row might have without the effects of findings; empty where they are the same."""
    before = board.before_findings
    other = next(each for each in before.all_entries if each.id == entry.id)
    rank = labels.place_text(before, other)
    return rank if rank != labels.place_text(board, entry) else ""


_MOST_CELLS = 1_000
"""With more rounds of attempts than that, a submission's map has a line a task; the pages of runs have each attempt."""


class RunRow(NamedTuple):
    """One run in a submission's map of rounds; a cell is None past the task's last round."""

    title: str
    address: str
    cells: Sequence[Cell | None]
    note: str
    share: float
    """Of the rounds that count, as many were passed."""
    anchor: str = ""
    """Where it stands, if the run has no page of its own."""
    about: str = ""
    """What that page would say more."""
    transcript: str = ""
    """Address of the page that shows what the agent did there."""


class RoundMap(NamedTuple):
    """A submission's tasks by rounds."""

    title: str
    numbers: Sequence[int]
    rows: Sequence[RunRow]


def _maps(records: BoardRecords, entry: Entry) -> Iterator[RoundMap]:
    board = records.board
    longest = max((len(task.rounds) for task in board.tasks.tasks), default=0)
    word = labels.rounds_word(board.benchmark, 2)
    titles: Mapping[Start, str] = {
        "own": f"Tasks by {word}",
        "reference": f"{word.capitalize()} from the reference state",
    }
    for start, title in titles.items():
        rows = sorted(_run_rows(records, entry, start, longest), key=lambda row: -row.share)
        if rows:
            yield RoundMap(title, range(1, longest + 1), rows)


def _run_rows(records: BoardRecords, entry: Entry, start: Start, longest: int) -> Iterator[RunRow]:
    board, word = records.board, labels.rounds_word(records.board.benchmark)
    is_long = len(board.tasks.tasks) * longest * board.track.attempts > _MOST_CELLS
    for task in board.tasks.tasks:
        tried = records.attempts(entry, task.id, start)
        attempts = [(attempt, {number: [each] for number, each in rounds.items()}) for attempt, rounds in tried]
        if not tried and start == "own" and not records.has_run(entry, task):
            attempts = [(1, {})]  # what leads to the run leads here
        if is_long and len(tried) > 1:
            attempts = [(1, {each.n: records.of_round(entry, task.id, each.n, start) for each in task.rounds})]
        for attempt, rounds in attempts:
            cells: list[Cell | None] = [None] * longest
            for each in task.rounds:
                look = round_look(rounds.get(each.n, []), records.usual.get((task.id, each.n)))
                there = records.run(entry, task, addresses.round_anchor(each.n, attempt))
                cell = look.about(f"{task.name}, {word} {each.n}").cell(entry.id, task.id, each.n, there)
                cells[each.n - 1] = cell.flagged(flag_of(board, board.marks.on_round(entry.id, task.id, each.n)))
            counting = [result for several in rounds.values() for result in several if result.state != "excluded"]
            passed, of = sum(result.solved for result in counting), len(counting)
            text = f"{passed} / {of}" if of else GAP
            done = (cells, text, passed / of if of else -1.0)  # what does not count goes last
            if len(attempts) > 1:
                yield RunRow(f"{task.name}, attempt {attempt}", records.run(entry, task, f"attempt-{attempt}"), *done)
            else:
                row = RunRow(task.name, records.run(entry, task), *done)
                yield row if start != "own" or records.has_run(entry, task) else _whole(row, records, entry, task)


def _whole(row: RunRow, records: BoardRecords, entry: Entry, task: Task) -> RunRow:
    """Say of a run that has no page of its own, being one round of which no case is told, all that there is to say."""
    attempts = records.sent(entry, task.id)
    results = [result for _, rounds in attempts for result in rounds.values()]
    about = [run_effort(results, records.stated.get((entry.id, task.id, attempt))) for attempt, _ in attempts[:1]]
    if records.attempts(entry, task.id) != attempts:
        about.append(f"without the finding: {round_look(results).words}")
    source = source_of(records.board, entry, task.id)
    transcript = source.of(task.id, results[0].attempt, 1).page if source and reached(results) else ""
    address = records.where.task(task.id)
    told = " · ".join(filter(None, about))
    return row._replace(address=address, anchor=addresses.run_anchor(task.id), about=told, transcript=transcript)


def _provenance(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Say what is known of how the runs were made; what is not known is said to be so."""

    def told(value: object) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, tuple):
            return ", ".join(map(str, value))
        if isinstance(value, dict):
            return ", ".join(f"{name}: {each}" for name, each in value.items())
        return str(value)

    submission = bundle.submission
    about = submission.provenance.model_dump(exclude_none=True)
    about |= {"cases": _DETAIL[submission.detail.cases] if bundle.rounds else "redacted"}
    sender = submission.submitter.model_dump(exclude_none=True) if submission.submitter else {}
    about |= {f"submitter {key}": value for key, value in sender.items()}
    for name, value in about.items():
        yield name.replace("_", " ").capitalize(), told(value)
    if not submission.provenance.harness:
        yield "Harness", "not stated"


def _files(bundle: Bundle, benchmark: str) -> Iterator[Link]:
    """List the bundle's files that the site carries; links to elsewhere are not followed."""
    has_content = bundle.rounds and not bundle.path.is_symlink()
    for file in sorted(bundle.path.iterdir()) if has_content else ():
        if addresses.is_carried(file.name) and file.is_file() and not file.is_symlink():
            yield Link(file.name, addresses.raw_address(benchmark, f"submissions/{bundle.id}/{file.name}"))
