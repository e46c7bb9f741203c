"""All samples of real data that an import accepts, with the options that each sample needs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kit.real_data import real_data_or_none

FOREIGN = (
    ("inspect", "inspect"),
    ("swebench", "swebench/run"),
    ("swebench", "swebench/experiments/evaluation/verified/20260921_ember-agent"),
    ("every-eval-ever", "every-eval-ever"),
    ("lm-eval", "lm-eval"),
)
"""Formats and folders of the samples from other evaluation tools."""

MISSING = ("--allow-missing",)

SNAPSHOTS = ("2026-06-13", "2026-06-20-subset", "2026-06-25")
"""Dates of the published results of EvoCode-Bench."""


@dataclass(frozen=True)
class Sample:
    """Runs that an import accepts.

    Attributes:
        name: A valid benchmark id, unique among the samples.
        form: The format.
        source: The folder or file.
        options: Further arguments of the import command, as alternatives to try in turn, from `expected.json`.
    """

    name: str
    form: str
    source: Path
    options: tuple[tuple[str, ...], ...] = ((),)


def samples() -> list[Sample]:
    """Return all samples; empty if the real data is absent."""
    root = real_data_or_none()
    return list(_samples(root)) if root else []


def _samples(root: Path) -> Iterator[Sample]:
    for form, folder_name in FOREIGN:
        yield Sample(_slug(folder_name), form, root / "foreign" / folder_name, (MISSING,))
    harbor = root / "harbor"
    tasks = ("--tasks", str(harbor / "harbor-0.9.0" / "tasks"))
    yield Sample("harbor-0-9-0", "harbor", harbor / "harbor-0.9.0" / "results", ((*tasks, *MISSING),))
    legacy_tasks = ("--tasks", str(harbor / "legacy-handmade" / "tasks"))
    legacy = harbor / "legacy-handmade" / "results"
    yield Sample("harbor-legacy", "harbor-multiturn", legacy, ((*legacy_tasks, *MISSING),))
    slop = root / "slop-code-bench"
    catalog = ("--catalog", str(slop / "catalog-v1.0.json"))
    for run in sorted(path for path in slop.iterdir() if path.is_dir()):
        yield Sample(
            f"slop-{run.name.partition('-')[0].partition('_')[0]}", "slopcodebench", run, ((*catalog, *MISSING),)
        )
    for name in SNAPSHOTS:
        yield Sample(f"evocode-{name}", "evocodebench", root / "evocodebench" / name, (MISSING,))
    cases = json.loads((root / "real" / "expected.json").read_text("utf-8"))["cases"]
    for name, case in cases.items():
        folder = root / "real" / Path(case["source"]).parts[0]
        lists = [[argument.replace("{case}", str(folder)) for argument in option] for option in case["options"]]
        if case["outcome"] == "choice":
            lists = [[*arguments, *case["ways"][0]["options"]] for arguments in lists]
        if case["outcome"] in {"values", "choice"}:
            yield Sample(_slug(name), case["format"], root / "real" / case["source"], tuple(map(tuple, lists)))


def _slug(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name.lower()).strip("-")
