"""Imports results of promptfoo: a bundle for each provider and prompt, a task for each test."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import Entrant, chosen, named
from sitegen.importers.kit.cases import CaseLists
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import Format, ImportOptions, Pace
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rewards import check_rewards, reward_of
from sitegen.importers.kit.rounds import GRADED, Run, Source
from sitegen.importers.kit.told import moment
from sitegen.importers.kit.tree import Tree, digest_of
from sitegen.importers.promptfoo.files import find_files, read_file
from sitegen.importers.promptfoo.providers import ProviderName, parse_provider
from sitegen.importers.promptfoo.records import Column, Result, ResultFile, Stated, TestCase
from sitegen.importers.promptfoo.rules import UNCHECKED
from sitegen.importers.promptfoo.tests import places_of
from sitegen.metrics.catalogue import MEAN_REWARD
from sitegen.models.incoming import Incoming
from sitegen.models.outcome import PASS_REWARD
from sitegen.models.submission import Claims, Provenance
from sitegen.problems import UsageError, listed

SUCCESS, SCORE = "success", "score"
"""What the reward can be, apart from a named score: whether a test passes, or the score of its assertions."""

_NEWEST_FORMAT = 4
"""The newest version of the results' format that this importer was checked with."""

_NAMED_TESTS = 5
"""Tests that are named in a message; the others are counted."""

_EMPTY = "nothing in it is a file of results of promptfoo, as JSON, JSON Lines or CSV"


def read_promptfoo(source: Path, options: ImportOptions) -> Incoming:
    """Read a file of results, or a folder of them. Every provider with a prompt becomes a bundle."""
    report = Report(source)
    tree = Tree(source)
    files = _read_files(tree, options, report)
    report.problems += tree.problems()
    report.stop_at_errors()
    if not files:
        report.stop_at_nothing(rules.NOTHING_FOUND, _EMPTY)
    columns = [column for file in files for column in file.columns.values()]
    models = set(chosen(map(_model_name, columns), options))
    imported = Source(report, columns=GRADED, undated=rules.DATE_ASSUMED)
    imported.summary = _summary(files)
    reader = _ColumnReader(imported, CaseLists(), options, _metric(files, options, report))
    runs = [run for file in files for run in reader.runs(file, models)]
    report.stop_at_errors()
    imported.runs = join_runs(runs, options, report)
    for run in imported.runs:
        _check_scored(run, report)
    for round_key in reader.lists.lists:
        facts = reader.lists.facts[round_key]
        imported.cases[round_key] = tuple(facts[name] for name in reader.lists.usual(round_key))
    return imported.imported(options)


def recognise(tree: Tree) -> str | None:
    """Return what shows that a source holds results of promptfoo: the first file of them."""
    return tree.example("results of promptfoo", find_files(tree))


FORMAT = Format(
    read_promptfoo,
    "main",
    extras=frozenset({"metric", "scale", "runs", "pick"}),
    takes_files=True,
    recognise=recognise,
)


def _read_files(tree: Tree, options: ImportOptions, report: Report) -> list[ResultFile]:
    """Return the evaluations of a source in the order of time, each once."""
    paths = list(find_files(tree))
    pace = Pace(len(paths), options.watch)
    files = []
    copies = []
    seen_ids: set[str] = set()
    stems_with_ids = {path.with_suffix("") for path in paths if path.suffix.lower() != ".csv"}
    for path in paths:
        pace.step()
        digest = digest_of([path]) or ""
        # CSV has no ids: beside a file of the same name, it holds the same results.
        is_table_beside = path.suffix.lower() == ".csv" and path.with_suffix("") in stems_with_ids
        if is_table_beside or digest in seen_ids:
            copies.append(path)
            continue
        file = read_file(path, report)
        if file is None:
            continue
        ids = {digest, file.evaluation, *(result.id for result in file.results)}
        ids.discard("")
        if seen_ids.isdisjoint(ids):
            files.append(file)
        else:
            copies.append(path)
        seen_ids |= ids
    report.passed_over("it holds the results of another file", copies)
    for file in files:
        report.newer_version("promptfoo's format of results", file.format_version, _NEWEST_FORMAT)
    return sorted(files, key=lambda file: (file.timestamp, file.path.name))


def _metric(files: Sequence[ResultFile], options: ImportOptions, report: Report) -> str:
    """Return what the reward is, and say so where a test has several scores.

    Raises:
        UsageError: There is no score of the name that was asked for.
    """
    results = [result for file in files for result in file.results]
    names = dict.fromkeys(name for result in results for name in result.named)
    if options.metric is None and options.scale is not None:
        report.assume(f"`{SCORE}` is the reward, since a scale is stated")
        return SCORE
    if options.metric is None:
        differing = [
            result for result in results if result.success is not None and _is_graded(result)
        ]
        if differing or names:
            others = listed((SCORE, *names))
            report.assume(
                f"a test that promptfoo passes has the reward 1 (`--metric` takes another score: {others})"
            )
        return SUCCESS
    if options.metric not in {SUCCESS, SCORE, *names}:
        metric_names = listed((SUCCESS, SCORE, *names))
        raise UsageError(
            f"the source has no score {one_line(options.metric)}; it has: {metric_names}"
        )
    return options.metric


def _is_graded(result: Result) -> bool:
    """Return whether the score of a result says something else than its verdict."""
    return result.score is not None and result.score != float(bool(result.success))


def _summary(files: Sequence[ResultFile]) -> str:
    """Return a sentence about the conditions of the track."""
    descriptions = dict.fromkeys(file.description for file in files if file.description)
    return (
        f"Tests of promptfoo: {listed(descriptions, 3)}." if descriptions else "Tests of promptfoo."
    )


@dataclass(frozen=True, slots=True)
class _ColumnReader:
    """Makes runs of evaluations."""

    source: Source
    lists: CaseLists
    options: ImportOptions
    metric: str
    reported_tests: set[str] = field(default_factory=set)
    """Tests that were reported already."""

    def runs(self, file: ResultFile, models: Collection[str]) -> list[Run]:
        """Return a run for each column of an evaluation whose model is wanted."""
        cases = _cases(file)
        places = self._places(file, cases)
        for test, (name, _) in places.items():
            self.source.titles[name] = name
            self.source.labels[name] |= cases[test].labels
        self._check_successes(file)
        runs = []
        for number, entrant in _entrants(file, self.source.report).items():
            if _model_name(file.columns[number]) in models:
                runs.append(self._run(file, number, entrant, places))
        return runs

    def _places(
        self, file: ResultFile, cases: Mapping[int, TestCase]
    ) -> dict[int, tuple[str, int]]:
        """Return the task and the attempt that each test is, without tests that check nothing."""
        report = self.source.report
        places = places_of(cases)
        if places.repeated_tasks:
            names = listed(map(one_line, places.repeated_tasks), _NAMED_TESTS)
            report.assume(f"a test that occurs more often than others is a task each time: {names}")
        if self.metric not in {SUCCESS, SCORE}:
            return places.by_test
        checked = {result.test for result in file.results if result.case.is_checked}
        unchecked = [places.by_test[test][0] for test in cases if test not in checked]
        if unchecked:
            self._leave_out(unchecked, file, is_all=not checked)
        return {test: place for test, place in places.by_test.items() if test in checked}

    def _leave_out(self, names: Sequence[str], file: ResultFile, *, is_all: bool) -> None:
        report = self.source.report
        if is_all:
            message = f"no test of {report.name(file.path)} has an assertion, so that promptfoo passes all of them"
            fix = "add assertions to the tests, run them again, and import the new results"
            report.problems.append(rules.NOTHING_SCORED.broken(file.path, None, message, fix))
            return
        fact = listed(map(one_line, dict.fromkeys(names)), _NAMED_TESTS)
        if fact not in self.reported_tests:
            self.reported_tests.add(fact)
            report.say(UNCHECKED, file.path, fact, None, fact)

    def _check_successes(self, file: ResultFile) -> None:
        """Compare how many tests passed with what the file says: its results count."""
        passed = sum(result.success is True for result in file.results)
        if file.successes not in {None, passed}:
            fact = f"{self.source.report.name(file.path)} states {file.successes} passed results, and holds {passed}"
            self.source.report.say(rules.SCORE_DIFFERS, file.path, fact, None, fact)

    def _run(
        self, file: ResultFile, number: int, entrant: Entrant, places: Mapping[int, tuple[str, int]]
    ) -> Run:
        """Return the rounds of one column."""
        report = self.source.report
        provider = _provider_of(file.columns[number])
        if not entrant.name and self.options.agent:
            entrant = replace(entrant, name=self.options.agent)
        facts: dict[str, object] = {"organization": provider.organization, "model": provider.model}
        run = Run(file.path, entrant, facts)
        _date(run, file)
        own_results = [result for result in file.results if result.column == number]
        results = [result for result in own_results if result.test in places]
        self._plan(run, file, {places[result.test][0] for result in results}, places)
        rewards = [self._reward(result) for result in results]
        usable = [reward for reward in rewards if reward is not None]
        where = f"score `{one_line(self.metric)}` of {report.name(file.path)}"
        if not check_rewards(usable, file.path, report, self.options.scale, where):
            return run
        for result in results:
            self._grade(result, places[result.test], run)
        run.attempts = max((attempt for _, attempt in places.values()), default=1)
        stated = file.stated.get(number)
        if stated:
            run.claims = _claims(stated, self.metric)
        return run

    def _plan(
        self,
        run: Run,
        file: ResultFile,
        tried_tasks: Collection[str],
        places: Mapping[int, tuple[str, int]],
    ) -> None:
        """Say of a run which tasks it was to try: those of tests that are meant for it."""
        restricted_tests = {result.test for result in file.results if result.case.is_restricted}
        tests: defaultdict[str, set[int]] = defaultdict(set)
        for test, (name, _) in places.items():
            tests[name].add(test)
        missing = []
        planned = []
        for name, numbers in tests.items():
            if name not in tried_tasks and numbers <= restricted_tests:
                missing.append(name)
            else:
                planned.append(name)
        run.missing, run.planned = missing, planned
        if missing:
            names = listed(map(one_line, missing), _NAMED_TESTS)
            self.source.report.doubt(rules.PART_OF_TASKS, file.path, run.spot(), f"not for {names}")

    def _reward(self, result: Result) -> float | None:
        """Return the reward of a result; None where it has none."""
        if result.cause:
            return None
        if self.metric == SUCCESS:
            return reward_of(result.success)
        value = result.score if self.metric == SCORE else result.named.get(self.metric)
        return reward_of(value, self.options.scale)

    def _grade(self, result: Result, place: tuple[str, int], run: Run) -> None:
        """Take the reward of a result, or why it has none."""
        reward = self._reward(result)
        facts: dict[str, Any] = {
            "input_tokens": result.input_tokens,
            "cached_tokens": result.cached_tokens,
            "output_tokens": result.output_tokens,
            "cost_usd": result.cost_usd,
            "agent_seconds": result.seconds,
        }
        if reward is None:
            cause = result.cause or f"no score {one_line(self.metric)}"
            run.grade(*place, 0.0, cause, **facts)
            return
        facts["measures"] = self._measures(result) or None
        outcomes = "".join(check.outcome for check in result.checks)
        # A threshold or weights can pass a test in spite of a failed assertion: then its verdict alone is kept.
        if outcomes and (reward >= PASS_REWARD) == ("f" not in outcomes):
            facts["case_ids"] = self.lists.add((place[0], 1), result.checks)
            facts |= {"outcomes": outcomes, "passed": outcomes.count("p"), "total": len(outcomes)}
        run.grade(*place, reward, **facts)

    def _measures(self, result: Result) -> dict[str, float]:
        """Return the scores of a result that are not its reward."""
        scores = {SCORE: result.score, SUCCESS: reward_of(result.success), **result.named}
        scores.pop(self.metric, None)
        if self.metric == SUCCESS and not _is_graded(result):
            del scores[SCORE]
        measures = {}
        for name, value in scores.items():
            if value is not None:
                measures[f"{name.replace('@', ' at ')}@promptfoo"] = value
        return measures


def _cases(file: ResultFile) -> dict[int, TestCase]:
    """Return the tests of an evaluation by their numbers, as their first columns describe them."""
    cases: dict[int, TestCase] = {}
    for result in sorted(file.results, key=lambda result: (result.test, result.column)):
        cases.setdefault(result.test, result.case)
    return cases


def _date(run: Run, file: ResultFile) -> None:
    """Say of a run when it was made, and what with."""
    started = moment(file.timestamp)
    run.day = started.date() if started else None
    run.provenance = Provenance(
        harness="promptfoo",
        harness_version=file.runner_version,
        jobs=(file.evaluation,) if file.evaluation else None,
        started=started,
    )


def _provider_of(column: Column) -> ProviderName:
    return parse_provider(column.provider)


def _model_name(column: Column) -> str:
    """Return the name by which `--model` knows a column."""
    return named(column.label) or _provider_of(column).name


def _entrants(file: ResultFile, report: Report) -> dict[int, Entrant]:
    """Return who is ranked, by the number of the column: provider, prompt and reasoning setting tell agents apart."""
    prompts = {column.prompt for column in file.columns.values()}
    entrants = {}
    for number, column in sorted(file.columns.items()):
        scaffold = named(column.prompt) if len(prompts) > 1 else ""
        provider = _provider_of(column).provider
        entrants[number] = Entrant(
            _model_name(column), scaffold, file.reasoning.get(number, ""), provider
        )
    if len(prompts) > 1:
        report.assume("every prompt makes an agent of its own, and its name stands as the scaffold")
    counts = Counter(entrants.values())
    seen: Counter[Entrant] = Counter()
    for number, entrant in entrants.items():
        if counts[entrant] > 1:
            seen[entrant] += 1
            parts = (entrant.scaffold, f"configuration {seen[entrant]}")
            scaffold = ", ".join(filter(None, parts))
            entrants[number] = replace(entrant, scaffold=scaffold)
            report.assume(
                f"{entrant.name} occurs several times, and each of its columns is an agent of its own"
            )
    return entrants


def _claims(stated: Stated, metric: str) -> Claims | None:
    """Return what promptfoo works out for a column as a claim; None where it says nothing of the reward."""
    if metric == SUCCESS:
        value: float | None = stated.passed / stated.total
        source_words = f"promptfoo: pass rate of {stated.total} results"
    elif metric == SCORE:
        value = None if stated.score is None else stated.score / stated.total
        source_words = f"promptfoo: mean score of {stated.total} results"
    else:
        value = stated.named.get(metric)
        source_words = f"promptfoo: mean of {one_line(metric)}"
    if value is None or not 0 <= value <= 1:
        return None
    return Claims(source=source_words, **{MEAN_REWARD.id: Decimal(repr(value))})


def _check_scored(run: Run, report: Report) -> None:
    """Report attempts without a verdict, and refuse an agent that has no other ones."""
    causes = {
        place: result.cause for place, result in run.results.items() if result.state == "aborted"
    }
    if causes and len(causes) == len(run.results):
        message = f"no result of {run.entrant} has a verdict: {listed(dict.fromkeys(map(str, causes.values())), 3)}"
        fix = (
            "run the evaluation again, for example with `promptfoo eval --filter-errors-only FILE`"
        )
        report.problems.append(rules.NOTHING_SCORED.broken(run.path, None, message, fix))
        return
    for (task, attempt, _, _), cause in causes.items():
        report.doubt(rules.TRIES_FAILED, run.path, run.spot(task, attempt), str(cause))
