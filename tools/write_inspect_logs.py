"""Writes logs in every shape that an import must read, with Inspect's own code and its mock model.

The program itself does not need Inspect. Run this file with the Python of an environment that has `inspect-ai`:

    python tools/write_inspect_logs.py OUT             every shape, each in a folder of its own
    python tools/write_inspect_logs.py OUT NAME ...    these shapes
    python tools/write_inspect_logs.py OUT --kept      the shapes in tests/samples/inspect, reduced for tests

The logs in tests/samples/inspect were written by inspect-ai 0.3.285, except for one written by 0.3.50. No model is
called: answers and verdicts are derived from the number of the sample and the epoch. Shapes that an older release can't
write are skipped and listed.
"""

import argparse
import asyncio
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

inspect_ai = import_module("inspect_ai")
dataset = import_module("inspect_ai.dataset")
inspect_log = import_module("inspect_ai.log")
models = import_module("inspect_ai.model")
scoring = import_module("inspect_ai.scorer")
solving = import_module("inspect_ai.solver")

Thing: TypeAlias = Any
"""An object of Inspect, whose types are not available where the project is type-checked."""

NAN = math.nan
BROKEN = 4
"""The number of the sample with a fault, in shapes that have one."""
QUESTIONS = 6
"""The number of samples in a task, unless a shape differs."""

ValueOf = Callable[[int, int], Thing]
"""Returns the value that a scorer gives a sample, from the sample's number (from 1) and the epoch."""


def letter(number: int, epoch: int) -> str:
    """Return a verdict; in the first three epochs, 5, 3 and 5 of six samples are correct."""
    return "I" if number * epoch % 4 == 0 or number > QUESTIONS else "C"


def mock_model(name: str = "model", output: Thing = None) -> Thing:
    """Return a mock model that always gives the same answer, with a fixed number of tokens."""
    answer = output or models.ModelOutput.from_content(f"mockllm/{name}", "blue")
    answer.usage = models.ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    return models.get_model(
        f"mockllm/{name}", custom_outputs=(answer.model_copy(deep=True) for _ in range(1000))
    )


def make_solver(
    name: str, act: Callable[[int, int, Thing], None] | None = None, *, asks: bool = True
) -> Thing:
    """Return a solver that acts on the sample's number, the epoch and the state, and then calls the model."""

    def factory() -> Thing:
        async def solve(state: Thing, generate: Thing) -> Thing:
            if act is not None:
                act(state.metadata["number"], state.epoch, state)
            return await generate(state) if asks else state

        return solve

    return solving.solver(name=name)(factory)()


def make_scorer(name: str, value_of: ValueOf, metrics: Thing = None) -> Thing:
    """Return a scorer whose values are derived from the sample's number and the epoch."""

    def factory() -> Thing:
        async def score(state: Thing, _: Thing) -> Thing:
            value = value_of(state.metadata["number"], state.epoch)
            if (
                isinstance(value, float)
                and math.isnan(value)
                and hasattr(scoring.Score, "unscored")
            ):
                return scoring.Score.unscored(
                    reason="grader_failed", explanation="no verdict in the answer"
                )
            return scoring.Score(value=value, answer="blue")

        return score

    usual = [scoring.accuracy(), scoring.stderr()]
    return scoring.scorer(metrics=metrics or usual, name=name)(factory)()


def make_task(
    name: str, scorers: Thing, ids: Sequence[str | int] | None = None, **facts: Thing
) -> Thing:
    """Return a task with a few samples, with their numbers in their metadata."""
    samples = []
    for number, sample_id in enumerate(ids or range(1, QUESTIONS + 1), start=1):
        metadata = {"number": number, "kind": "odd" if number % 2 else "even"}
        samples.append(
            dataset.Sample(
                id=sample_id, input=f"Question {number}", target="blue", metadata=metadata
            )
        )
    facts.setdefault("solver", make_solver("answering"))
    return inspect_ai.Task(
        dataset=dataset.MemoryDataset(samples), scorer=scorers, name=name, **facts
    )


def run(folder: Path, *tasks: Thing, model: Thing = None, **options: Thing) -> list[Thing]:
    """Run tasks, and return the logs written to a folder."""
    options.setdefault("log_format", "json")
    return list(
        inspect_ai.eval(
            list(tasks), model=model or mock_model(), log_dir=str(folder), display="none", **options
        )
    )


# Shapes; each function writes to the given folder.


def plain(folder: Path) -> None:
    """Write a usual log: one scorer and one epoch."""
    run(folder, make_task("colours", make_scorer("letters", letter)))


def packed(folder: Path) -> None:
    """Write the same log as an archive."""
    run(folder, make_task("colours", make_scorer("letters", letter)), log_format="eval")


def converted(folder: Path) -> None:
    """Write one run in both formats to one folder."""
    (log,) = run(folder, make_task("colours", make_scorer("letters", letter)), log_format="eval")
    inspect_log.write_eval_log(log, str(folder / "copy.json"))


def all_letters(folder: Path) -> None:
    """Write the letters, words and truth values that Inspect accepts as verdicts."""
    values = ["C", "I", "P", "N", True, False, "yes", "No", "0.25", 0.75]
    run(
        folder,
        make_task(
            "words", make_scorer("words", lambda number, _: values[number - 1]), range(1, 11)
        ),
    )


def reduced(*reducers: str) -> Callable[[Path], None]:
    """Return a function that writes three epochs, combined by reducers."""

    def write(folder: Path) -> None:
        epochs = inspect_ai.Epochs(3, list(reducers) if len(reducers) > 1 else reducers[0])
        run(folder, make_task("flip", make_scorer("flip", letter), range(1, 4), epochs=epochs))

    return write


def epochs_without_reducer(folder: Path) -> None:
    """Write three epochs, combined by Inspect's default."""
    run(folder, make_task("flip", make_scorer("flip", letter), epochs=3))


def several_scorers(folder: Path) -> None:
    """Write two scorers; the headline of the log is the first."""
    scorers = [
        make_scorer("letters", letter),
        make_scorer("style", lambda number, _: number / 10, [scoring.mean()]),
    ]
    run(folder, make_task("colours", scorers))


def several_scorers_declared(folder: Path) -> None:
    """Write two scorers; the task declares the second as its headline."""
    scorers = [
        make_scorer("letters", letter),
        make_scorer("style", lambda number, _: number / 10, [scoring.mean()]),
    ]
    run(folder, make_task("colours", scorers, headline_metric="style.style"))


def several_scorers_stopped(folder: Path) -> None:
    """Write two scorers in a run that stopped at an error, without results or a headline."""

    def act(number: int, _: int, __: Thing) -> None:
        if number == BROKEN:
            raise RuntimeError("the tool is gone")

    scorers = [
        make_scorer("letters", letter),
        make_scorer("style", lambda number, _: number / 10, [scoring.mean()]),
    ]
    run(folder, make_task("colours", scorers, solver=make_solver("breaking", act)), max_samples=1)


def two_of_one_scorer(folder: Path) -> None:
    """Write the same scorer twice; Inspect numbers the second."""
    run(
        folder,
        make_task("colours", [make_scorer("letters", letter), make_scorer("letters", letter)]),
    )


def dict_score(folder: Path) -> None:
    """Write a scorer that returns a table, with metrics for each part."""
    metrics = {"short": [scoring.mean()], "tidy": [scoring.mean(), scoring.stderr()]}
    scorer = make_scorer(
        "style", lambda number, _: {"short": number % 2, "tidy": number / 10}, metrics
    )
    run(folder, make_task("colours", scorer))


def dict_score_everywhere(folder: Path) -> None:
    """Write the same scorer with one list of metrics for every part."""
    scorer = make_scorer(
        "style",
        lambda number, _: {"short": number % 2, "tidy": number / 10},
        {"*": [scoring.mean()]},
    )
    run(folder, make_task("colours", scorer))


def dict_score_plain(folder: Path) -> None:
    """Write a table with a metric that ignores tables, so that Inspect's own mean is 0."""
    scorer = make_scorer(
        "style", lambda number, _: {"short": number % 2, "tidy": number / 10}, [scoring.mean()]
    )
    run(folder, make_task("colours", scorer))


def dict_score_with_gaps(folder: Path) -> None:
    """Write a table in which one part is sometimes NaN or None."""

    def value_of(number: int, _: int) -> dict[str, float | None]:
        return {"short": NAN if number == BROKEN else 1.0, "tidy": number / 10}

    run(folder, make_task("colours", make_scorer("style", value_of, {"*": [scoring.mean()]})))


def list_score(folder: Path) -> None:
    """Write a scorer that returns a list of values."""
    run(
        folder,
        make_task(
            "colours", make_scorer("parts", lambda number, _: [number % 2, 1], [scoring.mean()])
        ),
    )


def several_metrics(folder: Path) -> None:
    """Write one scorer with four metrics, the first of which is not a mean."""
    metrics = [scoring.stderr(), scoring.std(), scoring.accuracy(), scoring.mean()]
    run(folder, make_task("colours", make_scorer("letters", letter, metrics)))


def own_metric(folder: Path) -> None:
    """Write a custom metric that is not a mean."""

    def factory() -> Thing:
        def best(scores: list[Thing]) -> float:
            return float(len(scores))

        return best

    counting = scoring.metric(name="counting")(factory)()
    run(folder, make_task("colours", make_scorer("letters", letter, [counting])))


def grouped(folder: Path) -> None:
    """Write a metric for each group of samples, and one for all samples."""
    metrics = [scoring.grouped(scoring.accuracy(), "kind")]
    run(folder, make_task("colours", make_scorer("letters", letter, metrics)))


def grouped_means(folder: Path) -> None:
    """Write the same metric with the mean over groups as the overall value."""
    metrics = [scoring.grouped(scoring.accuracy(), "kind", all="groups")]
    samples = range(1, 6)
    run(folder, make_task("colours", make_scorer("letters", letter, metrics), samples))


def unscored(folder: Path) -> None:
    """Write NaN in two of six samples."""
    run(
        folder,
        make_task(
            "nan",
            make_scorer("judge", lambda n, e: NAN if n in {2, 5} else float(letter(n, e) == "C")),
        ),
    )


def all_unscored(folder: Path) -> None:
    """Write NaN in every sample."""
    run(folder, make_task("nan", make_scorer("judge", lambda _, __: NAN)))


def unscored_epochs(folder: Path) -> None:
    """Write NaN in some epochs of some samples, as an archive."""

    def value_of(number: int, epoch: int) -> float:
        return NAN if (number, epoch) in {(1, 1), (2, 1), (2, 2)} else 1.0

    run(folder, make_task("nan", make_scorer("judge", value_of), epochs=2), log_format="eval")


def errored(folder: Path) -> None:
    """Write samples that end with an error in a run that continues."""

    def act(number: int, _: int, __: Thing) -> None:
        if number in {2, 4}:
            raise RuntimeError("the tool is gone")

    task = make_task("colours", make_scorer("letters", letter), solver=make_solver("breaking", act))
    run(folder, task, fail_on_error=False)


def all_errored(folder: Path) -> None:
    """Write a run in which every sample ends with an error."""

    def act(_: int, __: int, ___: Thing) -> None:
        raise RuntimeError("the tool is gone")

    task = make_task("colours", make_scorer("letters", letter), solver=make_solver("breaking", act))
    run(folder, task, fail_on_error=False)


def scored_on_error(folder: Path) -> None:
    """Write samples that end with an error but are scored."""

    def act(number: int, _: int, __: Thing) -> None:
        if number in {2, 4}:
            raise RuntimeError("the tool is gone")

    task = make_task("colours", make_scorer("letters", letter), solver=make_solver("breaking", act))
    run(folder, task, fail_on_error=False, score_on_error=True)


def scorer_errored(folder: Path) -> None:
    """Write a second scorer that fails after the first one gave its verdict."""

    def value_of(number: int, epoch: int) -> str:
        if number == BROKEN:
            raise RuntimeError("the judge is gone")
        return letter(number, epoch)

    scorers = [make_scorer("letters", letter), make_scorer("judge", value_of)]
    run(folder, make_task("colours", scorers), fail_on_error=False)


def stopped_at_error(folder: Path) -> None:
    """Write a run that stopped at the first error."""

    def act(number: int, _: int, __: Thing) -> None:
        if number == BROKEN:
            raise RuntimeError("the tool is gone")

    task = make_task("colours", make_scorer("letters", letter), solver=make_solver("breaking", act))
    run(folder, task, max_samples=1)


def limited(folder: Path) -> None:
    """Write scored samples that were stopped by a limit on messages."""

    def factory() -> Thing:
        async def solve(state: Thing, generate: Thing) -> Thing:
            for _ in range(1 if state.metadata["number"] % 2 else 5):
                state = await generate(state)
            return state

        return solve

    chatty = solving.solver(name="chatty")(factory)()
    run(
        folder, make_task("colours", make_scorer("letters", letter), solver=chatty, message_limit=4)
    )


def limited_by_tokens(folder: Path) -> None:
    """Write the same with a limit on tokens."""

    def factory() -> Thing:
        async def solve(state: Thing, generate: Thing) -> Thing:
            for _ in range(1 if state.metadata["number"] % 2 else 5):
                state = await generate(state)
            return state

        return solve

    chatty = solving.solver(name="chatty")(factory)()
    run(folder, make_task("colours", make_scorer("letters", letter), solver=chatty, token_limit=40))


def limited_by_time(folder: Path) -> None:
    """Write the same with a limit on time."""

    def factory() -> Thing:
        async def solve(state: Thing, generate: Thing) -> Thing:
            state = await generate(state)
            if state.metadata["number"] == BROKEN:
                await asyncio.sleep(5)
            return state

        return solve

    slow = solving.solver(name="slow")(factory)()
    run(folder, make_task("colours", make_scorer("letters", letter), solver=slow, time_limit=1))


def invalidated(folder: Path) -> None:
    """Write two samples that were invalidated later."""
    (log,) = run(folder, make_task("colours", make_scorer("letters", letter)))
    who = inspect_log.ProvenanceData(
        author="A. Reviewer", reason="the answer stood in the question"
    )
    uuids = [sample.uuid for sample in log.samples if sample.id in {1, 4}]
    inspect_log.write_eval_log(inspect_log.invalidate_samples(log, uuids, who), log.location)


def all_invalidated(folder: Path) -> None:
    """Write a run in which every sample was invalidated."""
    (log,) = run(folder, make_task("colours", make_scorer("letters", letter)))
    who = inspect_log.ProvenanceData(
        author="A. Reviewer", reason="the answer stood in the question"
    )
    inspect_log.write_eval_log(inspect_log.invalidate_samples(log, "all", who), log.location)


def odd_ids(folder: Path) -> None:
    """Write ids that can't be used in addresses unchanged, and a numeric id."""
    ids: list[str | int] = [
        "org/repo#1",
        "a b",
        "修复",
        "C:\\x\\y",
        "UP",
        "up",
        7,
        "-",
        "..",
        "x" * 300,
    ]
    run(folder, make_task("ids", make_scorer("letters", letter), ids), log_format="eval")


def picked_by_limit(folder: Path) -> None:
    """Write a run of only the second and third samples."""
    run(folder, make_task("colours", make_scorer("letters", letter)), limit=(1, 3))


def picked_by_id(folder: Path) -> None:
    """Write a run of two samples selected by id."""
    run(folder, make_task("colours", make_scorer("letters", letter)), sample_id=[2, 5])


def parts_of_one_task(folder: Path) -> None:
    """Write two runs of one agent on different samples, which form a single run."""
    task = make_task("colours", make_scorer("letters", letter))
    run(folder, task, limit=(0, 3))
    run(folder, make_task("colours", make_scorer("letters", letter)), limit=(3, 6))


def in_a_git_tree(folder: Path) -> None:
    """Write a run in a git repository with an uncommitted file."""
    with tempfile.TemporaryDirectory() as repository:
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", repository]
        for arguments in (
            ["init", "-q"],
            ["remote", "add", "origin", "https://example.org/colours.git"],
        ):
            subprocess.run([*git, *arguments], check=True)
        Path(repository, "task.py").write_text("# a task\n", encoding="utf-8")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "Begin"], check=True)
        Path(repository, "notes.txt").write_text("later\n", encoding="utf-8")
        before = Path.cwd()
        os.chdir(repository)
        try:
            run(folder, make_task("colours", make_scorer("letters", letter)))
        finally:
            os.chdir(before)


def efforts(folder: Path) -> None:
    """Write one model with three reasoning settings."""
    for options in (
        {"reasoning_effort": "low"},
        {"reasoning_effort": "high"},
        {"reasoning_tokens": 1024},
    ):
        task = make_task(
            "colours", make_scorer("letters", letter), solver=make_solver("silent", asks=False)
        )
        run(folder, task, model="mockllm/model", **options)


def several_models(folder: Path) -> None:
    """Write runs of two models."""
    for name in ("ada", "bob"):
        run(folder, make_task("colours", make_scorer("letters", letter)), model=mock_model(name))


def providers(folder: Path) -> None:
    """Write one model that is served by two providers."""
    for name in ("openai/azure/gpt-4o", "openai/gpt-4o"):
        (log,) = run(folder, make_task("colours", make_scorer("letters", letter)))
        log.eval.model = name
        inspect_log.write_eval_log(log, log.location)


def no_model(folder: Path) -> None:
    """Write a task that does not call a model."""
    run(
        folder,
        make_task(
            "colours", make_scorer("letters", letter), solver=make_solver("by_hand", asks=False)
        ),
        model="none/none",
    )


def judged(folder: Path) -> None:
    """Write a second model as the judge, whose tokens are recorded next to the agent's."""

    def factory() -> Thing:
        async def score(state: Thing, _: Thing) -> Thing:
            await models.get_model(role="grader").generate("Is it blue?")
            return scoring.Score(value=letter(state.metadata["number"], state.epoch))

        return score

    judge = scoring.scorer(metrics=[scoring.accuracy()], name="judge")(factory)()
    run(folder, make_task("colours", judge), model_roles={"grader": mock_model("judge")})


def several_tasks(folder: Path) -> None:
    """Write two tasks in one folder whose samples have the same ids."""
    scorer = make_scorer("letters", letter)
    run(folder, make_task("colours", scorer), make_task("shapes", make_scorer("letters", letter)))


def task_arguments(folder: Path) -> None:
    """Write one task with two arguments, which means different conditions under one name."""

    def factory(language: str = "en") -> Thing:
        return make_task(
            "colours", make_scorer("letters", lambda n, e: letter(n + len(language), e))
        )

    make = inspect_ai.task(name="colours")(factory)
    run(folder, make("en"))
    run(folder, make("deu"))


def ran_twice(folder: Path) -> None:
    """Write two runs of one agent on the same samples."""
    run(folder, make_task("colours", make_scorer("letters", letter)))
    time.sleep(1.1)
    run(
        folder,
        make_task(
            "colours", make_scorer("letters", lambda number, epoch: letter(number + 1, epoch))
        ),
    )


def retried(folder: Path) -> None:
    """Write a run that stopped at an error and was retried."""
    broken = {"now": True}

    def act(number: int, _: int, __: Thing) -> None:
        if number == BROKEN and broken["now"]:
            raise RuntimeError("the tool is gone")

    def factory() -> Thing:
        silent = make_solver("breaking", act, asks=False)
        return make_task("colours", make_scorer("letters", letter), solver=silent)

    task = inspect_ai.task(name="colours")(factory)
    (log,) = run(folder, task(), model="mockllm/model", max_samples=1)
    broken["now"] = False
    inspect_ai.eval_retry(log, log_dir=str(folder), log_format="json", display="none")


def retried_samples(folder: Path) -> None:
    """Write samples that were run again after an error."""
    seen: dict[int, int] = {}

    def act(number: int, _: int, __: Thing) -> None:
        seen[number] = seen.get(number, 0) + 1
        if number % 3 == 0 and seen[number] == 1:
            raise RuntimeError("the tool is gone")

    task = make_task("colours", make_scorer("letters", letter), solver=make_solver("shaky", act))
    run(folder, task, retry_on_error=2)


def eval_set(folder: Path) -> None:
    """Write an eval set of two tasks and two models, with one retried run."""
    seen = {"tries": 0}

    def act(number: int, _: int, __: Thing) -> None:
        if number == BROKEN:
            seen["tries"] += 1
            if seen["tries"] == 1:
                raise RuntimeError("the tool is gone")

    def colours() -> Thing:
        return make_task(
            "colours", make_scorer("letters", letter), solver=make_solver("shaky", act, asks=False)
        )

    def shapes() -> Thing:
        return make_task(
            "shapes", make_scorer("letters", letter), solver=make_solver("steady", asks=False)
        )

    tasks = [inspect_ai.task(name=make.__name__)(make)() for make in (colours, shapes)]
    inspect_ai.eval_set(
        tasks,
        model=["mockllm/ada", "mockllm/bob"],
        log_dir=str(folder),
        log_format="json",
        display="none",
        retry_wait=1,
        max_samples=1,
        max_tasks=1,
        retry_cleanup=False,
    )


def not_scored(folder: Path) -> None:
    """Write a run with `--no-score`."""
    run(folder, make_task("colours", make_scorer("letters", letter)), score=False)


def not_scored_yet_with_copy(folder: Path) -> None:
    """Write a run with `--no-score`, and next to it the copy that `inspect score` created."""
    (log,) = run(folder, make_task("colours", make_scorer("letters", letter)), score=False)
    scored = inspect_ai.score(log, make_scorer("letters", letter), action="append")
    inspect_log.write_eval_log(scored, log.location.replace(".json", "-scored.json"))


def scored_later(folder: Path) -> None:
    """Write a run with `--no-score` that was scored later, in place."""
    (log,) = run(folder, make_task("colours", make_scorer("letters", letter)), score=False)
    scored = inspect_ai.score(log, make_scorer("letters", letter), action="append")
    inspect_log.write_eval_log(scored, log.location)


def scored_again(folder: Path) -> None:
    """Write a run whose scores were replaced by other values of the same scorer."""
    (log,) = run(folder, make_task("colours", make_scorer("letters", letter)))
    scored = inspect_ai.score(
        log, make_scorer("letters", lambda n, e: letter(n + 1, e)), action="overwrite"
    )
    inspect_log.write_eval_log(scored, log.location)


def scored_twice(folder: Path) -> None:
    """Write a run to which the scores of a second scorer were added."""
    (log,) = run(folder, make_task("colours", make_scorer("letters", letter)))
    scored = inspect_ai.score(
        log, make_scorer("second", lambda n, e: letter(n + 1, e)), action="append"
    )
    inspect_log.write_eval_log(scored, log.location)


def scored_apart(folder: Path) -> None:
    """Write one run in two files, scored by different scorers."""
    (log,) = run(folder, make_task("colours", make_scorer("letters", letter)))
    scored = inspect_ai.score(
        log, make_scorer("second", lambda n, e: letter(n + 1, e)), action="overwrite"
    )
    inspect_log.write_eval_log(scored, log.location.replace(".json", "-scored.json"))


def without_samples(folder: Path) -> None:
    """Write a run with `--no-log-samples`."""
    run(folder, make_task("colours", make_scorer("letters", letter)), log_samples=False)


def without_samples_max(folder: Path) -> None:
    """Write the same with epochs combined by max, so that the headline is not a mean over attempts."""
    task = make_task("colours", make_scorer("letters", letter), epochs=inspect_ai.Epochs(3, "max"))
    run(folder, task, log_samples=False)


def without_samples_own_metric(folder: Path) -> None:
    """Write the same with a headline that is not a mean."""
    metrics = [scoring.std()]
    run(folder, make_task("colours", make_scorer("letters", letter, metrics)), log_samples=False)


def edited(folder: Path) -> None:
    """Write a verdict that was corrected with Inspect's own function."""
    (log,) = run(folder, make_task("colours", make_scorer("letters", letter)))
    who = inspect_log.ProvenanceData(author="A. Reviewer", reason="the answer is right")
    edit = import_module("inspect_ai.scorer._metric").ScoreEdit(value="C", provenance=who)
    inspect_log.edit_score(log, BROKEN, "letters", edit)
    inspect_log.write_eval_log(log, log.location)


def edited_without_recount(folder: Path) -> None:
    """Write the same with the run's own mean left unchanged."""
    (log,) = run(folder, make_task("colours", make_scorer("letters", letter)))
    who = inspect_log.ProvenanceData(author="A. Reviewer", reason="the answer is right")
    edit = import_module("inspect_ai.scorer._metric").ScoreEdit(value="C", provenance=who)
    inspect_log.edit_score(log, BROKEN, "letters", edit, recompute_metrics=False)
    inspect_log.write_eval_log(log, log.location)


def edited_by_hand(folder: Path) -> None:
    """Write a verdict that was changed in the file, without a trace in the log."""
    (log,) = run(folder, make_task("colours", make_scorer("letters", letter)))
    path = Path(log.location)
    document = json.loads(path.read_text("utf-8"))
    document["samples"][BROKEN - 1]["scores"]["letters"]["value"] = "C"
    path.write_text(json.dumps(document), encoding="utf-8")


def agent(folder: Path) -> None:
    """Write a run of Inspect's agent that calls tools in a loop."""
    agents = import_module("inspect_ai.agent")
    output = models.ModelOutput.for_tool_call("mockllm/model", "submit", {"answer": "blue"})
    task = make_task("colours", make_scorer("letters", letter), solver=agents.react())
    run(folder, task, model=mock_model("model", output))


def texts(folder: Path) -> None:
    """Write scores that are words without a known meaning."""
    run(
        folder,
        make_task(
            "colours", make_scorer("words", lambda number, _: "good" if number % 2 else "bad")
        ),
    )


def some_texts(folder: Path) -> None:
    """Write one such score among letters."""
    run(
        folder,
        make_task(
            "colours", make_scorer("words", lambda n, e: "unclear" if n == BROKEN else letter(n, e))
        ),
    )


def above_one(folder: Path) -> None:
    """Write scores from 0 to 100."""
    run(
        folder,
        make_task(
            "points", make_scorer("points", lambda number, _: number * 15.0, [scoring.mean()])
        ),
    )


def above_one_some_texts(folder: Path) -> None:
    """Write scores from 0 to 100 with one missing score."""

    def value_of(number: int, _: int) -> float:
        return NAN if number == BROKEN else number * 15.0

    run(folder, make_task("points", make_scorer("points", value_of, [scoring.mean()])))


def negative(folder: Path) -> None:
    """Write scores below 0."""
    run(
        folder,
        make_task(
            "points", make_scorer("points", lambda number, _: 0.5 - number / 5, [scoring.mean()])
        ),
    )


def cancelled(folder: Path) -> None:
    """Write a run that was stopped by a user."""
    stop_while_running(folder, signal.SIGINT)


def killed(folder: Path) -> None:
    """Write a run whose process was killed, so that the archive has no header."""
    stop_while_running(folder, signal.SIGKILL, "eval")


_RUNNING = """
import asyncio
from pathlib import Path
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import solver

@solver
def waiting():
    async def solve(state, generate):
        if state.sample_id > 3:
            Path("waiting").touch()
            await asyncio.sleep(600)
        state.output = ModelOutput.from_content("mockllm/model", "blue")
        return state
    return solve

@task
def colours():
    samples = [Sample(id=n, input="Question", target="blue") for n in range(1, 7)]
    return Task(dataset=samples, solver=waiting(), scorer=match())
"""


def stop_while_running(folder: Path, stop_signal: signal.Signals, log_format: str = "json") -> None:
    """Run a task in a separate process, and stop the process while its fourth sample runs."""
    with tempfile.TemporaryDirectory() as work_folder:
        Path(work_folder, "waiting.py").write_text(_RUNNING, encoding="utf-8")
        program = str(Path(sys.executable).with_name("inspect"))
        arguments = [
            "eval",
            "waiting.py",
            "--model",
            "mockllm/model",
            "--log-dir",
            str(folder),
            "--display",
            "plain",
        ]
        log_arguments = ["--log-format", log_format, "--max-samples", "1", "--log-buffer", "1"]
        process = subprocess.Popen(
            [program, *arguments, *log_arguments],
            cwd=work_folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + 300
        while not Path(work_folder, "waiting").exists() and time.monotonic() < end:
            time.sleep(0.5)
        time.sleep(5)  # wait until the finished samples are written
        process.send_signal(stop_signal)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


SHAPES: dict[str, Callable[[Path], None]] = {
    "plain": plain,
    "packed": packed,
    "converted": converted,
    "all-letters": all_letters,
    "reducer-none": epochs_without_reducer,
    "reducer-mean": reduced("mean"),
    "reducer-median": reduced("median"),
    "reducer-mode": reduced("mode"),
    "reducer-max": reduced("max"),
    "reducer-majority": reduced("majority"),
    "reducer-at-least-2": reduced("at_least_2"),
    "reducer-pass-at-2": reduced("pass_at_2"),
    "reducer-pass-k-2": reduced("pass_k_2"),
    "reducers-mean-max": reduced("mean", "max"),
    "reducers-max-mean": reduced("max", "mean"),
    "reducers-pass-at": reduced("pass_at_1", "pass_at_2", "at_least_3"),
    "several-scorers": several_scorers,
    "several-scorers-declared": several_scorers_declared,
    "several-scorers-stopped": several_scorers_stopped,
    "two-of-one-scorer": two_of_one_scorer,
    "dict-score": dict_score,
    "dict-score-everywhere": dict_score_everywhere,
    "dict-score-plain": dict_score_plain,
    "dict-score-with-gaps": dict_score_with_gaps,
    "list-score": list_score,
    "several-metrics": several_metrics,
    "own-metric": own_metric,
    "grouped": grouped,
    "grouped-means": grouped_means,
    "unscored": unscored,
    "all-unscored": all_unscored,
    "unscored-epochs": unscored_epochs,
    "errored": errored,
    "all-errored": all_errored,
    "scored-on-error": scored_on_error,
    "scorer-errored": scorer_errored,
    "stopped-at-error": stopped_at_error,
    "limited": limited,
    "limited-by-tokens": limited_by_tokens,
    "limited-by-time": limited_by_time,
    "invalidated": invalidated,
    "all-invalidated": all_invalidated,
    "odd-ids": odd_ids,
    "picked-by-limit": picked_by_limit,
    "picked-by-id": picked_by_id,
    "parts-of-one-task": parts_of_one_task,
    "in-a-git-tree": in_a_git_tree,
    "efforts": efforts,
    "several-models": several_models,
    "providers": providers,
    "no-model": no_model,
    "judged": judged,
    "several-tasks": several_tasks,
    "task-arguments": task_arguments,
    "ran-twice": ran_twice,
    "retried": retried,
    "retried-samples": retried_samples,
    "eval-set": eval_set,
    "not-scored": not_scored,
    "not-scored-yet-with-copy": not_scored_yet_with_copy,
    "scored-later": scored_later,
    "scored-again": scored_again,
    "scored-twice": scored_twice,
    "scored-apart": scored_apart,
    "without-samples": without_samples,
    "without-samples-max": without_samples_max,
    "without-samples-own-metric": without_samples_own_metric,
    "edited": edited,
    "edited-without-recount": edited_without_recount,
    "edited-by-hand": edited_by_hand,
    "agent": agent,
    "texts": texts,
    "some-texts": some_texts,
    "above-one": above_one,
    "above-one-some-missing": above_one_some_texts,
    "negative": negative,
    "cancelled": cancelled,
    "killed": killed,
}


KEPT = (
    "above-one",
    "dict-score-plain",
    "edited-without-recount",
    "invalidated",
    "killed",
    "not-scored",
    "not-scored-yet-with-copy",
    "reducers-max-mean",
    "retried",
    "scored-on-error",
    "several-scorers-stopped",
    "several-tasks",
    "unscored",
    "without-samples",
)
"""The shapes in tests/samples/inspect."""

KEPT_AS_JSON = frozenset({"not-scored", "unscored"})


def keep(name: str, folder: Path, out: Path) -> None:
    """Copy the logs of a shape, without tracebacks and without events other than those of scorers."""
    target = out / name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    suffix = "json" if name in KEPT_AS_JSON else "eval"
    for number, path in enumerate(sorted(folder.iterdir()), start=1):
        if name == "killed":  # Inspect would write a header
            shutil.copyfile(path, target / f"{number}{path.suffix}")
            continue
        log = inspect_log.read_eval_log(str(path))
        log.eval.task_file = log.eval.revision = None
        errors = [log.error]
        for sample in log.samples or ():
            errors += [sample.error, *(getattr(sample, "error_retries", None) or ())]
            sample.events = [event for event in sample.events if event.event == "score"]
            sample.attachments = {}
            for name_of_field in ("events_data", "timelines"):
                if hasattr(sample, name_of_field):  # newer releases have it
                    setattr(sample, name_of_field, None)
        for error in errors:
            if error is not None:
                error.traceback = error.traceback_ansi = ""
            if getattr(error, "events", None):
                error.events = None
        inspect_log.write_eval_log(log, str(target / f"{number}.{suffix}"))


def write(name: str, folder: Path) -> bool:
    """Write the logs of a shape; return whether this release of Inspect can write it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        SHAPES[name](folder)
    except Exception as error:  # noqa: BLE001 - an older release lacks what the shape needs
        print(
            f"{name}: not written by inspect-ai {version('inspect-ai')}: {type(error).__name__}: {error}"
        )
        shutil.rmtree(folder)
        return False
    print(f"{name}: {len(list(folder.iterdir()))} files")
    return True


def main() -> None:
    """Write the requested shapes."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("names", nargs="*")
    arguments.add_argument("--kept", action="store_true")
    options = arguments.parse_args()
    out = options.out.absolute()
    if not options.kept:
        for name in options.names or SHAPES:
            write(name, out / name)
        return
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.names or KEPT:
            folder = Path(scratch, name)
            if write(name, folder):
                keep(name, folder, out)


if __name__ == "__main__":
    main()
