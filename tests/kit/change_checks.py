"""Checks of the causes that the changelog states for one known change after a release."""

import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from datetime import date
from pathlib import Path

from kit.random_boards import DrawnBenchmark, DrawnSubmission, Facts
from kit.results_files import TODAY
from sitegen.board.history.ledger import Event, make_ledger
from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.releasing import release_now
from sitegen.problems import errors_of
from sitegen.publish.projects.wheel import program_version

RELEASED = date(2026, 6, 26)
CHANGED = date(2026, 6, 28)

Change = Callable[[DrawnBenchmark, random.Random], str | None]
"""Changes a benchmark if possible.

Returns the id of the changed submission, "" if there is none, and None if the change is not possible.
"""


def submissions_of(benchmark: DrawnBenchmark) -> list[str]:
    """Return the ids of the submissions that are published according to their own manifests."""
    drawn = benchmark.submissions.items()
    hidden = {"status", "embargo", "baseline"}
    return [name for name, submission in drawn if hidden.isdisjoint(submission.manifest)]


def change_nothing(_: DrawnBenchmark, __: random.Random) -> str | None:
    return ""


def add_note(benchmark: DrawnBenchmark, _: random.Random) -> str | None:
    note = {"date": CHANGED, "kind": "note", "title": "A later note", "reason": "It was seen."}
    benchmark.findings.append(note)
    return ""


def add_submission(benchmark: DrawnBenchmark, dice: random.Random) -> str | None:
    waived = {name for finding in benchmark.findings for name in finding.get("submissions", ())}
    names = [name for name in submissions_of(benchmark) if name not in waived]
    if not names:
        return None
    model = benchmark.submissions[dice.choice(names)]
    manifest = {**deepcopy(model.manifest), "date": CHANGED, "agent": {"name": "A new agent"}}
    added = DrawnSubmission(manifest, deepcopy(model.rounds), deepcopy(model.runs))
    benchmark.submissions["a-new-agent"] = added
    return "a-new-agent"


def withdraw_submission(benchmark: DrawnBenchmark, dice: random.Random) -> str | None:
    names = submissions_of(benchmark)
    if not names:
        return None
    name = dice.choice(names)
    status: Facts = {"state": "withdrawn", "by": "Ann", "reason": "A mistake.", "date": CHANGED}
    benchmark.submissions[name].manifest["status"] = status
    return name


def exclude_task(benchmark: DrawnBenchmark, dice: random.Random) -> str | None:
    tasks = benchmark.task_sets["all"]
    finding: Facts = {"date": CHANGED, "kind": "defect", "title": "A broken task", "by": "Ann"}
    finding |= {"reason": "Its tests are wrong.", "effect": "exclude"}
    finding["tasks"] = [dice.choice(tasks)["id"]]
    benchmark.findings.append(finding)
    return ""


def define_metric_anew(benchmark: DrawnBenchmark, dice: random.Random) -> str | None:
    metrics = [metric for metric in benchmark.definition["metrics"] if metric.get("attempts") == "mean"]
    if not metrics:
        return None
    dice.choice(metrics)["attempts"] = "worst"
    return ""


CHANGES: Mapping[str, tuple[Change, Mapping[str, set[str]]]] = {
    "nothing": (change_nothing, {}),
    "a note": (add_note, {}),
    "a submission": (add_submission, {"entered": {"submission"}, "moved": {"others"}}),
    "a withdrawal": (withdraw_submission, {"withdrawn": {"status"}, "moved": {"others"}}),
    "an excluded task": (
        exclude_task,
        {"rescored": {"finding"}, "moved": {"finding", "others"}},
    ),
    "a definition": (
        define_metric_anew,
        {"rescored": {"definition"}, "moved": {"definition", "others"}},
    ),
}
"""Each change, with the causes allowed for each kind of event that may follow."""
IS_OF_SUBMISSION = {"entered", "withdrawn"}
"""Events that may only concern the changed submission."""


def change_faults(results: Path, drawn: DrawnBenchmark, seed: int) -> Iterator[str]:
    """Release a board, make one change, and compare events and causes with the change."""
    dice = random.Random(seed)  # noqa: S311 - a draw that anyone may repeat
    name = dice.choice(list(CHANGES))
    change, allowed = CHANGES[name]
    released = release_now(evaluate(results, TODAY), RELEASED, "")
    changed = deepcopy(drawn)
    about = change(changed, dice)
    if about is None:
        return
    shutil.rmtree(results / drawn.id)
    changed.write(results)
    judged = evaluate(results, TODAY)
    if errors_of(judged.problems()):
        yield f"after {name}: {errors_of(judged.problems())[0]}"
        return
    since = make_ledger([released], judged.boards, program_version()).since
    for board in since.boards if since else ():
        for event in board.events:
            yield from event_faults(event, f"after {name}", allowed, about)


def event_faults(event: Event, moment: str, allowed: Mapping[str, set[str]], about: str) -> Iterator[str]:
    """Yield the faults in an event: its kind, its submission and its causes."""
    causes = {cause.kind for cause in event.causes}
    if event.what not in allowed:
        yield f"{moment}: {event.row.id} is said to be {event.what}, because of {sorted(causes)}"
    elif not causes or not causes <= allowed[event.what]:
        yield f"{moment}: {event.row.id} is {event.what} because of {sorted(causes)}"
    elif event.what in IS_OF_SUBMISSION and event.row.id != about:
        yield f"{moment}: {event.row.id} is {event.what}, not {about}"
