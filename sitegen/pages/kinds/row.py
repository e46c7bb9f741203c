"""The pages of rows: a submission with its scores, rounds and evidence, or a published row."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sitegen.board import GAP, Board, Entry, Score, problems_in
from sitegen.board.answers.ranking_headlines import row_answer
from sitegen.board.caveats import CAVEAT
from sitegen.board.entry import reported_score
from sitegen.board.evidence import EVIDENCE_ITEMS, evidence_in
from sitegen.board.waivers import waived_words
from sitegen.models.outcome import RoundResult, Start
from sitegen.models.results import Bundle
from sitegen.models.task import Task, TaskRound
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.pages.charts import entry_chart_views
from sitegen.pages.descriptions import row_files
from sitegen.pages.diagnostics import section_of
from sitegen.pages.effort import reports_cost, run_effort
from sitegen.pages.environment import Fragment, Templates, TemplateValues
from sitegen.pages.findings import score_flag, speaking_against, waivers_on
from sitegen.pages.heat import SHARES, HeatCell, round_cell, samples_in, states_in
from sitegen.pages.notices import errata_of
from sitegen.pages.records import BoardRecords, BoardRow
from sitegen.pages.reports import row_report
from sitegen.pages.reruns import rerun_sentences
from sitegen.pages.revisions import revision_sections
from sitegen.pages.rivals import rivals_of
from sitegen.pages.selection import count_solved, counting_results, find_entry
from sitegen.pages.sharing import citation_of, cited_scores
from sitegen.pages.site import SiteContent, View, authored_parts, page_kind
from sitegen.pages.succession import bundle_address, replacement_of
from sitegen.pages.texts import join_texts, only_value
from sitegen.pages.timeline import entry_timeline
from sitegen.pages.transcript_sources import reached_rounds, shown_source, source_of
from sitegen.pages.worst_tasks import worst_tasks
from sitegen.problems import Problem, counted, errors_of, notes_of, without_notes

_EVIDENCE_TIERS = tuple(labels.EVIDENCE)

_CASE_DETAIL = {
    "all": "the outcome of every case",
    "failures": "every failed case",
    "sample": "some of the failed cases, as far as the source lists them",
    "counts": "only the number of passed cases",
    "none": "only verdicts",
}
"""The description of each level of case detail that a submission may have."""

_COST_UNITS = {"USD", "minutes", "thousand tokens", "turns", "interactions"}
"""Units of metrics that measure the cost of the work."""

_MONEY_UNITS = {"USD", "minutes", "thousand tokens"}
"""Units of metrics from which a reader can estimate the cost of repeating the work."""

_MAX_MAP_CELLS = 1_000
"""Maximum number of cells of a map with a line per attempt; a larger map has a line per task."""


@page_kind(BoardRow, "submission.html.j2", "Agent")
def submission_page(row: BoardRow, templates: Templates) -> Iterator[View]:
    """Show a submission with its scores, its rounds and its evidence."""
    records = row.records
    entry = row.entry
    bundle = entry.bundle
    if bundle is None:
        return
    board = records.board
    problems = problems_in(board, entry)
    # One mapping, so that all names that the template uses are listed in one place.
    values = {
        **_shared_values(row, templates),
        **_succession_values(records, entry),
        "revisions": revision_sections(records, entry),
        **_finding_values(board, entry),
        **_work_values(records, entry, bundle),
        "facts": _facts_line(board, entry),
        "errors": errors_of((*problems, *board.results.problems)),
        "warnings": _group_by_rule(board, without_notes(problems)),
        "notes": _group_by_rule(board, notes_of(problems)),
        "caveats": bundle.submission.caveats,
        **_carried_values(board, bundle),
        "rivals": rivals_of(board, entry),
        "provenance": list(_provenance(bundle)),
        "files": list(_submitted_files(bundle, board.benchmark.id)),
    }
    address = records.addresses.entry(entry.id)
    yield View(address, row.title, row_answer(board, entry), values)


def _carried_values(board: Board, bundle: Bundle) -> TemplateValues:
    """Return the results carried from an earlier version of the track, and their page's address."""
    carried = bundle.submission.carried
    address = ""
    if carried:
        earlier = addresses.BoardAddresses(board.benchmark.id, carried.track)
        address = earlier.entry(carried.submission)
    return {"carried": carried, "carried_from": address}


def _succession_values(records: BoardRecords, entry: Entry) -> TemplateValues:
    """Return the replacement of a submission, its predecessors, and its last published state."""
    board = records.board
    predecessors = []
    for bundle in board.results.bundles:
        status = bundle.submission.status
        if status.state == "superseded" and status.by == entry.id:
            predecessors.append(Link(bundle.id, bundle_address(board, bundle)))
    last_published = None
    for past in records.pasts.get(entry.id, ()):
        if past.release and past.row.state == "published":
            last_published = past
    return {
        "replacement": replacement_of(board, entry),
        "last_published": last_published,
        "predecessors": predecessors,
    }


def _finding_values(board: Board, entry: Entry) -> TemplateValues:
    """Return the findings and waivers about a submission, and their effects."""
    withdrawing = []
    for marked in board.findings.on_row(entry.id):
        finding = marked.finding
        if finding.effect == "withdraw" or finding.redacts(entry.id):
            withdrawing.append(marked)
    waivers = [(waiver, waived_words(waiver.finding)) for waiver in waivers_on(board, entry)]
    return {
        "withdrawing": withdrawing,
        "findings": speaking_against(board, board.findings.about_row(entry.id)),
        "waived": waivers,
        "flag": score_flag(board, entry),
        "rank_before": _rank_before_findings(board, entry),
    }


def _work_values(records: BoardRecords, entry: Entry, bundle: Bundle) -> TemplateValues:
    """Return the heat maps of a submission, and the effort of its work."""
    board = records.board
    maps = _heat_maps(records, entry)
    map_cells: list[HeatCell] = []
    for heat_map in maps:
        for map_row in heat_map["rows"]:
            map_cells += filter(None, map_row["cells"])
    measured = [score for score in entry.scores.values() if score.value is not None]
    costs = [score for score in measured if score.metric.unit in _COST_UNITS]
    has_cost = any(score.metric.unit in _MONEY_UNITS for score in costs)
    verdict_noun = labels.rounds_word(board.benchmark)
    if board.tasks.is_of_one_round:
        verdict_noun = "attempt"
    diagnostics = board.diagnosis.of_submission(entry.id) if entry.submission_results else ()
    return {
        "samples": samples_in(map_cells, SHARES),
        "maps": maps,
        "worst": worst_tasks(board, entry),
        "map_states": states_in(map_cells),
        "costs": costs,
        "lacks_cost": not has_cost and not reports_cost(bundle.rounds, bundle.runs),
        "effort": run_effort(bundle.rounds, None, verdict_noun),
        "diagnosed": section_of(board, entry.agent.name, diagnostics),
        "transcripts": shown_source(board, entry),
    }


@page_kind(BoardRow, "reported.html.j2", "Agent")
def reported_page(row: BoardRow, templates: Templates) -> Iterator[View]:
    """Show a row of a published table as it was published."""
    board = row.records.board
    entry = row.entry
    if entry.table_line is None:
        return
    values = {
        **_shared_values(row, templates),
        "splits": _reported_splits(board, entry),
        "errata": errata_of(entry.table_line.table, []),
    }
    address = row.records.addresses.entry(entry.id)
    yield View(address, row.title, row_answer(board, entry), values)


def _reported_splits(board: Board, entry: Entry) -> list[TemplateValues]:
    """Return the scores by group of tasks in a published table, for each metric and axis."""
    if entry.table_line is None:
        return []
    axes = board.benchmark.axes
    splits: list[TemplateValues] = []
    for metric_id, reported_value in entry.table_line.row.values.items():
        metric = board.metrics.get(metric_id)
        if metric is None:
            continue
        for axis, groups in reported_value.groups.items():
            scores = []
            for group, figure in groups.items():
                scores.append((group, reported_score(metric, figure, board.track)))
            title = axes[axis].title if axis in axes else axis
            splits.append({"metric": metric, "axis": axis, "title": title, "scores": scores})
    return splits


def _shared_values(row: BoardRow, templates: Templates) -> TemplateValues:
    """Return the template values that pages of submissions and of published rows share."""
    records = row.records
    entry = row.entry
    board = records.board
    citation = citation_of(board, entry, records.releases, templates.site.address)
    return {
        "title": entry.agent.name,
        **_score_values(board, entry),
        "report": row_report(board, entry),
        "exports": row_files(board, entry),
        "charts": entry_chart_views(board, entry),
        "timeline": entry_timeline(records, entry),
        "citation": citation,
        "cited": cited_scores(board, entry, records.releases),
        **_evidence_values(board, entry),
    }


def _score_values(board: Board, entry: Entry) -> TemplateValues:
    """Return the scores of the board's columns, then other claimed or reported scores.

    Values that are the same for all scores are returned once: what they are averaged over, and why
    claims cannot be compared with them.
    """
    scores = [entry.scores[metric.id] for metric in board.columns if metric.id in entry.scores]
    for score in entry.scores.values():
        if score not in scores and (score.claims or entry.table_line):
            scores.append(score)
    claim_texts = [(score, _claim_outcome(score)) for score in scores]
    sources: dict[str, None] = {}
    for score in scores:
        for claim in score.claims:
            sources[claim.source or "the submitter"] = None
    extent = only_value(map(_extent_text, scores))
    claim_outcomes = [text for score, text in claim_texts if score.claims]
    return {
        "scores": claim_texts,
        "sources": list(sources),
        "extent": extent or "",
        "claim_outcome": only_value(claim_outcomes) or "",
    }


def _extent_text(score: Score) -> str:
    """Return a text on what a score is averaged over; empty if that is not known."""
    return score.extent.words if score.extent else ""


def _claim_outcome(score: Score) -> str:
    """Return why no claim can be compared with a score; empty if one can, or if reasons differ."""
    if score.value is not None and len(score.incomparable) < len(score.claims):
        return ""
    return only_value(score.claim_outcome(claim) for claim in score.claims) or ""


def _group_by_rule(board: Board, problems: Sequence[Problem]) -> list[list[Problem]]:
    """Return warnings and notes grouped by rule, with tasks named by their titles.

    Errors and caveats are left out, because the page shows them elsewhere.
    """
    groups: dict[str, list[Problem]] = defaultdict(list)
    for problem in problems:
        if not problem.is_error and problem.code != CAVEAT.code:
            groups[problem.code].append(replace(problem, what=_with_task_titles(board, problem)))
    return list(groups.values())


def _with_task_titles(board: Board, problem: Problem) -> str:
    """Return the description of a problem, with tasks named by their titles."""
    titles = labels.task_names(board)
    text = problem.what
    for task in problem.tasks:
        title = titles.get(task, task).replace("\\", r"\\")
        text = re.sub(rf"\bof {re.escape(task)}(?![\w-]|\.\w)", f"of {title}", text)
    return text


def _evidence_values(board: Board, entry: Entry) -> TemplateValues:
    """Return a row's present and missing evidence, what higher tiers require, and its reruns."""
    higher_tiers = _EVIDENCE_TIERS[_EVIDENCE_TIERS.index(entry.evidence) + 1 :]
    ways = []
    for item in EVIDENCE_ITEMS:
        if item.decides in higher_tiers:
            title = f"{item.title[:1].lower()}{item.title[1:]}"
            ways.append((item.decides, title))
    values: dict[str, object] = {
        "ways": ways,
        "there": [],
        "missing": [],
        "reruns": (),
        "rerun_odds": " ".join(rerun_sentences(board, entry)),
        "repeats": [],
    }
    if entry.bundle:
        evidence = list(evidence_in(board, entry, entry.bundle))
        values["there"] = [item for item in evidence if item[1].presence == "there"]
        values["missing"] = [item for item in evidence if item[1].presence != "there"]
        values["reruns"] = board.reproductions.get(entry.id, ())
        values["repeats"] = _repeated_submissions(board, entry)
    return values


def _repeated_submissions(board: Board, entry: Entry) -> list[str]:
    """Return the ids of the submissions that a submission is a rerun of."""
    repeated = []
    for submission_id, reruns in board.reproductions.items():
        rerun_ids = {rerun.rerun for rerun in reruns}
        if entry.id in rerun_ids:
            repeated.append(submission_id)
    return repeated


@authored_parts
def evidence_part(_: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show on the methods page which evidence determines the tiers."""
    values = {"sources": EVIDENCE_ITEMS}
    text = templates.fill("evidence_sources.html.j2", addresses.METHODS, values)
    yield Fragment(addresses.METHODS, "evidence", text)


def _facts_line(board: Board, entry: Entry) -> str:
    """Return the date, coverage and state of a submission in one line."""
    facts = [str(entry.date)]
    coverage = entry.coverage
    if coverage:
        facts.append(f"{coverage.tasks} of {counted(coverage.expected_tasks, 'task')}")
        if not board.tasks.is_of_one_round:
            rounds = counted(coverage.expected_rounds, labels.rounds_word(board.benchmark))
            facts.append(f"{coverage.rounds} of {rounds}")
    facts.append(entry.remark or entry.status.state)
    return " · ".join(facts)


def _rank_before_findings(board: Board, entry: Entry) -> str:
    """Return a row's ranks without the effects of findings; empty if they are the same."""
    board_before = board.without_findings
    entry_before = find_entry(board_before.all_entries, entry.id)
    if entry_before is None:
        return ""
    rank_before = labels.rank_text(board_before, entry_before)
    if rank_before == labels.rank_text(board, entry):
        return ""
    return rank_before


def _heat_maps(records: BoardRecords, entry: Entry) -> list[dict[str, Any]]:
    """Return a submission's maps of tasks by rounds, for its own work and the reference state."""
    board = records.board
    rounds_noun = labels.rounds_word(board.benchmark, 2)
    own_title = f"Tasks by {rounds_noun}"
    if board.tasks.is_of_one_round:
        own_title = "Attempts at tasks"
    reference_title = f"{rounds_noun.capitalize()} from the reference state"
    titles: Mapping[Start, str] = {"own": own_title, "reference": reference_title}
    maps: list[dict[str, Any]] = []
    for start, title in titles.items():
        heat_map = _HeatMap(records, entry, start)
        rows = sorted(heat_map.rows(), key=lambda row: -row["share"])
        if rows:
            column_count = max(len(row["cells"]) for row in rows)
            numbers = range(1, column_count + 1)
            is_of_attempts = heat_map.is_of_attempts
            maps.append(
                {"title": title, "numbers": numbers, "rows": rows, "of_attempts": is_of_attempts}
            )
    return maps


_ResultsByRound = Mapping[int, Sequence[RoundResult]]


@dataclass(frozen=True, slots=True)
class _HeatMap:
    """A map of a submission's tasks by rounds, for attempts with one kind of starting state."""

    records: BoardRecords
    entry: Entry
    start: Start

    @property
    def most_rounds(self) -> int:
        """The number of rounds of the longest task."""
        tasks = self.records.board.tasks.tasks
        return max((len(task.rounds) for task in tasks), default=0)

    @property
    def is_crowded(self) -> bool:
        """Whether a cell for every attempt at every round would exceed the size of a map."""
        board = self.records.board
        return len(board.tasks.tasks) * self.most_rounds * board.track.attempts > _MAX_MAP_CELLS

    @property
    def is_of_attempts(self) -> bool:
        """Whether its columns are attempts, because every task is a single round."""
        board = self.records.board
        return board.tasks.is_of_one_round and board.track.attempts > 1 and not self.is_crowded

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each attempt at a task, or for each task if attempts have no rows."""
        if self.is_of_attempts:
            yield from self._rows_of_attempts()
            return
        for task in self.records.board.tasks.tasks:
            attempts = self._attempts(task)
            has_several = len(attempts) > 1
            for attempt, results_by_round in attempts:
                row = self._row(task, attempt, results_by_round)
                if has_several:
                    row["title"] += f", attempt {attempt}"
                    row["address"] = self.records.run_address(
                        self.entry, task, f"attempt-{attempt}"
                    )
                elif not self._has_page(task):
                    row |= _pageless_run_values(self.records, self.entry, task)
                yield row

    def _has_page(self, task: Task) -> bool:
        """Return whether a run of the task has its own page; if not, this map shows its facts."""
        return self.start != "own" or self.records.has_run_page(self.entry, task)

    def _attempts(self, task: Task) -> Sequence[tuple[int, _ResultsByRound]]:
        """Return the attempts at a task that get a row, each with its results by round."""
        attempts = self.records.attempts(self.entry, task.id, self.start)
        if self.is_crowded and len(attempts) > 1:
            return [(1, self._results_of_all_attempts(task))]
        if not attempts and not self._has_page(task):
            return [(1, {})]  # links to the run point to this row
        rows = []
        for attempt, rounds in attempts:
            rows.append((attempt, {number: [result] for number, result in rounds.items()}))
        return rows

    def _results_of_all_attempts(self, task: Task) -> _ResultsByRound:
        results = {}
        for task_round in task.rounds:
            number = task_round.n
            results[number] = self.records.round_results(self.entry, task.id, number, self.start)
        return results

    def _rows_of_attempts(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each task of one round that was attempted, with a cell per attempt."""
        for task in self.records.board.tasks.tasks:
            (task_round,) = task.rounds
            attempts = self.records.attempts(self.entry, task.id, self.start)
            if not attempts and self._has_page(task):
                continue
            cells: list[HeatCell | None] = []
            counting: list[RoundResult] = []
            for attempt, results in attempts:
                shown = [results[task_round.n]] if task_round.n in results else []
                cell = round_cell(shown, self.records.usual_case_counts.get((task.id, 1)))
                anchor = addresses.round_anchor(task_round.n, attempt)
                address = self.records.run_address(self.entry, task, anchor)
                key = (self.entry.id, task.id, task_round.n)
                subject = f"{task.name}, attempt {attempt}"
                cells.append(cell.linked(self.records.board, key, subject, address))
                counting += counting_results(shown)
            row = self._row_values(task, cells, counting)
            if not self._has_page(task):
                row |= _pageless_run_values(self.records, self.entry, task)
            yield row

    def _row(self, task: Task, attempt: int, results_by_round: _ResultsByRound) -> dict[str, Any]:
        """Return a row of the map; a cell is None past the task's last round."""
        cells: list[HeatCell | None] = [None] * self.most_rounds
        for task_round in task.rounds:
            results = results_by_round.get(task_round.n, [])
            cells[task_round.n - 1] = self._cell(task, attempt, task_round, results)
        counting: list[RoundResult] = []
        for results in results_by_round.values():
            counting += counting_results(results)
        return self._row_values(task, cells, counting)

    def _row_values(
        self, task: Task, cells: Sequence[HeatCell | None], counting: Sequence[RoundResult]
    ) -> dict[str, Any]:
        """Return the values of a row of the map."""
        passed = count_solved(counting)
        return {
            "title": task.name,
            "address": self.records.run_address(self.entry, task),
            "cells": cells,
            "note": f"{passed} / {len(counting)}" if counting else GAP,
            # a task without counted rounds comes last
            "share": passed / len(counting) if counting else -1.0,
        }

    def _cell(
        self, task: Task, attempt: int, task_round: TaskRound, results: Sequence[RoundResult]
    ) -> HeatCell:
        records = self.records
        number = task_round.n
        cell = round_cell(results, records.usual_case_counts.get((task.id, number)))
        address = records.run_address(self.entry, task, addresses.round_anchor(number, attempt))
        subject = f"{task.name}, {labels.rounds_word(records.board.benchmark)} {number}"
        return cell.linked(records.board, (self.entry.id, task.id, number), subject, address)


def _pageless_run_values(records: BoardRecords, entry: Entry, task: Task) -> TemplateValues:
    """Return the complete description of a run that has no page of its own.

    Such a run consists of one round, and none of its cases is known.
    """
    attempts = records.sent_attempts(entry, task.id)
    results: list[RoundResult] = []
    for _, rounds in attempts:
        results += rounds.values()
    sentences = []
    if attempts:
        run_figures = records.run_figures.get((entry.id, task.id, attempts[0][0]))
        round_noun = labels.rounds_word(records.board.benchmark)
        sentences.append(run_effort(results, run_figures, round_noun))
    if records.attempts(entry, task.id) != attempts:
        sentences.append(f"without the finding: {round_cell(results).words}")
    source = source_of(records.board, entry, task.id)
    transcript = ""
    if source and reached_rounds(results):
        transcript = source.of(task.id, results[0].attempt, 1).page
    return {
        "address": records.addresses.task(task.id),
        "anchor": addresses.run_anchor(task.id),
        "about": join_texts(*sentences),
        "transcript": transcript,
    }


def _provenance(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Yield the name and value of each fact about how the runs were made."""
    submission = bundle.submission
    facts = submission.provenance.model_dump(exclude_none=True)
    if submission.agent.free:
        facts["agent declared free"] = True
    facts["cases"] = _CASE_DETAIL[submission.detail.cases] if bundle.rounds else "redacted"
    if submission.submitter:
        submitter = submission.submitter.model_dump(exclude_none=True, exclude_defaults=True)
        for name, value in submitter.items():
            facts[f"submitter {name}"] = value
    for name, value in facts.items():
        yield name.replace("_", " ").capitalize(), _format_fact(value)
    if not submission.provenance.harness:
        yield "Harness", "not stated"


def _format_fact(value: object) -> str:
    """Return a value of the manifest as it is displayed on a page."""
    match value:
        case bool():
            return "yes" if value else "no"
        case tuple():
            return ", ".join(map(str, value))
        case dict():
            return ", ".join(f"{name}: {item}" for name, item in value.items())
        case _:
            return str(value)


def _submitted_files(bundle: Bundle, benchmark_id: str) -> Iterator[Link]:
    """Yield links to the bundle's files on the site; symbolic links are not followed."""
    if not bundle.rounds or bundle.path.is_symlink():
        return
    for file in sorted(bundle.path.iterdir()):
        if addresses.is_carried(file.name) and file.is_file() and not file.is_symlink():
            path = f"submissions/{bundle.id}/{file.name}"
            address = addresses.raw_address(benchmark_id, path)
            yield Link(file.name, address)
