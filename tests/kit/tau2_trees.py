"""Small simulation files of tau2-bench, reduced to what the tests need."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def simulation(task: str = "tidy", trial: int | None = 0, reward: float | None = 1.0, **facts: object) -> Json:
    """Return a simulation that the user ended."""
    day = f"2026-06-1{(trial or 0) + 1}"
    info = None if reward is None else {"reward": reward, "reward_basis": ["DB"], "reward_breakdown": {"DB": reward}}
    return {
        "id": f"{task}-{trial}-{facts.get('model', '')}-{reward}",
        "task_id": task,
        "start_time": f"{day}T10:00:00",
        "end_time": f"{day}T10:01:00",
        "duration": 60.0,
        "termination_reason": "user_stop",
        "agent_cost": 0.25,
        "user_cost": 0.05,
        "reward_info": info,
        "messages": MESSAGES,
        "trial": trial,
        **facts,
    }


MESSAGES: list[Json] = [
    {"role": "assistant", "content": "Hi! How can I help you today?", "cost": 0.0, "usage": None},
    {"role": "user", "content": "Tidy my desk."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "name": "tidy", "arguments": {"place": "desk"}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20},
    },
    {"role": "tool", "id": "call_1", "content": "done"},
    {"role": "assistant", "content": "It is tidy.", "usage": {"prompt_tokens": 130, "completion_tokens": 5}},
    {"role": "user", "content": "###STOP###"},
]
"""A conversation between the agent, the user and a tool."""


def results(simulations: Sequence[Json], model: str = "demo/ada", **info: object) -> Json:
    """Return the content of a simulation file."""
    agent = {"implementation": "llm_agent", "llm": model, "llm_args": {"temperature": 0.0}}
    tasks = dict.fromkeys(str(simulation["task_id"]) for simulation in simulations)
    return {
        "timestamp": "2026-06-11T10:00:00",
        "info": {
            "git_commit": "0123456789abcdef0123456789abcdef01234567",
            "num_trials": 1 + max((simulation["trial"] or 0 for simulation in simulations), default=0),
            "max_steps": 200,
            "max_errors": 10,
            "user_info": {"implementation": "user_simulator", "llm": "demo/user"},
            "agent_info": agent,
            "environment_info": {"domain_name": "office", "policy": "Be tidy."},
            "seed": 300,
            **info,
        },
        "tasks": [{"id": task} for task in tasks],
        "simulations": [
            {**simulation, "id": f"{model}-{simulation['id']}".replace("/", "-")} for simulation in simulations
        ],
    }


def write(path: Path, document: object) -> Path:
    """Write a JSON file; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path
