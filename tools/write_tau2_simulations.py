"""Write simulation files of tau2-bench with its own runner, as samples for tests.

The samples in `tests/samples/tau2` were written by tau2-bench 1.0.1 (sierra-research/tau2-bench, commit a2c0247). It
must be installed from its repository, and `TAU2_DATA_DIR` must name the repository's folder `data`:

    python tools/write_tau2_simulations.py tests/samples/tau2

`expected.json` next to the samples contains the values that tau2-bench computes for each file.

Agent and user follow rules in this file, through LiteLLM's custom providers, so no model is called. The tasks are
invented here and run in tau2-bench's own mock environment.
"""

import argparse
import json
import random
import re
import shutil
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

litellm: Any = import_module("litellm")
litellm_types = import_module("litellm.types.utils")
simulation_models = import_module("tau2.data_model.simulation")
task_models = import_module("tau2.data_model.tasks")
mock_domain = import_module("tau2.domains.mock.environment")
agent_metrics = import_module("tau2.metrics.agent_metrics")
registry = import_module("tau2.registry").registry
batch = import_module("tau2.runner.batch")
trimming = import_module("tau2.scripts.leaderboard.trim_trajectories")

SEED = 300
POLICY = "Create the tasks that users ask for, and say when they are due."

TITLES = {"0": "Buy lamps", "1": "Call the roofer", "2": "Water the ferns"}
"""The request of the user in each task."""

RIGHT, WRONG, SILENT, ENDLESS, LOST, BROKEN = (
    "right",
    "wrong",
    "silent",
    "endless",
    "lost",
    "broken",
)
"""The ways in which an agent handles a task.

The agent creates the requested task; creates a different task; creates the requested task without a due date; talks
until it runs out of steps; calls a missing tool until it runs out of errors; or gets no answer from its provider.
"""

Message = dict[str, Any]

Plan = Mapping[str, str]
"""The way in which an agent handles each task, with one word per trial."""


class Rules:
    """Answers for the agent and the user, as a provider of LiteLLM."""

    def __init__(self) -> None:
        self.plan: Plan = {}
        self.trials: dict[int, int] = {}

    def completion(
        self, model: str, messages: list[Message], optional_params: Message, **_: object
    ) -> object:
        """Return the next message of a conversation."""
        if "user" in model:
            return _response(model, _user_words(messages))
        trial = self.trials[optional_params["seed"]]
        return self._agent_response(model, messages, trial)

    def _agent_response(self, model: str, messages: list[Message], trial: int) -> object:
        asked = next(message["content"] for message in messages if message["role"] == "user")
        title = _quoted(asked)
        task_id = next(task for task, text in TITLES.items() if text == title)
        behaviour = self.plan[task_id].split()[trial]
        if behaviour == BROKEN:
            raise litellm.InternalServerError("the provider is overloaded", "rules", model)
        if behaviour == ENDLESS:
            return _response(model, "Let me think about that. Is there anything else?")
        if behaviour == LOST:
            return _response(model, None, "delete_everything", {})
        if messages[-1]["role"] == "tool":
            due = "" if behaviour == SILENT else " It is due on Monday."
            return _response(model, f"I have created the task.{due}")
        created = "Something else" if behaviour == WRONG else title
        return _response(model, None, "create_task", {"user_id": "user_1", "title": created})


def _quoted(text: str) -> str:
    """Return the text between quotation marks."""
    match = re.search(r"'([^']+)'", text)
    if match is None:
        raise ValueError(f"nothing is asked for: {text}")
    return match[1]


def _user_words(messages: list[Message]) -> str:
    """Return the user's message: first the request, later that the conversation is over."""
    agent_messages = [message for message in messages if message["role"] == "assistant"]
    if not agent_messages:
        title = _quoted(messages[0]["content"].partition("a task called")[2])
        return f"Please create a task called '{title}' for user_1."
    if "Let me think" in str(messages[-1]["content"]):
        return "No, only that."
    return "###STOP###"


def _response(
    model: str, content: str | None, tool: str | None = None, arguments: Message | None = None
) -> object:
    calls = None
    if tool:
        function = litellm_types.Function(name=tool, arguments=json.dumps(arguments))
        calls = [
            litellm_types.ChatCompletionMessageToolCall(
                id="call_1", type="function", function=function
            )
        ]
    message = litellm_types.Message(role="assistant", content=content, tool_calls=calls)
    usage = litellm_types.Usage(prompt_tokens=120, completion_tokens=15, total_tokens=135)
    choices = [litellm_types.Choices(message=message)]
    return litellm_types.ModelResponse(model=model, choices=choices, usage=usage)


def tasks_of(domain: str, _split: str | None = None) -> list[Any]:
    """Return the tasks of a domain, which are graded in three ways."""
    tasks = []
    for task_id, title in TITLES.items():
        action = {
            "action_id": "create",
            "name": "create_task",
            "arguments": {"user_id": "user_1", "title": title},
        }
        criteria: dict[str, Any] = {"actions": [action], "reward_basis": ["DB"]}
        if task_id == "0":
            criteria |= {"communicate_info": ["Monday"], "reward_basis": ["DB", "COMMUNICATE"]}
        if task_id == "1":
            number = {"user_id": "user_1", "expected_number": 2}
            assertion = {
                "env_type": "assistant",
                "func_name": "assert_number_of_tasks",
                "arguments": number,
            }
            criteria |= {"env_assertions": [assertion], "reward_basis": ["ENV_ASSERTION", "ACTION"]}
        scenario = {"instructions": f"You need a task called '{title}' for user_1. ({domain})"}
        tasks.append(
            task_models.Task.model_validate(
                {"id": task_id, "user_scenario": scenario, "evaluation_criteria": criteria}
            )
        )
    return tasks


def make_environment(domain: str, **facts: object) -> object:
    """Return the mock environment under the name of a domain."""
    environment = mock_domain.get_environment(**facts)
    environment.domain_name = domain
    environment.policy = POLICY
    return environment


def run(
    rules: Rules,
    save_path: Path,
    plan: Plan,
    model: str = "kettle-1",
    domain: str = "desk",
    **facts: object,
) -> None:
    """Run an agent on the tasks in its plan, and store the file that tau2-bench writes."""
    trials = max(len(behaviours.split()) for behaviours in plan.values())
    results_format = facts.pop("results_format", "json")
    config = simulation_models.TextRunConfig(
        domain=domain,
        llm_agent=f"rules/{model}",
        llm_user="rules/user-1",
        num_trials=trials,
        max_concurrency=1,
        max_steps=12,
        max_errors=3,
        max_retries=0,
        seed=SEED,
        auto_resume=True,
        log_level="CRITICAL",
        **facts,
    )
    random.seed(SEED)
    rules.plan = plan
    rules.trials = {random.randint(0, 1000000): trial for trial in range(trials)}
    chosen = [task for task in tasks_of(domain) if task.id in plan]
    batch.run_tasks(
        config, chosen, save_path=save_path, console_display=False, results_format=results_format
    )


def tidy(path: Path) -> None:
    """Remove from a file what tau2-bench's own trimming removes, and its guide for simulated users."""
    document = json.loads(path.read_text(encoding="utf-8"))
    if "user_info" in (document.get("info") or {}):
        document["info"]["user_info"]["global_simulation_guidelines"] = None
    for simulation in document.get("simulations", [document]):
        for name in trimming.SIMULATION_STRIP_FIELDS - {"info"}:
            simulation.pop(name, None)
        (simulation.get("info") or {}).pop("error_traceback", None)
        messages = simulation.get("messages") or []
        for message in messages:
            for name in trimming.MESSAGE_STRIP_FIELDS - {"id"}:
                message.pop(name, None)
        if messages:
            simulation["messages"] = without_nulls(messages)
    if "tasks" in document:
        document["tasks"] = without_nulls(document["tasks"])
    path.write_text(json.dumps(document) + "\n", encoding="utf-8")


def without_nulls(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return JSON without keys that have no value, which are frequent in messages and tasks."""
    if isinstance(value, dict):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [without_nulls(inner) for inner in value] if isinstance(value, list) else value


def figures_of(path: Path) -> dict[str, Any]:
    """Return the values that tau2-bench computes for a file."""
    metrics = agent_metrics.compute_metrics(simulation_models.Results.load(path))
    return {
        "reward": metrics.avg_reward,
        "pass_hat": {str(k): value for k, value in metrics.pass_hat_ks.items()},
        "simulations": metrics.total_simulations,
        "unscored": metrics.infra_error_count,
    }


def write(root: Path) -> None:
    """Write every sample."""
    rules = Rules()
    litellm.custom_provider_map = [{"provider": "rules", "custom_handler": rules}]
    litellm.num_retries = 0
    for domain in ("desk", "shop"):
        registry.register_domain(partial(make_environment, domain), domain)
        registry.register_tasks(partial(tasks_of, domain), domain)
    write_runs(rules, root)
    for path in root.rglob("*.json"):
        tidy(path)
    figures = {}
    for path in sorted(root.rglob("*.json")):
        if path.parent.name != "simulations":
            figures[path.relative_to(root).as_posix()] = figures_of(path)
    expected = {"written_by": "tau2-bench 1.0.1, commit a2c0247", "files": figures}
    (root / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


def write_runs(rules: Rules, root: Path) -> None:
    """Write a folder for each shape of results."""
    one_trial = {"0": RIGHT, "1": WRONG}
    four = {
        "0": "right right right right",
        "1": "right wrong right wrong",
        "2": "wrong wrong wrong wrong",
    }
    two = {"0": "right wrong", "1": "right right"}
    run(rules, root / "four-trials" / "kettle_desk.json", four)
    run(rules, root / "two-domains" / "kettle_desk.json", two)
    run(
        rules,
        root / "two-domains" / "kettle_shop.json",
        {"0": "right right", "1": "wrong right"},
        domain="shop",
    )
    run(rules, root / "two-models" / "kettle_desk.json", one_trial)
    run(rules, root / "two-models" / "brook_desk.json", {"0": RIGHT, "1": RIGHT}, "brook-2")
    low, high = ({"temperature": 0.0, "reasoning_effort": effort} for effort in ("low", "high"))
    run(rules, root / "two-efforts" / "kettle_low.json", one_trial, llm_args_agent=low)
    run(
        rules,
        root / "two-efforts" / "kettle_high.json",
        one_trial | {"1": RIGHT},
        llm_args_agent=high,
    )
    ended = {"0": "silent right", "1": "endless lost", "2": "broken right"}
    run(rules, root / "ended-early" / "kettle_desk.json", ended)
    run(rules, root / "folder" / "kettle_desk" / "results.json", two, results_format="dir")
    run(rules, root / "two-runs" / "kettle_first.json", one_trial)
    run(rules, root / "two-runs" / "kettle_second.json", one_trial | {"1": RIGHT})
    run(rules, root / "run-again" / "kettle_first.json", one_trial | {"2": BROKEN})
    run(rules, root / "run-again" / "kettle_second.json", {"2": RIGHT})
    run(rules, root / "nothing-ran" / "kettle_desk.json", {"0": BROKEN, "1": BROKEN})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for name in folder.glob("*/"):
        shutil.rmtree(name)
    (folder / "expected.json").unlink(missing_ok=True)
    write(folder)
