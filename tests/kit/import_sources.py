"""Small sources in every format, for tests that cover all formats."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kit import evocodebench_trees as published_tree
from kit import foreign_sources as foreign_trees
from kit import harbor_trees, promptfoo_trees, tau2_trees
from kit import slopcodebench_trees as slop_trees
from kit import small_tables as tables
from kit import terminal_bench_trees as tb_trees
from kit.aider_trees import write_aider_run
from kit.multiturn_trees import FAIL, PASS, Source


@dataclass(frozen=True)
class Sources:
    """The sources of one format: a source with two agents, `ada` and `bob`, and sources that need an option.

    Attributes:
        root: The folder of the sources and of the files that options name.
        plain: The source used to test most options.
        others: The sources for other options, by option; for `task`, a source with several tasks.
        task: The value of `--task` for one of these tasks.
    """

    root: Path
    plain: str
    others: Mapping[str, str] = field(default_factory=dict)
    task: str = "tidy"


def evocodebench(root: Path) -> Sources:
    """Write sources for EvoCode-Bench: one task with a file, and one without."""
    runs = {"ada": [published_tree.passed()], "bob": [published_tree.failed()]}
    plain = published_tree.publish(root / "plain", {"tidy": runs})
    gaps = published_tree.publish(root / "gaps", {"tidy": runs, "neat": runs})
    (gaps / "tasks" / "neat.json").unlink()
    two = published_tree.publish(root / "two", {"tidy": runs, "neat": runs})
    scored = {"ada": [published_tree.passed() | {"reward": 10}], "bob": [published_tree.failed()]}
    scale = published_tree.publish(root / "scale", {"tidy": scored})
    return Sources(root, str(plain), {"allow_missing": str(gaps), "task": str(two), "scale": str(scale)})


def harbor(root: Path) -> Sources:
    """Write two jobs; a task that was not run; a task that one agent ran twice; jobs whose tasks are elsewhere.

    Also write a job with two tasks, and rewards from 0 to 10 next to another key.
    """
    for name in ("plain", "gaps", "twice", "bare"):
        for number, model in enumerate(("ada", "bob", *(["ada"] if name == "twice" else [])), start=1):
            job = root / name / "jobs" / f"2026-06-1{number}__10-00-00"
            harbor_trees.Trial(model=f"demo/{model}").write(job, harbor_trees.PASSED, harbor_trees.FAILED)
        harbor_trees.write_task(root / ("definitions" if name == "bare" else name), "tidy")
    harbor_trees.write_task(root / "gaps", "neat")
    for task in ("tidy", "neat"):
        harbor_trees.write_task(root / "two", task)
        job = root / "two" / "jobs" / "2026-06-11__10-00-00"
        harbor_trees.Trial(task=task, model="demo/ada").write(job, harbor_trees.PASSED, harbor_trees.FAILED)
    scaled = harbor_trees.Play(10.0, None, rewards={"reward": 10, "second": 0})
    harbor_trees.write_task(root / "scaled", "tidy", 1)
    harbor_trees.Trial(model="demo/ada").write(root / "scaled" / "jobs" / "2026-06-11__10-00-00", scaled)
    folders_by_option = {"allow_missing": "gaps", "pick": "twice", "runs": "twice", "tasks": "bare", "task": "two"}
    return Sources(root, "plain", {**folders_by_option, "scale": "scaled", "metric": "scaled"})


def harbor_multiturn(root: Path) -> Sources:
    """Write two agents, with the instructions of a round; a task that was not run; runs whose tasks are elsewhere.

    Also write runs of two tasks, and rewards up to 10.
    """
    for name in ("plain", "gaps", "bare"):
        (root / name).mkdir(parents=True)
        source = Source(root / name)
        for model in ("ada", "bob"):
            source.of(model).run(f"tidy__{model.upper()}0000", [PASS, FAIL])
        Source(root if name == "bare" else root / name).task("tidy")
    (root / "plain" / "tasks" / "tidy" / "round_1").mkdir()
    (root / "plain" / "tasks" / "tidy" / "round_1" / "instruction.md").write_text("Tidy up.", encoding="utf-8")
    (root / "tasks").rename(root / "definitions")
    Source(root / "gaps").task("neat")
    (root / "two").mkdir()
    for task in ("tidy", "neat"):
        source = Source(root / "two")
        source.task(task, 2)
        source.of("ada", task).run(f"{task}__ADA0000", [PASS, FAIL])
    (root / "scaled").mkdir()
    source = Source(root / "scaled")
    source.task()
    source.of("ada").run("tidy__ADA0000", [{"round": 1, "reward": 10, "status": "completed"}])
    return Sources(root, "plain", {"allow_missing": "gaps", "tasks": "bare", "task": "two", "scale": "scaled"})


def slopcodebench(root: Path) -> Sources:
    """Write two runs, and runs of a problem that none of them reached."""
    for name, problems in (("plain", slop_trees.DAG), ("gaps", f"{slop_trees.DAG}, {slop_trees.PLANNER}")):
        for model in ("ada", "bob"):
            config = slop_trees.CONFIG.replace("glm-5", model).replace(f"[{slop_trees.DAG}]", f"[{problems}]")
            slop_trees.write_run(root / name / model, [slop_trees.row(1)], config=config)
    problem_names = (slop_trees.DAG, slop_trees.PLANNER)
    config = slop_trees.CONFIG.replace(f"[{slop_trees.DAG}]", f"[{', '.join(problem_names)}]")
    rows = [slop_trees.row(1, problem=problem) for problem in problem_names]
    slop_trees.write_run(root / "two" / "ada", rows, config=config)
    for day in (1, 2):
        rows = [slop_trees.row(1, started=f"2026-06-0{day}T10:00:00", core=(day, 2))]
        config = slop_trees.CONFIG.replace("glm-5", "ada")
        slop_trees.write_run(root / "several" / str(day), rows, config=config)
    (root / "catalog.json").write_text(json.dumps({"problems": {slop_trees.DAG: 4}}), encoding="utf-8")
    folders_by_option = {"allow_missing": "gaps", "task": "two", "runs": "several", "pick": "several"}
    return Sources(root, "plain", folders_by_option, slop_trees.DAG)


def table(root: Path) -> Sources:
    """Write two agents; an agent with a second attempt at only one task; and tables that need an option."""
    root.mkdir(exist_ok=True)
    head = f"agent,{tables.HEAD}"
    odd = {
        "column": ("agent,task,reward,total", "ada,tidy,1,0", "ada,neat,0,1"),
        "label": ("agent,task,reward,kind", "ada,tidy,1,web", "ada,neat,0,db"),
        "wide": ("task,ada,bob", "tidy,1,0", "neat,0,1"),
        "scale": ("agent,task,reward", "ada,tidy,10", "ada,neat,5"),
        "runs": ("agent,task,reward", "ada,tidy,1", "ada,tidy,0"),
    }
    paths_by_option = {}
    for option, (columns, *lines) in odd.items():
        paths_by_option[option] = str(tables.csv(root, *lines, head=columns).rename(root / f"{option}.csv"))
    paths_by_option["pick"] = paths_by_option["runs"]
    plain = tables.csv(root, "ada,tidy,1,1,1,2,2", "bob,tidy,1,1,0,1,2", head=head).rename(root / "plain.csv")
    two = tables.csv(root, "ada,tidy,1,1,1,2,2", "ada,neat,1,1,0,1,2", head=head).rename(root / "two.csv")
    gaps = tables.csv(root, *(f"ada,{run},1,1,2,2" for run in ("tidy,1", "tidy,2", "neat,1")), head=head)
    return Sources(root, str(plain), {"allow_missing": str(gaps), "task": str(two), **paths_by_option})


def inspect(root: Path) -> Sources:
    """Write a log of each kind; an interrupted run; logs of two tasks; two runs of an agent; scores from 0 to 10."""
    samples = [foreign_trees.sample("Fix/1", "C"), foreign_trees.sample("fix-2", "P", error=None)]
    for name in ("plain", "gaps", "two"):
        for model in ("ada", "bob"):
            log = foreign_trees.log(model, samples[: 1 if (name, model) == ("gaps", "bob") else 2])
            if model == "ada":
                foreign_trees.packed_log(root / name / "ada.eval", log)
            else:
                foreign_trees.put(root / name / "bob.json", log)
    foreign_trees.put(root / "two" / "neat.json", foreign_trees.log("ada", samples, eval={"task": "neat"}))
    for number, value in enumerate("CI", start=1):
        spec = {"task_id": f"id-{number}", "created": f"2026-07-0{number}T10:00:00+00:00"}
        log = foreign_trees.log("ada", [foreign_trees.sample("fix-2", value)], eval=spec)
        foreign_trees.put(root / "twice" / f"{number}.json", log)
    scaled = [foreign_trees.sample("Fix/1", 10), foreign_trees.sample("fix-2", 5)]
    foreign_trees.put(root / "scaled" / "ada.json", foreign_trees.log("ada", scaled))
    folders_by_option = {"allow_missing": "gaps", "task": "two", "pick": "twice", "runs": "twice", "scale": "scaled"}
    return Sources(root, "plain", folders_by_option)


def swebench(root: Path) -> Sources:
    """Write two runs; a model without a prediction for one instance; and a model that was evaluated twice."""
    for name, missing in (("plain", "empty"), ("gaps", "absent")):
        for model, ended in (("ada", "resolved"), ("demo__bob", "unresolved")):
            instances = {"org__repo-1": ended, "org__repo-2": "resolved", "org__repo-3": missing}
            foreign_trees.evaluation(root / name, model, instances)
    for run, ended in (("r1", "resolved"), ("r2", "unresolved")):
        foreign_trees.evaluation(root / "twice", "ada", {"org__repo-1": ended}, run)
    return Sources(root, "plain", {"allow_missing": "gaps", "pick": "twice", "runs": "twice"}, "org__repo-1")


def every_eval_ever(root: Path) -> Sources:
    """Write two models with samples; one with fewer samples; two benchmarks; two records of a model; scores to 10."""
    lines = [(task, result, score) for task, score in (("a/1", 10.0), ("a/2", 5.0)) for result in ("first", "second")]
    for name, benchmarks in (("plain", ("tidy",)), ("gaps", ("tidy",)), ("two", ("tidy", "neat"))):
        for benchmark in benchmarks:
            for model in ("ada", "bob"):
                model_lines = lines[: 2 if (name, model) == ("gaps", "bob") else 4]
                changed = [(task, result, 0.0 if result == "second" else score) for task, result, score in model_lines]
                foreign_trees.record(root / name, model, changed, benchmark)
    for number, score in enumerate((10.0, 0.0), start=1):
        path = foreign_trees.record(root / "twice" / f"{number}", "ada", [("a/1", "first", score)])
        document = json.loads(path.read_text("utf-8")) | {"evaluation_timestamp": f"178290000{number}"}
        foreign_trees.put(path, document)
    folders_by_option = {"allow_missing": "gaps", "task": "two", "pick": "twice", "runs": "twice"}
    return Sources(root, "plain", folders_by_option)


def lm_eval(root: Path) -> Sources:
    """Write two models with two metrics; a model without one task; a model that ran twice; scores from 0 to 10."""
    scores = {"tidy": {"first,none": [1.0, 0.0], "second,none": [0.0, 0.0]}, "neat": {"first,none": [1.0]}}
    for name in ("plain", "gaps"):
        foreign_trees.harness(root / name, "ada", scores)
        foreign_trees.harness(root / name, "bob", scores if name == "plain" else {"tidy": scores["tidy"]})
    for time, value in (("2026-07-01T10-00-00.5", 1.0), ("2026-07-02T10-00-00.5", 0.0)):
        foreign_trees.harness(root / "twice", "ada", {"tidy": {"first,none": [value]}}, time)
    foreign_trees.harness(root / "scaled", "ada", {"tidy": {"first,none": [10.0, 5.0]}})
    folders_by_option = {"allow_missing": "gaps", "pick": "twice", "runs": "twice", "scale": "scaled"}
    return Sources(root, "plain", folders_by_option, "neat/0")


def terminal_bench(root: Path) -> Sources:
    """Write two agents; an agent whose run does not state its tasks; and an agent that ran twice."""
    trials = {"tidy": True, "neat": False}
    for name in ("plain", "gaps", "twice"):
        tb_trees.write_run(root / name / "run-ada", "ada", trials)
        tb_trees.write_run(root / name / "run-bob", "bob", {"tidy": False} if name == "gaps" else trials)
    tb_trees.write_run(root / "twice" / "run-later", "ada", {"tidy": False, "neat": True}, day=2)
    return Sources(root, "plain", {"allow_missing": "gaps", "pick": "twice", "runs": "twice"})


def tau2(root: Path) -> Sources:
    """Write a file for each agent; an agent that ran one of two tasks; and two runs of an agent on the same task."""
    for name in ("plain", "gaps"):
        for model, tasks in (("ada", ("tidy", "neat")), ("bob", ("tidy",) if name == "gaps" else ("tidy", "neat"))):
            document = tau2_trees.results([tau2_trees.simulation(task) for task in tasks], f"demo/{model}")
            tau2_trees.write(root / name / f"{model}.json", document)
    for day in (1, 2):
        document = tau2_trees.results([tau2_trees.simulation(id=str(day), start_time=f"2026-06-1{day}T10:00:00")])
        tau2_trees.write(root / "twice" / f"run{day}.json", document)
    return Sources(root, "plain", {"allow_missing": "gaps", "runs": "twice", "pick": "twice"})


def promptfoo(root: Path) -> Sources:
    """Write two providers; a provider without one test; and two evaluations of one suite."""
    for name in ("plain", "gaps"):
        positions = [(0, 0), (0, 1), (1, 0), (1, 1)][: 3 if name == "gaps" else 4]
        evaluation = promptfoo_trees.evaluation([promptfoo_trees.result(*position) for position in positions])
        promptfoo_trees.write(root / name / "results.json", evaluation)
    for day in (1, 2):
        results = [promptfoo_trees.result(id=f"of-{day}")]
        evaluation = promptfoo_trees.evaluation(results, f"eval-{day}")
        promptfoo_trees.write(root / "twice" / f"run{day}.json", evaluation)
    return Sources(root, "plain", {"allow_missing": "gaps", "runs": "twice", "pick": "twice"})


def aider(root: Path) -> Sources:
    """Write a run for each model; a model that ran one of two exercises; and a model with two runs."""
    exercises = {"go/tidy": [True], "rust/neat": [False, True]}
    for name in ("plain", "gaps", "twice"):
        write_aider_run(root / name / "2026-06-11-10-00-00--ada", "demo/ada", exercises)
        fewer = {"go/tidy": [False]} if name == "gaps" else exercises
        model = "demo/ada" if name == "twice" else "demo/bob"
        write_aider_run(root / name / "2026-06-12-10-00-00--other", model, fewer)
    return Sources(root, "plain", {"allow_missing": "gaps", "runs": "twice", "pick": "twice"}, task="go/tidy")


MADE: Mapping[str, Callable[[Path], Sources]] = {
    "aider": aider,
    "every-eval-ever": every_eval_ever,
    "evocodebench": evocodebench,
    "harbor": harbor,
    "harbor-multiturn": harbor_multiturn,
    "inspect": inspect,
    "lm-eval": lm_eval,
    "promptfoo": promptfoo,
    "slopcodebench": slopcodebench,
    "swebench": swebench,
    "table": table,
    "tau2": tau2,
    "terminal-bench": terminal_bench,
}
