"""The pages of a row: of a submission with its scores, rounds and evidence, or of a line of a published table."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sitegen.board.answers.order import row_answer
from sitegen.board.board import Board
from sitegen.board.caveats import CAVEAT
from sitegen.board.entry import Entry, reported_score
from sitegen.board.evidence import EVIDENCE_ITEMS, evidence_in
from sitegen.board.review import problems_in
from sitegen.board.score import GAP, Score
from sitegen.board.waivers import waived_words
from sitegen.models.outcome import Start
from sitegen.models.results import Bundle
from sitegen.models.task import Task
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.pages.charts import entry_chart_views
from sitegen.pages.descriptions import row_files
from sitegen.pages.diagnostics import section_of
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.findings import score_flag, speaking_against, waivers_on
from sitegen.pages.heat import SHARES, Cell, round_look, states_in
from sitegen.pages.kinds.compare import rivals_of
from sitegen.pages.kinds.run import run_effort
from sitegen.pages.kinds.trajectory import reached, shown_source, source_of
from sitegen.pages.notices import errata_of
from sitegen.pages.records import BoardRecords, Row
from sitegen.pages.reports import row_report
from sitegen.pages.reruns import rerun_sentences
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


@page_kind(Row, "submission.html.j2", "Agent")
def submission_page(row: Row, templates: Templates) -> Iterator[View]:
    """Show a submission with its scores, its rounds and its evidence."""
    records, entry, bundle = row.records, row.entry, row.entry.bundle
    if bundle is None:
        return
    board, pasts = records.board, reversed(records.pasts.get(entry.id, ()))
    problems, maps = problems_in(board, entry), list(_maps(records, entry))
    marks = board.marks.on_row(entry.id)
    diagnosed = board.diagnosis.of_submission(entry.id) if entry.sheet else ()
    values = {
        **_shared(row, templates),
        "facts": _facts(board, entry),
        "samples": SHARES,
        "replacement": replacement_of(board, entry),
        "last_standing": next(
            (each for each in pasts if each.release and each.row.state == "published"), None
        ),
        "withdrawing": [
            each
            for each in marks
            if each.finding.effect == "withdraw" or each.finding.redacts(entry.id)
        ],
        "predecessors": [
            Link(each.id, _address(board, each))
            for each in board.results.bundles
            if each.submission.status.state == "superseded"
            and each.submission.status.by == entry.id
        ],
        "errors": errors_of((*problems, *board.results.problems)),
        "warnings": _warnings(board, problems),
        "caveats": bundle.submission.caveats,
        "maps": maps,
        "map_states": states_in(
            cell for each in maps for line in each["rows"] for cell in line["cells"] if cell
        ),
        "costs": [
            each
            for each in entry.scores.values()
            if each.metric.unit in _COSTS and each.value is not None
        ],
        "effort": run_effort(bundle.rounds, None, labels.rounds_word(board.benchmark)),
        "findings": speaking_against(board, board.marks.about_row(entry.id)),
        "waived": [(each, waived_words(each.finding)) for each in waivers_on(board, entry)],
        "flag": score_flag(board, entry),
        "rank_before": _rank_before(board, entry),
        "diagnosed": section_of(board, entry.agent.name, diagnosed),
        "rivals": rivals_of(board, entry),
        "provenance": list(_provenance(bundle)),
        "files": list(_files(bundle, board.benchmark.id)),
        "transcripts": shown_source(board, entry),
    }
    yield View(records.where.entry(entry.id), row.title, row_answer(board, entry), values)


@page_kind(Row, "reported.html.j2", "Agent")
def reported_page(row: Row, templates: Templates) -> Iterator[View]:
    """Show a line of a published table as it was printed."""
    board, entry = row.records.board, row.entry
    if entry.reported is None or entry.table is None:
        return
    splits, axes = [], board.benchmark.axes
    for name, figure in entry.reported.values.items():
        for axis, groups in figure.groups.items() if name in board.metrics else ():
            scores = [
                (value, reported_score(board.metrics[name], each, board.track))
                for value, each in groups.items()
            ]
            title = axes[axis].title if axis in axes else axis
            splits.append(
                {"metric": board.metrics[name], "axis": axis, "title": title, "scores": scores}
            )
    values = {**_shared(row, templates), "splits": splits, "errata": errata_of(entry.table, [])}
    yield View(row.records.where.entry(entry.id), row.title, row_answer(board, entry), values)


def _shared(row: Row, templates: Templates) -> Mapping[str, object]:
    """Gather what the pages of all rows say."""
    records, entry, board = row.records, row.entry, row.records.board
    return {
        "title": entry.agent.name,
        **_scores(board, entry),
        "report": row_report(board, entry),
        "handed_on": row_files(board, entry),
        "charts": entry_chart_views(board, entry),
        "timeline": entry_timeline(records, entry),
        "citation": citation_of(board, entry, records.releases, templates.site.address),
        **_evidence(board, entry),
    }


def _scores(board: Board, entry: Entry) -> Mapping[str, object]:
    """List the scores of the board's columns, then those that somebody claims or reports; and who claims values.

    What is the same for all is told once: what scores are over, and how claims stand that do not compare.
    """
    columns = [entry.scores[metric.id] for metric in board.columns if metric.id in entry.scores]
    others = [
        score
        for score in entry.scores.values()
        if score not in columns and (score.claims or entry.table)
    ]
    scores = [(score, _apart(score)) for score in (*columns, *others)]
    extents = {score.extent.words if score.extent else "" for score, _ in scores}
    apart = {words for score, words in scores if score.claims}
    return {
        "scores": scores,
        "sources": [
            *dict.fromkeys(
                claim.source or "the submitter" for score, _ in scores for claim in score.claims
            )
        ],
        "extent": extents.pop() if len(extents) == 1 else "",
        "apart": apart.pop() if len(apart) == 1 else "",
    }


def _apart(score: Score) -> str:
    """Say how all claims stand to a score, where that is the same since none compares; else empty."""
    standings = {score.standing(claim) for claim in score.claims}
    compares = score.value is not None and len(score.incomparable) < len(score.claims)
    return standings.pop() if len(standings) == 1 and not compares else ""


def _warnings(board: Board, problems: Sequence[Problem]) -> list[list[Problem]]:
    """Group warnings by what they are about, with tasks by their names."""
    found: dict[str, list[Problem]] = defaultdict(list)
    titles = {task.id: task.name for task in board.tasks.tasks}
    for problem in problems:
        if not problem.is_error and problem.code != CAVEAT.code:
            told = _TASK.sub(lambda name: f"of {titles.get(name[1], name[1])}", problem.what)
            found[problem.code].append(replace(problem, what=told))
    return list(found.values())


def _evidence(board: Board, entry: Entry) -> Mapping[str, object]:
    """Tell how far the numbers of a row can be followed, and what the tiers above take."""
    found = list(evidence_in(board, entry, entry.bundle)) if entry.bundle else []
    above = _TIERS[_TIERS.index(entry.evidence) + 1 :]
    repeated = board.reproductions.items() if entry.bundle else ()
    return {
        "ways": [
            (each.decides, f"{each.title[:1].lower()}{each.title[1:]}")
            for each in EVIDENCE_ITEMS
            if each.decides in above
        ],
        "there": [each for each in found if each[1].presence == "there"],
        "missing": [each for each in found if each[1].presence != "there"],
        "reruns": board.reproductions.get(entry.id, ()) if entry.bundle else (),
        "rerun_odds": " ".join(rerun_sentences(board, entry)),
        "repeats": [
            name for name, reruns in repeated if entry.id in {each.rerun for each in reruns}
        ],
    }


@authored_parts
def evidence_part(_: Whole, templates: Templates) -> Iterator[Fragment]:
    """Tell on the methods page what decides the tiers."""
    text = templates.fill(
        "evidence_sources.html.j2", addresses.METHODS, {"sources": EVIDENCE_ITEMS}
    )
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


def _facts(board: Board, entry: Entry) -> str:
    coverage, covered = entry.coverage, []
    if coverage:
        covered.append(f"{coverage.tasks} of {counted(coverage.expected_tasks, 'task')}")
        if not board.tasks.is_of_one_round:
            rounds = counted(coverage.expected_rounds, labels.rounds_word(board.benchmark))
            covered.append(f"{coverage.rounds} of {rounds}")
    return " · ".join([str(entry.date), *covered, entry.remark or entry.status.state])


def _rank_before(board: Board, entry: Entry) -> str:
    """Write the ranks that a row might have without the effects of findings; empty where they are the same."""
    before = board.before_findings
    other = next(each for each in before.all_entries if each.id == entry.id)
    rank = labels.place_text(before, other)
    return rank if rank != labels.place_text(board, entry) else ""


_COSTS = {"USD", "minutes", "thousand tokens", "turns", "interactions"}
"""Units of what work costs."""

_MOST_CELLS = 1_000
"""With more rounds of attempts than that, a submission's map has a line a task; the pages of runs have each attempt."""


def _maps(records: BoardRecords, entry: Entry) -> Iterator[dict[str, Any]]:
    """Yield a submission's maps of tasks by rounds: of its own work, and from the reference state."""
    board, word = records.board, labels.rounds_word(records.board.benchmark, 2)
    longest = max((len(task.rounds) for task in board.tasks.tasks), default=0)
    titles: Mapping[Start, str] = {
        "own": "Attempts at tasks" if board.tasks.is_of_one_round else f"Tasks by {word}",
        "reference": f"{word.capitalize()} from the reference state",
    }
    for start, title in titles.items():
        rows = sorted(_run_rows(records, entry, start, longest), key=lambda row: -row["share"])
        if rows:
            yield {"title": title, "numbers": range(1, longest + 1), "rows": rows}


def _run_rows(
    records: BoardRecords, entry: Entry, start: Start, longest: int
) -> Iterator[dict[str, Any]]:
    """Yield the runs of a submission; a cell is None past the task's last round."""
    board, word = records.board, labels.rounds_word(records.board.benchmark)
    is_long = len(board.tasks.tasks) * longest * board.track.attempts > _MOST_CELLS
    for task in board.tasks.tasks:
        tried = records.attempts(entry, task.id, start)
        attempts = [
            (attempt, {number: [each] for number, each in rounds.items()})
            for attempt, rounds in tried
        ]
        has_page = start != "own" or records.has_run(entry, task)
        if not tried and not has_page:
            attempts = [(1, {})]  # what leads to the run leads here
        if is_long and len(tried) > 1:
            attempts = [
                (
                    1,
                    {
                        each.n: records.of_round(entry, task.id, each.n, start)
                        for each in task.rounds
                    },
                )
            ]
        for attempt, rounds in attempts:
            cells: list[Cell | None] = [None] * longest
            for each in task.rounds:
                look = round_look(rounds.get(each.n, []), records.usual.get((task.id, each.n)))
                there = records.run(entry, task, addresses.round_anchor(each.n, attempt))
                key, what = (entry.id, task.id, each.n), f"{task.name}, {word} {each.n}"
                cells[each.n - 1] = look.placed(board, key, what, there)
            counting = [
                result
                for several in rounds.values()
                for result in several
                if result.state != "excluded"
            ]
            passed, of = sum(result.solved for result in counting), len(counting)
            suffix, part = (
                (f", attempt {attempt}", f"attempt-{attempt}") if len(attempts) > 1 else ("", "")
            )
            yield {
                "title": f"{task.name}{suffix}",
                "address": records.run(entry, task, part),
                "cells": cells,
                "note": f"{passed} / {of}" if of else GAP,
                "share": passed / of if of else -1.0,  # what does not count goes last
                **(_whole(records, entry, task) if not has_page and not suffix else {}),
            }


def _whole(records: BoardRecords, entry: Entry, task: Task) -> Mapping[str, object]:
    """Say of a run that has no page of its own, being one round of which no case is told, all that there is to say."""
    attempts = records.sent(entry, task.id)
    results = [result for _, rounds in attempts for result in rounds.values()]
    word = labels.rounds_word(records.board.benchmark)
    stated = [records.stated.get((entry.id, task.id, attempt)) for attempt, _ in attempts[:1]]
    about = [run_effort(results, each, word) for each in stated]
    if records.attempts(entry, task.id) != attempts:
        about.append(f"without the finding: {round_look(results).words}")
    source = source_of(records.board, entry, task.id)
    return {
        "address": records.where.task(task.id),
        "anchor": addresses.run_anchor(task.id),
        "about": " · ".join(filter(None, about)),
        "transcript": source.of(task.id, results[0].attempt, 1).page
        if source and reached(results)
        else "",
    }


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
    if submission.agent.free:
        about["agent declared free"] = True
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
            yield Link(
                file.name, addresses.raw_address(benchmark, f"submissions/{bundle.id}/{file.name}")
            )
