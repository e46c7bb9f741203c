"""Random results on disk: every kind of track, with all cases that scoring must handle."""

import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from kit.results_folders import Tree, json_lines, write_bundle

Row = dict[str, Any]


class Kind(NamedTuple):
    """A kind of track."""

    protocol: str
    attempts: int
    headline: str
    reference: bool = False


TRACKS: Mapping[str, Kind] = {
    "chain": Kind("chain", 2, "dataset_score"),
    "relay": Kind("fail-stop", 3, "mt_at_k", reference=True),
    "targets": Kind("once", 2, "resolved"),
    "checkpoints": Kind("chain", 1, "strict"),
}


@dataclass(frozen=True)
class Drawn:
    """The lines of one bundle, with the facts needed to score it."""

    track: str
    tasks: Sequence[Row]
    rounds: Sequence[Row]
    runs: Sequence[Row]
    made: int
    """The number of attempts in the manifest, or else on the track."""
    excluded: AbstractSet[tuple[str, int]] = frozenset()
    """Rounds that findings exclude for all submissions."""

    @property
    def is_free(self) -> bool:
        """Whether the agent is declared free, as for bundles with an even number of records."""
        return len(self.rounds) % 2 == 0

    @property
    def asked(self) -> int:
        """The number of attempts that the track requires."""
        return TRACKS[self.track].attempts

    @property
    def is_fail_stop(self) -> bool:
        """Whether no round counts after the first failure."""
        return TRACKS[self.track].protocol == "fail-stop"


def random_results(folder: Path, seed: int) -> Mapping[str, Drawn]:
    """Write a results folder with two bundles per track; the second lacks attempts or records.

    Returns:
        The bundles written, by id.
    """
    dice = random.Random(seed)  # noqa: S311 - a draw that anyone may foresee
    tree = Tree(folder)
    shutil.rmtree(tree.bundle)
    tasks = [_task(dice, number) for number in range(dice.randint(1, 4))]
    excluded = {
        (task["id"], round_result["n"]) for task in tasks for round_result in task["rounds"] if dice.random() < 0.08
    }
    tree.put("benchmark.toml", _definition())
    tree.put("tasks/all.jsonl", json_lines(*tasks))
    tree.findings("".join(_finding(*excluded_round) for excluded_round in sorted(excluded)))
    drawn: dict[str, Drawn] = {}
    for track, ragged in product(TRACKS, (False, True)):
        made = _fewer(dice, track) if ragged else TRACKS[track].attempts
        bundle = _Bundle(dice, track, tasks, excluded, made).drawn(ragged=ragged)
        drawn[_write(tree, bundle, ragged=ragged)] = bundle
    return drawn


def _fewer(dice: random.Random, track: str) -> int:
    """Draw the number of attempts in an incomplete bundle: all, or one fewer."""
    asked = TRACKS[track].attempts
    return asked - 1 if asked > 1 and dice.random() < 0.4 else asked


def _definition() -> str:
    head = 'schema = 1\nid = "mini"\ntitle = "Mini"\n'
    return head + "".join(
        f'\n[[tracks]]\nid = "{name}"\ntitle = "{name}"\nprotocol = "{kind.protocol}"\nattempts = {kind.attempts}\n'
        f'reference_rounds = {str(kind.reference).lower()}\ntasks = "all"\n'
        f'headline = "{kind.headline}"\ncolumns = ["{kind.headline}"]\n'
        for name, kind in TRACKS.items()
    )


def _finding(task: str, number: int) -> str:
    return (
        '\n[[findings]]\ndate = 2026-06-26\nkind = "defect"\ntitle = "Broken"\nreason = "Drawn"\neffect = "exclude"\n'
        f'tasks = ["{task}"]\nrounds = [{number}]\n'
    )


def _task(dice: random.Random, number: int) -> Row:
    rounds = range(1, dice.randint(1, 5) + 1)
    weights = [1.0 for _ in rounds] if dice.random() < 0.3 else [dice.choice((0.25, 0.5, 3, 7.1)) for _ in rounds]
    return {"id": f"task-{number}", "rounds": [{"n": n, "weight": weights[n - 1]} for n in rounds]}


@dataclass(frozen=True)
class _Bundle:
    """A generator of the records of one bundle."""

    dice: random.Random
    track: str
    tasks: Sequence[Row]
    excluded: set[tuple[str, int]]
    made: int

    def drawn(self, *, ragged: bool) -> Drawn:
        """Draw the lines of the bundle; a ragged bundle with all attempts lacks some records."""
        rounds = list(self.rounds())
        if ragged and self.made == TRACKS[self.track].attempts:
            rounds = _with_gaps(self.dice, rounds)
        return Drawn(self.track, self.tasks, rounds, self._runs(), self.made, self.excluded)

    def _runs(self) -> list[Row]:
        attempts = product(self.tasks, range(1, self.made + 1))
        runs = [_run(self.dice, task["id"], attempt) for task, attempt in attempts]
        return [run for run in runs if self.dice.random() < 0.8]

    def rounds(self) -> Iterator[Row]:
        """Draw every expected record."""
        is_counted, known_share = self.dice.random() < 0.8, self.dice.choice((0, 0.6, 0.9, 0.97, 1))
        for task in self.tasks:
            for round_result in task["rounds"]:
                for attempt_facts in self._places():
                    row = {"task": task["id"], "round": round_result["n"], **attempt_facts}
                    if (task["id"], round_result["n"]) in self.excluded:
                        yield {**row, "state": "excluded", "reward": 0}
                    else:
                        yield {**row, **self._verdict(is_counted=is_counted), **self._figures(known_share)}

    def _places(self) -> Iterator[Row]:
        for attempt in range(1, self.made + 1):
            yield {"attempt": attempt}
        if TRACKS[self.track].reference:
            yield {"attempt": 1, "start": "reference"}

    def _verdict(self, *, is_counted: bool) -> Row:
        state = self.dice.choices(["scored", "no_cases", "aborted", "unreached"], [12, 1, 1, 2])[0]
        if state != "scored":
            return {"state": state, "reward": 0, "passed": 0, "total": 0, "cause": "drawn"}
        if self.track == "checkpoints":
            return self._categories()
        if not is_counted:
            return {"state": state, "reward": self.dice.choice((0, 0.5, 0.998, 0.9991, 1))}
        total = self.dice.randint(1, 5)
        passed = total if self.dice.random() < 0.6 else self.dice.randint(0, total)
        return {"state": state, "reward": int(passed == total), "passed": passed, "total": total}

    def _categories(self) -> Row:
        """Draw the number of passed cases of each category."""
        totals = self._totals()
        almost = self.dice.random() < 0.6
        counts = {name: (self._most(total) if almost else total, total) for name, total in totals.items()}
        passed = sum(passed_count for passed_count, _ in counts.values())
        total = sum(totals.values())
        return {
            "state": "scored",
            "reward": int(passed == total),
            "passed": passed,
            "total": total,
            "by_category": counts,
        }

    def _totals(self) -> dict[str, int]:
        """Draw the number of cases in each category; some categories are absent or empty, but not all."""
        names = [name for name in ("core", "functionality", "error", "regression") if self.dice.random() < 0.6]
        totals = {name: self.dice.randint(0, 3) for name in names or ["error"]}
        if not sum(totals.values()):
            totals["regression"] = 1
        return totals

    def _most(self, total: int) -> int:
        return total - (total > 0 and self.dice.random() < 0.4)

    def _figures(self, known_share: float) -> Row:
        """Draw the figures of a round, a share of which is known."""
        dice = self.dice
        cost = dice.choice((0, *[round(dice.uniform(0, 9), 3)] * 4))
        figures: Row = {
            "interactions": dice.randint(0, 90),
            "turns": dice.randint(0, 60),
            "output_tokens": 0 if not cost and dice.random() < 0.5 else dice.randint(1, 9999),
            "cost_usd": cost,
            "agent_seconds": round(dice.uniform(0, 999), 1),
            "measures": {"erosion@1": round(dice.random(), 4), "verbosity@1": round(dice.random(), 4)},
        }
        if dice.random() < 0.01:
            figures["measures"] = {"erosion@2": 0.5}
        return {name: value for name, value in figures.items() if dice.random() < known_share}


def _run(dice: random.Random, task: str, attempt: int) -> Row:
    figures: Row = {
        "interactions_per_round": round(dice.uniform(0, 90), 2),
        "turns": dice.randint(1, 500),
        "output_tokens": dice.randint(1, 99999),
        "cost_usd": round(dice.uniform(0, 20), 2),
        "agent_seconds": dice.randint(1, 9999),
    }
    return {"task": task, "attempt": attempt, **{name: value for name, value in figures.items() if dice.random() < 0.7}}


def _with_gaps(dice: random.Random, rounds: Sequence[Row]) -> list[Row]:
    """Remove some records, and sometimes a complete attempt."""
    gone = dice.choice((None, max(round_result["attempt"] for round_result in rounds)))
    remaining_rounds = [
        round_result
        for round_result in rounds
        if gone == 1 or (round_result["attempt"], "start" in round_result) != (gone, False)
    ]
    return [remaining_round for remaining_round in remaining_rounds if dice.random() < 0.9] or remaining_rounds[:1]


def _write(tree: Tree, bundle: Drawn, *, ragged: bool) -> str:
    """Write a bundle, with its lines in reverse order."""
    name = f"{bundle.track}-{'ragged' if ragged else 'whole'}"
    attempts = f"attempts = {bundle.made}\n" if bundle.made < bundle.asked else ""
    manifest = f'schema = 1\ntrack = "{bundle.track}"\ndate = 2026-06-25\n{attempts}[agent]\nname = "{name}"\n'
    manifest += "free = true\n" if bundle.is_free else ""
    write_bundle(tree.bundle.with_name(name), manifest, bundle.rounds[::-1], bundle.runs)
    return name
