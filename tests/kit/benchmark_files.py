"""Benchmarks represented by the content of their files, which random histories change and write again."""

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import tomlkit

from kit.results_folders import json_lines, write_benchmark

Facts: TypeAlias = dict[str, Any]

NAMES = ("Acme-1", "acme one", "Bolt & Co", "Cedar <2>", 'D <a href="d.md">')
_SCAFFOLDS = (None, None, "Alpha", "Beta")
_REASONING = (None, None, None, "high")


class Benchmark:
    """The content of a benchmark's folder before it is written."""

    def __init__(self, definition: Facts) -> None:
        """Start with only a definition."""
        self.definition = definition
        self.tasks: dict[str, list[Facts]] = {}
        self.tables: dict[str, Facts] = {}
        self.bundles: dict[str, tuple[Facts, list[Facts]]] = {}
        self.findings: list[Facts] = []

    @classmethod
    def new(cls, name: str) -> "Benchmark":
        """Return a benchmark with task sets and two tracks, the second of which is fail-stop."""
        made = cls({"schema": 1, "id": name, "title": name.title(), "tracks": [], "renamed": [], "aliases": {}})
        made.definition["issues"] = "https://github.com/example/mini"
        made.tasks["all"] = [new_task("tidy", 2, cases=3), new_task("wide", 1)]
        made.tasks["few"] = [new_task("tidy", 1), new_task("neat", 3)]
        made.tracks.extend([new_track("main", "chain", "all"), new_track("relay", "fail-stop", "few")])
        return made

    @property
    def id(self) -> str:
        """The id of the benchmark, also the name of its folder."""
        return str(self.definition["id"])

    @property
    def tracks(self) -> list[Facts]:
        """The tracks of the benchmark."""
        track_facts: list[Facts] = self.definition["tracks"]
        return track_facts

    def rows(self) -> Iterator[tuple[str, Facts]]:
        """Return the rows of all tables, each with its track."""
        return ((table["track"], row) for table in self.tables.values() for row in table["rows"])

    def write(self, folder: Path) -> None:
        """Write the benchmark's folder."""
        for inside in ("tasks", "reported", "submissions"):
            (folder / inside).mkdir(parents=True)
        files: dict[str, str] = {"benchmark.toml": _toml(self.definition)}
        files |= {f"tasks/{name}.jsonl": json_lines(*tasks) for name, tasks in self.tasks.items()}
        files |= {f"reported/{name}.toml": _toml(table) for name, table in self.tables.items()}
        for name, (manifest, rounds) in self.bundles.items():
            files[f"submissions/{name}/submission.toml"] = _toml(manifest)
            files[f"submissions/{name}/rounds.jsonl"] = json_lines(*rounds)
        if self.findings:
            files["findings.toml"] = _toml({"schema": 1, "findings": self.findings})
        write_benchmark(folder, files)


def _toml(document: Mapping[str, Any]) -> str:
    return tomlkit.dumps({key: value for key, value in document.items() if value not in ([], {})})


def new_task(name: str, rounds: int, cases: int = 0) -> Facts:
    """Return a task; its rounds list their cases if the number of cases is given."""
    listed = {"cases": [{"id": f"case-{number}"} for number in range(cases)]} if cases else {}
    return {"id": name, "rounds": [{"n": number, **listed} for number in range(1, rounds + 1)]}


def new_track(name: str, protocol: str, tasks: str) -> Facts:
    """Return a track with two attempts; without tasks, the track is only for reported tables."""
    headline = "mt_at_k" if protocol == "fail-stop" else "dataset_score"
    about = {
        "id": name,
        "title": name.title(),
        "protocol": protocol,
        "attempts": 2,
        "reference_rounds": protocol == "fail-stop",
        "tasks": tasks,
        "headline": headline,
        "columns": [headline],
    }
    return {key: value for key, value in about.items() if value}


def drawn_agent(dice: random.Random) -> Facts:
    """Draw an agent, which was often drawn before."""
    drawn = {"scaffold": dice.choice(_SCAFFOLDS), "reasoning": dice.choice(_REASONING)}
    return {"name": dice.choice(NAMES), **{key: value for key, value in drawn.items() if value}}


def slug(agent: Facts) -> str:
    """Return a slug for an agent, for use in an address."""
    text = "-".join(agent.values()).lower()
    return "-".join("".join(letter if letter.isalnum() else " " for letter in text).split())


def agent_of(row: Facts) -> Facts:
    """Return the agent of a row."""
    return {key: row[key] for key in ("name", "scaffold", "reasoning") if key in row}


def records(dice: random.Random, tasks: list[Facts], made: int, *, is_rerun: bool) -> Iterator[Facts]:
    """Draw the records of every attempt."""
    positions: list[Facts] = [{"attempt": attempt} for attempt in range(1, made + 1)]
    positions += [{"attempt": 1, "start": "reference"}] if is_rerun else []
    for task in tasks:
        for position in positions:
            for round_result in task["rounds"]:
                outcomes = dice.choice(("ppp", "ppp", "pfp", "pep"))
                passed = outcomes.count("p")
                verdict = {"state": "scored", "reward": int(passed == 3), "passed": passed, "total": 3}
                case_facts = {"outcomes": outcomes} if "cases" in round_result else {}
                yield {"task": task["id"], "round": round_result["n"], **position, **verdict, **case_facts}
