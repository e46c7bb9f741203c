"""Import results of promptfoo: one bundle for each provider and prompt, one task for each test."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import RankedAgent, chosen, clean_agent_name
from sitegen.importers.kit.cases import CaseLists
from sitegen.importers.kit.claims import mean_reward_claim
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import Format, ImportOptions, Progress
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rewards import check_rewards, parse_reward
from sitegen.importers.kit.rounds import GRADED, AgentResults, ImportSource
from sitegen.importers.kit.times import parse_timestamp
from sitegen.importers.kit.tree import SourceTree, digest_of
from sitegen.importers.promptfoo.files import find_files, read_file
from sitegen.importers.promptfoo.providers import ProviderName, parse_provider
from sitegen.importers.promptfoo.records import (
    ColumnSummary,
    PromptColumn,
    ResultFile,
    TestCase,
    TestResult,
)
from sitegen.importers.promptfoo.rules import UNCHECKED
from sitegen.importers.promptfoo.tests import number_tests
from sitegen.models.incoming import Incoming
from sitegen.models.outcome import PASS_REWARD
from sitegen.models.submission import Claims, Provenance
from sitegen.problems import UsageError, listed

SUCCESS = "success"
"""The metric of a reward that is 1 for a passed test, and 0 for a failed test."""
SCORE = "score"
"""The metric of a reward that is the score of a test's assertions."""

_NEWEST_FORMAT = 4
"""The newest version of the results format with which this importer was checked."""

_MAX_NAMED_TESTS = 5
"""Maximum number of tests listed in a message; the rest are counted."""

_EMPTY = "no results file of promptfoo was found, whether JSON, JSON Lines, YAML or CSV"
_EXPORT = (
    "XML, HTML and test reports can't be read: write the results as JSON, with "
    "`promptfoo eval -o results.json`, or `promptfoo export eval latest -o results.json` for a "
    "finished evaluation"
)
_ADD_ASSERTIONS = "add assertions to the tests, run them again, and import the new results"
_RUN_AGAIN = "run the evaluation again, for example with `promptfoo eval --filter-errors-only FILE`"


def read_promptfoo(source: Path, options: ImportOptions) -> Incoming:
    """Return the bundles of a results file, or of a folder of results files."""
    log = ImportLog(source)
    tree = SourceTree(source)
    files = _read_files(tree, options, log)
    log.problems += tree.problems()
    log.stop_at_errors()
    if not files:
        log.stop_at_nothing(rules.NOTHING_FOUND, _EMPTY, _EXPORT)
    models = _choose_models(files, options)
    imported = ImportSource(log, columns=GRADED, undated=rules.DATE_ASSUMED)
    imported.summary = _summarise_tests(files)
    metric = _choose_metric(files, options, log)
    builder = _EvalBuilder(imported, CaseLists(), options, metric)
    runs = []
    for file in files:
        runs += builder.build_runs(file, models)
    log.stop_at_errors()
    imported.runs = join_runs(runs, options, log)
    for run in imported.runs:
        _report_aborted(run, log)
    for round_key in builder.case_lists.lists:
        cases = builder.case_lists.facts[round_key]
        names = builder.case_lists.usual(round_key)
        imported.cases[round_key] = tuple(cases[name] for name in names)
    return imported.imported(options)


def recognise(tree: SourceTree) -> str | None:
    """Return a phrase that names a results file of promptfoo; None if there is none."""
    return tree.example("results of promptfoo", find_files(tree))


FORMAT = Format(
    read_promptfoo,
    "main",
    extras=frozenset({"metric", "scale", "runs", "pick"}),
    takes_files=True,
    recognise=recognise,
)


def _read_files(tree: SourceTree, options: ImportOptions, log: ImportLog) -> list[ResultFile]:
    """Return the evaluations of a source in chronological order, excluding copies."""
    paths = list(find_files(tree))
    pace = Progress(len(paths), options.watch)
    stems_with_ids = {path.with_suffix("") for path in paths if path.suffix.lower() != ".csv"}
    files = []
    copies = []
    ids_of_all: set[str] = set()
    for path in paths:
        pace.step()
        digest = digest_of([path]) or ""
        # CSV files have no ids, but repeat the results of a file with the same name.
        repeats_file = path.suffix.lower() == ".csv" and path.with_suffix("") in stems_with_ids
        if repeats_file or digest in ids_of_all:
            copies.append(path)
            continue
        file = read_file(path, log)
        if file is None:
            continue
        ids = {digest, file.evaluation, *(result.id for result in file.results)}
        ids.discard("")
        if ids_of_all.isdisjoint(ids):
            files.append(file)
        else:
            copies.append(path)
        ids_of_all |= ids
    log.note_passed_over("it contains the results of another file", copies)
    for file in files:
        log.warn_if_newer("promptfoo's format of results", file.format_version, _NEWEST_FORMAT)
    return sorted(files, key=lambda file: (file.timestamp, file.path.name))


def _choose_models(files: Sequence[ResultFile], options: ImportOptions) -> set[str]:
    """Return the names of the models to import."""
    models: list[str] = []
    for file in files:
        models += map(_model_name, file.columns.values())
    return set(chosen(models, options))


def _choose_metric(files: Sequence[ResultFile], options: ImportOptions, log: ImportLog) -> str:
    """Return the name of the score that is the reward; a choice among several is reported.

    Raises:
        UsageError: There is no score with the requested name.
    """
    has_graded = False
    names: dict[str, None] = {}
    for file in files:
        for result in file.results:
            names |= dict.fromkeys(result.named_scores)
            has_graded |= result.success is not None and _is_graded(result)
    metric = options.metric
    if metric is not None:
        if metric not in {SUCCESS, SCORE, *names}:
            metrics = listed((SUCCESS, SCORE, *names))
            raise UsageError(f"the source has no score {one_line(metric)}; it has: {metrics}")
        return metric
    if options.scale is not None:
        log.assume(f"`{SCORE}` is the reward, since a scale is stated")
        return SCORE
    if has_graded or names:
        metrics = listed((SCORE, *names))
        fact = "a test that promptfoo passes has the reward 1"
        log.assume(f"{fact} (`--metric` selects another score: {metrics})")
    return SUCCESS


def _is_graded(result: TestResult) -> bool:
    """Return whether the score of a result differs from its verdict, taken as 1 or 0."""
    return result.score is not None and result.score != float(bool(result.success))


def _summarise_tests(files: Sequence[ResultFile]) -> str:
    """Return a sentence that describes the track, with the descriptions of its evaluations."""
    descriptions = dict.fromkeys(file.description for file in files if file.description)
    if not descriptions:
        return "Tests of promptfoo."
    return f"Tests of promptfoo: {listed(descriptions, 3)}."


@dataclass(frozen=True, slots=True)
class _EvalBuilder:
    """Builds runs from evaluations."""

    source: ImportSource
    """Receives the titles and labels of tasks."""
    case_lists: CaseLists
    """Receives the cases of tasks."""
    options: ImportOptions
    metric: str
    reported_tests: set[str] = field(default_factory=set)
    """The lists of tests without assertions that have already been reported."""

    def build_runs(self, file: ResultFile, models: Collection[str]) -> list[AgentResults]:
        """Return a run for each column of an evaluation whose model is to be imported."""
        cases = _collect_cases(file)
        attempt_keys = self._number_attempts(file, cases)
        for test, (task, _) in attempt_keys.items():
            self.source.titles[task] = task
            self.source.labels[task] |= cases[test].labels
        self._check_successes(file)
        runs = []
        for column, entrant in _name_agents(file, self.source.log).items():
            if _model_name(file.columns[column]) in models:
                runs.append(self._build_run(file, column, entrant, attempt_keys))
        return runs

    def _number_attempts(
        self, file: ResultFile, cases: Mapping[int, TestCase]
    ) -> dict[int, tuple[str, int]]:
        """Return the task and the attempt that each test becomes, keyed by the test's number.

        Tests without assertions are left out, and reported, unless a named score is the reward.
        """
        log = self.source.log
        attempt_keys, repeated_tasks = number_tests(cases)
        if repeated_tasks:
            names = listed(map(one_line, repeated_tasks), _MAX_NAMED_TESTS)
            log.assume(
                "each occurrence of a test that occurs more often than others is a "
                f"separate task: {names}"
            )
        if self.metric not in {SUCCESS, SCORE}:
            return attempt_keys
        checked = {result.test for result in file.results if result.case.is_checked}
        if not checked and cases:
            name = log.name(file.path)
            message = f"no test of {name} has an assertion, so promptfoo passes all of them"
            log.problems.append(
                rules.NOTHING_SCORED.broken(file.path, None, message, _ADD_ASSERTIONS)
            )
            return {}
        unchecked = [attempt_keys[test][0] for test in cases if test not in checked]
        if unchecked:
            self._report_unchecked(unchecked, file)
        return {test: key for test, key in attempt_keys.items() if test in checked}

    def _report_unchecked(self, tasks: Sequence[str], file: ResultFile) -> None:
        """Report tests without assertions, only once if several files have the same tests."""
        fact = listed(map(one_line, dict.fromkeys(tasks)), _MAX_NAMED_TESTS)
        if fact not in self.reported_tests:
            self.reported_tests.add(fact)
            self.source.log.add_with_caveat(UNCHECKED, file.path, fact, None, fact)

    def _check_successes(self, file: ResultFile) -> None:
        """Report a stated number of passed tests that differs from the results of the file."""
        passed = sum(result.success is True for result in file.results)
        if file.successes not in {None, passed}:
            log = self.source.log
            statement = f"{log.name(file.path)} states {file.successes} passed results"
            fact = f"{statement}, but contains {passed}"
            log.add_with_caveat(rules.SCORE_DIFFERS, file.path, fact, None, fact)

    def _build_run(
        self,
        file: ResultFile,
        column: int,
        entrant: RankedAgent,
        attempt_keys: Mapping[int, tuple[str, int]],
    ) -> AgentResults:
        """Return the run of one column, without rounds if any reward is outside 0 to 1."""
        log = self.source.log
        provider = _parse_provider(file.columns[column])
        if not entrant.name and self.options.agent:
            entrant = replace(entrant, name=self.options.agent)
        facts: dict[str, object] = {"organization": provider.organization, "model": provider.model}
        run = AgentResults(file.path, entrant, facts)
        _set_provenance(run, file)
        results = [result for result in file.results if result.column == column]
        results = [result for result in results if result.test in attempt_keys]
        tried_tasks = {attempt_keys[result.test][0] for result in results}
        self._plan_tasks(run, file, tried_tasks, attempt_keys)
        rewards = [self._compute_reward(result) for result in results]
        usable = [reward for reward in rewards if reward is not None]
        score_name = f"score `{one_line(self.metric)}` of {log.name(file.path)}"
        if not check_rewards(usable, file.path, log, self.options.scale, score_name):
            return run
        for result in results:
            self._add_result(result, attempt_keys[result.test], run)
        run.attempts = max((attempt for _, attempt in attempt_keys.values()), default=1)
        summary = file.summaries.get(column)
        if summary:
            run.claims = _claim_mean(summary, self.metric)
        return run

    def _plan_tasks(
        self,
        run: AgentResults,
        file: ResultFile,
        tried_tasks: Collection[str],
        attempt_keys: Mapping[int, tuple[str, int]],
    ) -> None:
        """Set which tasks a run was to attempt, excluding tests that are only for other columns."""
        restricted_tests = {result.test for result in file.results if result.case.is_restricted}
        tests_by_task: defaultdict[str, set[int]] = defaultdict(set)
        for test, (task, _) in attempt_keys.items():
            tests_by_task[task].add(test)
        missing = []
        planned = []
        for task, tests in tests_by_task.items():
            if task not in tried_tasks and tests <= restricted_tests:
                missing.append(task)
            else:
                planned.append(task)
        run.missing = missing
        run.planned = planned
        if missing:
            names = listed(map(one_line, missing), _MAX_NAMED_TESTS)
            self.source.log.add_doubt(
                rules.PART_OF_TASKS, file.path, run.spot(), f"all except {names}"
            )

    def _compute_reward(self, result: TestResult) -> float | None:
        """Return the reward of a result; None if it has none."""
        if result.cause:
            return None
        if self.metric == SUCCESS:
            return parse_reward(result.success)
        if self.metric == SCORE:
            return parse_reward(result.score, self.options.scale)
        return parse_reward(result.named_scores.get(self.metric), self.options.scale)

    def _add_result(
        self, result: TestResult, attempt_key: tuple[str, int], run: AgentResults
    ) -> None:
        """Add the reward of a result to its run, or the reason why it has none."""
        facts: dict[str, Any] = {
            "input_tokens": result.input_tokens,
            "cached_tokens": result.cached_tokens,
            "output_tokens": result.output_tokens,
            "cost_usd": result.cost_usd,
            "agent_seconds": result.seconds,
        }
        reward = self._compute_reward(result)
        if reward is None:
            cause = result.cause or f"no score {one_line(self.metric)}"
            run.grade(*attempt_key, 0.0, cause, **facts)
            return
        facts["measures"] = self._collect_measures(result) or None
        outcomes = "".join(check.outcome for check in result.checks)
        # With a threshold or weights, a test can pass despite a failed assertion; its cases would
        # contradict its reward.
        if outcomes and (reward >= PASS_REWARD) == ("f" not in outcomes):
            task, _ = attempt_key
            facts["case_ids"] = self.case_lists.add((task, 1), result.checks)
            facts |= {"outcomes": outcomes, "passed": outcomes.count("p"), "total": len(outcomes)}
        run.grade(*attempt_key, reward, **facts)

    def _collect_measures(self, result: TestResult) -> dict[str, float]:
        """Return the scores of a result other than its reward, keyed by the name of the measure."""
        success = parse_reward(result.success)
        scores = {SCORE: result.score, SUCCESS: success, **result.named_scores}
        scores.pop(self.metric, None)
        if self.metric == SUCCESS and not _is_graded(result):
            del scores[SCORE]
        measures = {}
        for name, value in scores.items():
            if value is not None:
                measures[f"{name.replace('@', ' at ')}@promptfoo"] = value
        return measures


def _collect_cases(file: ResultFile) -> dict[int, TestCase]:
    """Return the tests of an evaluation by number, each as its first column describes it."""
    cases: dict[int, TestCase] = {}
    for result in sorted(file.results, key=lambda result: (result.test, result.column)):
        cases.setdefault(result.test, result.case)
    return cases


def _set_provenance(run: AgentResults, file: ResultFile) -> None:
    """Set the day and the provenance of a run."""
    started = parse_timestamp(file.timestamp)
    run.day = started.date() if started else None
    run.provenance = Provenance(
        harness="promptfoo",
        harness_version=file.runner_version,
        jobs=(file.evaluation,) if file.evaluation else None,
        started=started,
    )


def _parse_provider(column: PromptColumn) -> ProviderName:
    return parse_provider(column.provider)


def _model_name(column: PromptColumn) -> str:
    """Return the name by which `--model` selects a column's model."""
    return clean_agent_name(column.label) or _parse_provider(column).name


def _name_agents(file: ResultFile, log: ImportLog) -> dict[int, RankedAgent]:
    """Return the agent of each column, keyed by column number.

    Agents differ by model, provider, prompt and reasoning setting.
    """
    prompts = {column.prompt for column in file.columns.values()}
    has_several_prompts = len(prompts) > 1
    entrants = {}
    for number, column in sorted(file.columns.items()):
        entrants[number] = RankedAgent(
            name=_model_name(column),
            scaffold=clean_agent_name(column.prompt) if has_several_prompts else "",
            reasoning=file.reasoning.get(number, ""),
            provider=_parse_provider(column).provider,
        )
    if has_several_prompts:
        log.assume("every prompt is a separate agent, with the prompt's name as the scaffold")
    _distinguish_agents(entrants, log)
    return entrants


def _distinguish_agents(entrants: dict[int, RankedAgent], log: ImportLog) -> None:
    """Number the configurations of agents that would otherwise have the same name."""
    counts = Counter(entrants.values())
    numbers: Counter[RankedAgent] = Counter()
    for column, entrant in entrants.items():
        if counts[entrant] == 1:
            continue
        numbers[entrant] += 1
        scaffold = f"configuration {numbers[entrant]}"
        if entrant.scaffold:
            scaffold = f"{entrant.scaffold}, {scaffold}"
        entrants[column] = replace(entrant, scaffold=scaffold)
        fact = f"{entrant.name} occurs several times, and each of its columns is a separate agent"
        log.assume(fact)


def _claim_mean(summary: ColumnSummary, metric: str) -> Claims | None:
    """Return promptfoo's mean of the reward as a claim; None unless it is from 0 to 1."""
    mean: float | None
    if metric == SUCCESS:
        mean = summary.passed / summary.total
        source = f"promptfoo: pass rate of {summary.total} results"
    elif metric == SCORE:
        mean = None if summary.score is None else summary.score / summary.total
        source = f"promptfoo: mean score of {summary.total} results"
    else:
        mean = summary.named_scores.get(metric)
        source = f"promptfoo: mean of {one_line(metric)}"
    if mean is None or not 0 <= mean <= 1:
        return None
    return mean_reward_claim(mean, source)


def _report_aborted(run: AgentResults, log: ImportLog) -> None:
    """Report attempts without a verdict, and refuse an agent without any other attempts."""
    aborted = [result for result in run.results.values() if result.state == "aborted"]
    if aborted and len(aborted) == len(run.results):
        causes = listed(dict.fromkeys(str(result.cause) for result in aborted), 3)
        message = f"no result of {run.entrant} has a verdict: {causes}"
        log.problems.append(rules.NOTHING_SCORED.broken(run.path, None, message, _RUN_AGAIN))
        return
    for result in aborted:
        spot = run.spot(result.task, result.attempt)
        log.add_doubt(rules.RUN_FAILED, run.path, spot, str(result.cause))
