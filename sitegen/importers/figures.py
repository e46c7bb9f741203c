"""The figures of an import without the sentences of its source: what may be published where its texts may not."""

from dataclasses import replace

from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import Failure, RoundResult
from sitegen.models.task import Task, TaskSet

WORDS_LEFT_OUT = "the source says why in words that are left out here"
"""The cause of a round in which no case ran."""


def figures_of(incoming: Incoming) -> Incoming:
    """Give an import with its rewards, counts, dates, ids and labels only.

    Rounds lose their titles and requests, records the words of their cause, and failed cases all that is told of
    them but id, status, category and requirement.
    """
    return replace(
        incoming,
        task_sets=tuple(TaskSet(each.id, tuple(map(_task, each.tasks))) for each in incoming.task_sets),
        drafts=tuple(map(_draft, incoming.drafts)),
    )


def _task(task: Task) -> Task:
    return replace(task, rounds=tuple(replace(each, title="", instruction=None) for each in task.rounds))


def _draft(draft: Draft) -> Draft:
    return replace(draft, rounds=tuple(map(_result, draft.rounds)), failures=tuple(map(_failure, draft.failures)))


def _result(result: RoundResult) -> RoundResult:
    if result.cause is None:
        return result
    return replace(result, cause=WORDS_LEFT_OUT if result.state == "no_cases" else None)


def _failure(failure: Failure) -> Failure:
    return Failure(
        failure.task,
        failure.attempt,
        failure.round,
        failure.case,
        status=failure.status,
        category=failure.category,
        requirement=failure.requirement,
        requirement_failed=failure.requirement_failed,
        start=failure.start,
    )
