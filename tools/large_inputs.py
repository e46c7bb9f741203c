"""Writes large results for `bench.py`, drawn at random from a fixed seed: one benchmark with one track, `chain`."""

import hashlib
import json
import random
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Record = dict[str, Any]


@dataclass(frozen=True)
class Large:
    """The size of a simulated board; by default the large board with 10.1 million cases."""

    submissions: int = 100
    tasks: int = 115
    attempts: int = 4
    rounds: int = 4
    cases: int = 55
    """Approximate number of cases per round; 0 to write verdicts only."""
    has_rows: bool = False
    """Whether every case fails and has its own record; otherwise, cases are outcomes of their round."""

    def write(self, folder: Path) -> int:
        """Write the complete benchmark, and return the number of cases."""
        home = folder / "large"
        (home / "tasks").mkdir(parents=True)
        definition = f"""\
schema = 1
id = "large"
title = "Large"
simulated = true

[[tracks]]
id = "main"
title = "Main"
protocol = "chain"
attempts = {self.attempts}
tasks = "all"
headline = "dataset_score"
columns = ["dataset_score", "perfect_tasks"]
"""
        (home / "benchmark.toml").write_text(definition, encoding="utf-8")
        tasks = (
            {"id": f"task-{task}", "rounds": [{"n": n} for n in self._numbers()]}
            for task in range(self.tasks)
        )
        (home / "tasks" / "all.jsonl").write_text(_lines(tasks), encoding="utf-8")
        levels = (
            0 if self.has_rows else 0.6 + number / 3 / self.submissions
            for number in range(self.submissions)
        )
        return sum(self._write_bundle(folder, number, level) for number, level in enumerate(levels))

    def change_one(self, folder: Path) -> None:
        """Replace the results of the first submission, as if it had been run again."""
        shutil.rmtree(_bundle(folder, 0))
        self._write_bundle(folder, 0, level=0.5)

    def _numbers(self) -> range:
        return range(1, self.rounds + 1)

    def _write_bundle(self, folder: Path, number: int, level: float) -> int:
        """Write a submission that passes a share of its cases, or of its rounds if no cases are known."""
        bundle, rounds = _bundle(folder, number), list(self._rounds(random.Random(number), level))
        bundle.mkdir(parents=True)
        manifest = (
            f'schema = 1\ntrack = "main"\ndate = 2026-06-25\n\n[agent]\nname = "Agent {number}"\n'
        )
        files = {"rounds.jsonl": _lines(rounds), "submission.toml": manifest}
        if self.has_rows:
            files["failures.jsonl"] = _lines(_rows(rounds))
        for name, text in files.items():
            (bundle / name).write_text(text, encoding="utf-8")
        sums = (
            f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in files.items()
        )
        (bundle / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
        return sum(round_result.get("total", 0) for round_result in rounds)

    def _rounds(self, dice: random.Random, level: float) -> Iterator[Record]:
        for task in range(self.tasks):
            for attempt in range(1, self.attempts + 1):
                for n in self._numbers():
                    verdict: Record = {"reward": int(dice.random() < level)}
                    if self.cases:
                        count = max(1, self.cases + (task + n) % 11 - 5)
                        outcomes = "".join(dice.choices("pf", (level, 1 - level), k=count))
                        outcomes = "p" * len(outcomes) if dice.random() < level / 2 else outcomes
                        verdict = {
                            "reward": int("f" not in outcomes),
                            "passed": outcomes.count("p"),
                        }
                        verdict |= {"total": len(outcomes), "outcomes": outcomes}
                    yield {
                        "task": f"task-{task}",
                        "attempt": attempt,
                        "round": n,
                        "state": "scored",
                        **verdict,
                        "interactions": dice.randint(5, 90),
                        "turns": dice.randint(5, 60),
                        "input_tokens": dice.randint(9000, 900_000),
                        "output_tokens": dice.randint(900, 90_000),
                        "cost_usd": round(dice.uniform(0, 3), 2),
                        "agent_seconds": round(dice.uniform(9, 900), 1),
                    }


def change_reward(results: Path) -> None:
    """Let one more case fail in the first submission, in its first round that passes."""
    change_reward_of(min(results.glob("*/submissions/*")))


def change_reward_of(bundle: Path) -> None:
    """Let one more case fail in the first round that a submission passes."""
    path, sums = bundle / "rounds.jsonl", bundle / "SHA256SUMS"
    before = path.read_text(encoding="utf-8")
    lines = before.splitlines(keepends=True)
    records = [json.loads(line) for line in lines]
    index = next(number for number, candidate in enumerate(records) if candidate.get("reward") == 1)
    record = records[index]
    record["reward"] = 0
    if record.get("passed"):
        record["passed"] -= 1
    if record.get("outcomes"):
        record["outcomes"] = record["outcomes"].replace("p", "f", 1)
    after = "".join((*lines[:index], json.dumps(record) + "\n", *lines[index + 1 :]))
    path.write_text(after, encoding="utf-8")
    old, new = (hashlib.sha256(text.encode()).hexdigest() for text in (before, after))
    sums.write_text(sums.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def add_row(results: Path) -> None:
    """Add a submission of a new agent: a copy of the last one, with one reward changed."""
    last = max(results.glob("*/submissions/*"))
    bundle = last.with_name("2099-01-01-added")
    shutil.copytree(last, bundle)
    manifest, sums = bundle / "submission.toml", bundle / "SHA256SUMS"
    before = manifest.read_bytes()
    after = before.replace(b'\nname = "', b'\nname = "Other ', 1)
    manifest.write_bytes(after)
    old, new = (hashlib.sha256(content).hexdigest() for content in (before, after))
    sums.write_text(sums.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    change_reward_of(bundle)


def _bundle(folder: Path, number: int) -> Path:
    return folder / "large" / "submissions" / f"agent-{number}"


def _rows(rounds: list[Record]) -> Iterator[Record]:
    for round_result in rounds:
        key = {name: round_result[name] for name in ("task", "attempt", "round")}
        for case in range(round_result["total"]):
            yield {
                **key,
                "case": f"case-{case}",
                "requirement": f"R{case // 5}",
                "reason": "exit code 1, expected 0",
            }


def _lines(records: Iterable[Record]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def write_table(path: Path, agents: int, tasks: int, attempts: int) -> None:
    """Write a CSV table with a row for each attempt of each agent at each task, with a reward and a cost."""
    dice = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        file.write("agent,task,attempt,reward,cost_usd\n")
        for agent in range(agents):
            for task in range(tasks):
                for attempt in range(1, attempts + 1):
                    reward = dice.choice((0, 0, 1))
                    file.write(
                        f"model-{agent:03d},task-{task:05d},{attempt},{reward},{dice.random():.3f}\n"
                    )
