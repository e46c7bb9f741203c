"""Makes the run of an agent out of the documents of its tasks: a round for each document."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import named, owner_of
from sitegen.importers.kit.lines import read_objects
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import Run, Source
from sitegen.importers.kit.transcripts import transcript_of
from sitegen.importers.lm_eval.agents import AgentTasks
from sitegen.importers.lm_eval.files import text_of
from sitegen.importers.lm_eval.scored import ScoredTask
from sitegen.importers.lm_eval.scores import Candidate, Choice, why_unusable
from sitegen.importers.lm_eval.summary import Summary
from sitegen.models.submission import Provenance
from sitegen.problems import ProblemsError, Rule, listed

SUBSET = "subset"
"""The label of a document that says which task of the harness it belongs to."""

DOCUMENTS_DIFFER = Rule.error(
    "LM-EVAL-DOCUMENTS-DIFFER",
    "A document has the same contents in all runs.",
    "import these models into tracks of their own: choose with `--model`, and begin tracks with `--track` and "
    "`--new-track`",
)


def add_run(
    agent: AgentTasks, choices: Mapping[str, Choice], options: ImportOptions, source: Source
) -> None:
    """Add the run of an agent to a source: every document of every task that has a reward."""
    report = source.report
    last = max(
        (candidate.task_run for candidate in agent.candidates),
        key=lambda task_run: task_run.file.time,
    )
    provenance = Provenance(
        harness="lm-evaluation-harness",
        harness_version=named(last.file.version) or None,
        code_commit=named(text_of(last.file.content.get("git_hash"))) or None,
    )
    facts: dict[str, object] = {"organization": owner_of(agent.model)}
    run = Run(last.path.parent, agent.agent, facts, day=last.file.day, provenance=provenance)
    tasks: list[ScoredTask] = []
    summary = Summary()
    for task, candidates in agent.attempts.items():
        for attempt, candidate in enumerate(candidates, start=1):
            choice = choices.get(task)
            reason = _why_left_out(candidate, choice, options.scale)
            if reason:
                report.doubt(
                    rules.LEFT_OUT, candidate.task_run.path, run.spot(task), one_line(reason, 300)
                )
            elif choice and choice.score and candidate.documents:
                scored = ScoredTask(
                    candidate.task_run, candidate.documents, choice.score, attempt, options.scale
                )
                rewards = _grade(scored, run, source)
                summary.compare(scored, rewards, run, report)
                tasks.append(scored)
    run.claims = summary.claims()
    run.transcripts = partial(_transcripts, tasks, agent.model)
    if run.results:
        source.runs.append(run)


def _why_left_out(candidate: Candidate, choice: Choice | None, scale: float | None) -> str:
    """Return why a task of a run is left out; empty where it comes in."""
    if candidate.documents is None:
        return "there is no file of its documents"
    if not candidate.documents.names:
        return "the file of its documents holds none"
    if choice is None or choice.score is None:
        return choice.shown_reasons if choice else "it has no score"
    return why_unusable(candidate, choice.score, scale, is_asked_for=choice.is_asked_for)


def _grade(scored: ScoredTask, run: Run, source: Source) -> list[float]:
    """Add each document of a task as a round, and return the rewards."""
    task_run, documents, report = scored.task_run, scored.documents, source.report
    planned = scored.planned
    run.planned = [*run.planned, *(f"{task_run.task}/{name}" for name in planned)]
    run.attempts = max(run.attempts, scored.attempt)
    rewards: list[float] = []
    for name in dict.fromkeys((*documents.names, *scored.unreadable)):
        task = f"{task_run.task}/{name}"
        source.titles[task] = f"{task_run.task} {name}"
        source.labels[task] = {SUBSET: task_run.task}
        reward = scored.reward(name)
        rewards.append(reward or 0.0)
        if reward is None:
            cause = scored.cause(name)
            run.grade(task, scored.attempt, 0.0, cause)
            report.doubt(rules.TRIES_FAILED, documents.path, run.spot(task, scored.attempt), cause)
            continue
        run.grade(task, scored.attempt, reward, measures=scored.measures(name) or None)
        digest = documents.digests.get(name)
        if digest and source.digests.setdefault(task, digest) != digest:
            message = f"document {one_line(name)} of {one_line(task_run.task)} differs between runs, by its `doc_hash`"
            report.add(DOCUMENTS_DIFFER, documents.path, message)
    _report_lines(scored, run, report)
    return rewards


def _report_lines(scored: ScoredTask, run: Run, report: Report) -> None:
    """Report lines that could not be read, parts of a task, and several answers to a document."""
    task_run, documents = scored.task_run, scored.documents
    task = one_line(task_run.task)
    if documents.lost_lines and not scored.unreadable:
        lines = listed(map(str, documents.lost_lines))
        message = f"no document can be taken from line {lines} of {report.name(documents.path)}"
        report.doubt(rules.LEFT_OUT, documents.path, run.spot(task_run.task), message)
    number = task_run.file.number(task_run.task, "effective")
    total = task_run.file.number(task_run.task, "original")
    present = len(documents.names)
    if number is not None and total is not None and number < total:
        report.doubt(
            rules.PART_OF_TASKS,
            task_run.path,
            run.spot(),
            f"{number} of {total} documents of {task}",
        )
    elif number is not None and present < number and not scored.planned:
        report.doubt(
            rules.PART_OF_TASKS,
            task_run.path,
            run.spot(),
            f"{present} of {number} documents of {task}",
        )
    if number is not None and present > number:
        message = f"{task_run.path.name} counts {number} documents of {task}, and {documents.path.name} has {present}"
        report.doubt(rules.SCORE_DIFFERS, task_run.path, run.spot(), message)
    repeats = task_run.file.task_config(task_run.task).get("repeats")
    if type(repeats) is int and repeats > 1:
        fact = f"a document of {task} is one attempt, although it was answered {repeats} times"
        report.assume(fact, run.entrant)


def name_missing(source: Source, agents: Sequence[AgentTasks]) -> None:
    """Name in each run the documents of tasks that were left out of it and came in from other runs."""
    by_task: defaultdict[str, list[str]] = defaultdict(list)
    for name, labels in source.labels.items():
        by_task[labels[SUBSET]].append(name)
    tasks_of_agents = {agent.agent: list(agent.attempts) for agent in agents}
    for run in source.runs:
        present = {source.labels[name][SUBSET] for name, *_ in run.results}
        left_out = [task for task in tasks_of_agents[run.entrant] if task not in present]
        run.missing = [name for task in left_out for name in by_task[task]]


def _transcripts(
    tasks: Sequence[ScoredTask], model: str
) -> Iterator[tuple[tuple[str, int], bytes]]:
    """Yield what the model was asked in each document, and what it answered, under the filter that counts."""
    for scored in tasks:
        seen: set[str] = set()
        try:
            for line in read_objects(scored.documents.path):
                content = line.value or {}
                name = str(content.get("doc_id"))
                filter_name = text_of(content.get("filter")) or scored.score.filter
                messages = _messages(content)
                if filter_name == scored.score.filter and messages and name not in seen:
                    seen.add(name)
                    yield (
                        (f"{scored.task_run.task}/{name}", scored.attempt),
                        transcript_of(messages, model),
                    )
        except ProblemsError:
            continue  # it was reported when it was read the first time


def _messages(line: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the question and the first answers of a line."""
    asked = line.get("arguments")
    first: object = None
    if isinstance(asked, dict) and asked:
        first = next(iter(asked.values()))
    elif isinstance(asked, list) and asked:
        first = asked[0]
    question: object = None
    if isinstance(first, dict):
        question = first.get("arg_0")
    elif isinstance(first, list) and first:
        question = first[0]
    answers = line.get("resps")
    given = answers[0] if isinstance(answers, list) and answers else None
    spoken: list[tuple[str, object]] = [("user", question)]
    if isinstance(given, list):
        spoken += [("assistant", answer) for answer in given]
    return [{"role": role, "content": words} for role, words in spoken if isinstance(words, str)]
