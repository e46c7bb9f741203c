"""Build the run of an agent from the documents of its tasks: one round per document."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import clean_agent_name, model_owner
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.lines import read_objects
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import AgentResults, ImportSource
from sitegen.importers.kit.transcripts import transcript_of
from sitegen.importers.lm_eval.agents import AgentTasks
from sitegen.importers.lm_eval.files import as_list, as_text
from sitegen.importers.lm_eval.scored import ScoredTask
from sitegen.importers.lm_eval.scores import RepeatedTask, ScoreChoice, why_unusable
from sitegen.importers.lm_eval.summary import FigureComparison
from sitegen.models.submission import Provenance
from sitegen.problems import ProblemsError, listed

SUBSET = "subset"
"""The label that names a document's task in the harness."""

DOCUMENTS_DIFFER = rules.TASK_REDEFINED.specific(
    "import these models into separate tracks: choose a model with `--model`, and start a "
    "track with `--track` and `--new-track`",
)

_MAX_REASON_LENGTH = 300


def add_run(
    agent: AgentTasks,
    choices: Mapping[str, ScoreChoice],
    options: ImportOptions,
    source: ImportSource,
) -> None:
    """Add the run of an agent to a source: all documents of all tasks that have a reward."""
    run = _start_run(agent)
    scored_tasks: list[ScoredTask] = []
    comparison = FigureComparison()
    for task, attempts in agent.attempts.items():
        for number, attempt in enumerate(attempts, start=1):
            scored = _score_attempt(attempt, number, choices.get(task), options.scale)
            if isinstance(scored, str):
                reason = one_line(scored, _MAX_REASON_LENGTH)
                source.log.add_doubt(rules.LEFT_OUT, attempt.output.path, run.spot(task), reason)
                continue
            rewards = _grade_documents(scored, run, source)
            comparison.compare_task(scored, rewards, run, source.log)
            scored_tasks.append(scored)
    run.claims = comparison.build_claims()
    run.transcripts = partial(_read_transcripts, scored_tasks, agent.model)
    if run.results:
        source.runs.append(run)


def _start_run(agent: AgentTasks) -> AgentResults:
    """Return a run without rounds, described by the last results file."""
    last = max(agent.outputs, key=lambda output: output.file.time)
    provenance = Provenance(
        harness="lm-evaluation-harness",
        harness_version=clean_agent_name(last.file.version) or None,
        code_commit=clean_agent_name(as_text(last.file.content.get("git_hash"))) or None,
    )
    facts: dict[str, object] = {"organization": model_owner(agent.model)}
    return AgentResults(
        last.path.parent, agent.agent, facts, day=last.file.day, provenance=provenance
    )


def _score_attempt(
    attempt: RepeatedTask, number: int, choice: ScoreChoice | None, scale: float | None
) -> ScoredTask | str:
    """Return a task of a run with the score that is its reward, or why the task is left out."""
    documents = attempt.documents
    if documents is None:
        return "its file of samples (`samples_*.jsonl`) is missing"
    if not documents.names:
        return "its file of samples (`samples_*.jsonl`) is empty"
    if choice is None:
        return "it has no score"
    if choice.score is None:
        return choice.shown_reasons
    fault = why_unusable(attempt, choice.score, scale, is_requested=choice.is_requested)
    if fault:
        return fault
    return ScoredTask(attempt.output, documents, choice.score, number, scale)


def _grade_documents(scored: ScoredTask, run: AgentResults, source: ImportSource) -> list[float]:
    """Add each document of a task as a round, and return the rewards."""
    task_name = scored.output.task
    documents = scored.documents
    log = source.log
    planned = [f"{task_name}/{name}" for name in scored.planned]
    run.planned = [*run.planned, *planned]
    run.attempts = max(run.attempts, scored.attempt)
    rewards: list[float] = []
    for name in dict.fromkeys((*documents.names, *scored.unreadable)):
        task = f"{task_name}/{name}"
        source.titles[task] = f"{task_name} {name}"
        source.labels[task] = {SUBSET: task_name}
        reward = scored.reward(name)
        rewards.append(reward or 0.0)
        if reward is None:
            cause = scored.cause(name)
            run.grade(task, scored.attempt, 0.0, cause)
            log.add_doubt(rules.RUN_FAILED, documents.path, run.spot(task, scored.attempt), cause)
            continue
        run.grade(task, scored.attempt, reward, measures=scored.measures(name) or None)
        digest = documents.digests.get(name)
        if digest and source.digests.setdefault(task, digest) != digest:
            document = f"document {one_line(name)} of {one_line(task_name)}"
            message = f"{document} differs between runs, according to its `doc_hash`"
            log.add(DOCUMENTS_DIFFER, documents.path, message)
    _report_lines(scored, run, log)
    _report_document_counts(scored, run, log)
    repeats = scored.output.file.task_config(task_name).get("repeats")
    if type(repeats) is int and repeats > 1:
        document = f"each document of {one_line(task_name)} counts as one attempt"
        log.assume(f"{document}, although it was answered {repeats} times", run.entrant)
    return rewards


def _report_lines(scored: ScoredTask, run: AgentResults, log: ImportLog) -> None:
    """Report lines that name no document, unless the documents they belong to are known."""
    documents = scored.documents
    if documents.lost_lines and not scored.unreadable:
        lines = listed(map(str, documents.lost_lines))
        message = f"no document can be taken from line {lines} of {log.name(documents.path)}"
        log.add_doubt(rules.LEFT_OUT, documents.path, run.spot(scored.output.task), message)


def _report_document_counts(scored: ScoredTask, run: AgentResults, log: ImportLog) -> None:
    """Report missing and surplus documents, and a task that was run on only some documents."""
    output = scored.output
    task = one_line(output.task)
    stated = output.file.document_count(output.task, "effective")
    total = output.file.document_count(output.task, "original")
    present = len(scored.documents.names)
    if stated is None:
        return
    message = ""
    if total is not None and stated < total:
        message = f"{stated} of {total} documents of {task}"
    elif present < stated and not scored.planned:
        message = f"{present} of {stated} documents of {task}"
    if message:
        log.add_doubt(rules.PART_OF_TASKS, output.path, run.spot(), message)
    if present > stated:
        statement = f"{output.path.name} states {stated} documents of {task}"
        message = f"{statement}, but {scored.documents.path.name} has {present}"
        log.add_doubt(rules.SCORE_DIFFERS, output.path, run.spot(), message)


def name_missing(source: ImportSource, agents: Sequence[AgentTasks]) -> None:
    """Mark a task's documents as missing in a run if only other runs have results for the task."""
    documents_by_task: defaultdict[str, list[str]] = defaultdict(list)
    for name, labels in source.labels.items():
        documents_by_task[labels[SUBSET]].append(name)
    tasks_by_agent = {agent.agent: list(agent.attempts) for agent in agents}
    for run in source.runs:
        present = {source.labels[name][SUBSET] for name, *_ in run.results}
        missing: list[str] = []
        for task in tasks_by_agent[run.entrant]:
            if task not in present:
                missing += documents_by_task[task]
        run.missing = missing


def _read_transcripts(
    scored_tasks: Sequence[ScoredTask], model: str
) -> Iterator[tuple[tuple[str, int], bytes]]:
    """Yield the transcript of each document: its question and answers, under the filter used."""
    for scored in scored_tasks:
        seen: set[str] = set()
        try:
            for line in read_objects(scored.documents.path):
                content = line.value or {}
                name = str(content.get("doc_id"))
                filter_name = as_text(content.get("filter")) or scored.score.filter
                messages = _parse_messages(content)
                if filter_name == scored.score.filter and messages and name not in seen:
                    seen.add(name)
                    attempt_key = f"{scored.output.task}/{name}", scored.attempt
                    yield attempt_key, transcript_of(messages, model)
        except ProblemsError:
            continue  # already reported when it was first read


def _parse_messages(line: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the question and the first answers of a line."""
    question = _parse_question(line.get("arguments"))
    messages = [("user", question)]
    messages += [("assistant", answer) for answer in as_list(_first_member(line.get("resps")))]
    return [{"role": role, "content": text} for role, text in messages if isinstance(text, str)]


def _parse_question(requests: object) -> object:
    """Return the first argument of the first request; None if there is none.

    Depending on the harness's version, requests and arguments are lists or objects.
    """
    if isinstance(requests, dict):
        requests = list(requests.values())
    request = _first_member(requests)
    if isinstance(request, dict):
        return request.get("arg_0")
    return _first_member(request)


def _first_member(value: object) -> object:
    """Return the first member of a JSON list; None for an empty list or another value."""
    return next(iter(as_list(value)), None)
