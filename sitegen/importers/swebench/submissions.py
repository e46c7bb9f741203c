"""Submissions to SWE-bench's leaderboard, in the layout of its repository."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - as elsewhere
from functools import partial
from pathlib import Path
from typing import NamedTuple

import yaml
from pydantic import Field

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import Entrant, named
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import Run
from sitegen.importers.kit.stream import pick
from sitegen.importers.kit.told import Told, objects
from sitegen.importers.kit.transcripts import LONGEST, transcript_of
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.importers.swebench.reports import Reader, repository_of
from sitegen.importers.swebench.rules import FEWER, NO_LOGS, STALE, UNCHECKED
from sitegen.models.submission import Provenance
from sitegen.problems import listed
from sitegen.reading.files import read_text
from sitegen.reading.json import read_json

_NAMED = re.compile(r"(?P<day>\d{8})_(?P<name>.+)")
_SPLITS = {"lite": 300, "verified": 500, "multimodal": 517, "test": 2294}


class _Results(Told):
    no_generation: list[str]
    no_logs: list[str]
    resolved: list[str]


class _Files(NamedTuple):
    """What tells of the instances of a submission."""

    results: _Results
    predicted: dict[str, bool] | None
    """Whether an instance has a patch; None where there is no file of predictions."""
    reports: dict[str, Path]


class _Share(Told):
    resolved: int
    total: int


class _Turn(Told):
    thought: str | None = None
    response: str | None = None
    action: str | None = None
    observation: str | None = None


class _Work(Told):
    trajectory: list[_Turn] = Field(default=[])


def _said(folder: Path, model: str) -> Iterator[tuple[tuple[str, int], bytes]]:
    """What a system did at each instance, where its files are of the form that SWE-agent writes."""
    for path in sorted(folder.glob("*.traj")):
        found, problems = pick(path, _Work.shape(), longest=LONGEST)
        turns = found.get("trajectory") if isinstance(found, dict) and not problems else None
        messages = [
            message
            for turn in turns or ()
            for message in (
                {
                    "role": "assistant",
                    "content": turn.get("thought") or turn.get("response"),
                    "tool_calls": [{"function": "action", "arguments": {"command": turn.get("action")}}],
                },
                {"role": "tool", "content": turn.get("observation")},
            )
        ]
        if messages:
            yield (path.stem, 1), transcript_of(messages, model)


def is_one(folder: Folder, tree: Tree) -> bool:
    """Whether a folder is a submission."""
    if "metadata.yaml" not in folder.files and "results" not in folder.folders:
        return False
    results = tree.inner(folder, "results")
    return results is not None and "results.json" in results.files


@dataclass(frozen=True, slots=True)
class System:
    """A system that was submitted."""

    folder: Path
    name: str
    organization: str | None
    model: str | None
    attempts: str | None
    is_checked: bool | None

    @classmethod
    def of(cls, folder: Folder, report: Report) -> "System":
        """Read what a submission tells of its system."""
        path = folder.path.absolute()
        match = _NAMED.fullmatch(path.name)
        told: object = {}
        if "metadata.yaml" in folder.files:
            text = report.take(read_text(folder.path / "metadata.yaml"))
            try:
                told = yaml.load(text or "", yaml.BaseLoader)  # noqa: S506 - the one loader that builds nothing else
            except (yaml.YAMLError, RecursionError, ValueError) as error:
                what = f"it is no YAML: {str(error).splitlines()[0]}"
                report.add(rules.SOURCE_BROKEN, folder.path / "metadata.yaml", what)

        def texts(*keys: str) -> list[str]:
            found = told
            for key in keys:
                found = found.get(key) if isinstance(found, dict) else None
            several = found if isinstance(found, list) else [found]
            return [named(each) for each in several if isinstance(each, str) and named(each)]

        checked = next(iter(texts("tags", "checked")), None)
        return cls(
            folder.path,
            next(iter([*texts("info", "name"), *texts("name")]), match["name"] if match else path.name),
            ", ".join(texts("tags", "org")[:3]) or None,
            next(iter(texts("tags", "model")), None),
            next(iter(texts("tags", "system", "attempts")), None),
            checked.casefold() == "true" if checked else None,
        )

    def run(self, tree: Tree, reader: Reader) -> Run:
        """What a submission came to."""
        report, facts = reader.source.report, {"organization": self.organization, "model": self.model}
        run = Run(self.folder, Entrant(self.name), dict(facts), provenance=Provenance(harness="swebench"))
        if match := _NAMED.fullmatch(self.folder.absolute().name):
            with suppress(ValueError):
                run.day = Date.fromisoformat(match["day"])
        run.transcripts = partial(_said, self.folder / "trajs", self.model or self.name)
        results = report.take(read_json(self.folder / "results" / "results.json", _Results))
        logs = tree.inner(tree.look(self.folder), "logs")
        reports = {name: logs.path / name / "report.json" for name in logs.folders} if logs else {}
        reports = {name: path for name, path in reports.items() if path.is_file()}
        predictions = self.folder / "all_preds.jsonl"
        predicted = {
            str(line.get("instance_id")): bool(line.get("model_patch"))
            for _, line in (objects(predictions, report) if predictions.exists() else ())
        }
        if results is None:
            return run
        listed_ids = {*results.no_generation, *results.no_logs, *results.resolved}
        run.planned = sorted({*listed_ids, *reports, *predicted})
        files = _Files(results, predicted if predictions.exists() else None, reports)
        self._check(files, run, report)
        for instance in run.planned:
            self._take(instance, files, run, reader)
        if not reports:
            report.doubt(NO_LOGS, self.folder, run.spot())
        if self.is_checked is False:
            report.doubt(UNCHECKED, self.folder, run.spot())
        if self.attempts not in {None, "1"}:
            report.notes.append(f"{self.name}: the system makes {self.attempts} attempts, and one answer counts")
        return run

    def _check(self, files: _Files, run: Run, report: Report) -> None:
        """Hold the lists of a submission against each other, and against its split."""
        results, predicted, reports = files
        path = self.folder / "results" / "results.json"
        lists = (results.no_generation, results.no_logs, results.resolved)
        twice = sorted(name for name in {*results.resolved} & {*results.no_generation, *results.no_logs})
        found = [f"in several lists: {listed(twice)}"] if twice else []
        if any(len(set(each)) < len(each) for each in lists):
            found.append("an instance stands twice in a list")
        if predicted is not None:
            without = sorted({*results.resolved, *results.no_logs, *reports} - predicted.keys())
            found += [f"without a line in all_preds.jsonl: {listed(without)}"] if without else []
        found += self._against_repositories(files, run, report)
        if predicted is not None:
            without = sorted(name for name in results.resolved if not predicted.get(name, True))
            found += [f"resolved without a patch: {listed(without)}"] if without else []
            for instance in sorted(name for name in reports if not predicted.get(name, True)):
                report.doubt(STALE, reports[instance], run.spot(instance))
        for what in found:
            report.add(rules.SOURCE_BROKEN, path, what)
        split = self.folder.absolute().parent.name
        if len(run.planned) < _SPLITS.get(split, 0):
            report.doubt(FEWER, path, run.spot(), f"{len(run.planned)} of the {_SPLITS[split]} instances of {split}")

    def _against_repositories(self, files: _Files, run: Run, report: Report) -> Iterator[str]:
        """Where the counts by repository, if there are any, say otherwise; fewer instances are only told."""
        path = self.folder / "results" / "resolved_by_repo.json"
        told = (report.take(read_json(path, dict[str, _Share])) if path.is_file() else None) or {}
        here = Counter(map(repository_of, run.planned))
        resolved = Counter(map(repository_of, files.results.resolved))
        for name in sorted({*here, *told}, key=str) if told else ():
            share = told.get(name or "", _Share(resolved=0, total=0))
            if share.resolved != resolved[name] or here[name] > share.total:
                own = f"{resolved[name]} of {here[name]} resolved"
                yield f"{own} of {name or 'an unknown repository'}; {path.name} has {share.resolved} of {share.total}"
            elif here[name] < share.total:
                report.doubt(FEWER, path, run.spot(), f"{here[name]} of {share.total} of {name}")

    def _take(self, instance: str, files: _Files, run: Run, reader: Reader) -> None:
        """Say what came of an instance."""
        (results, predicted, reports), report = files, reader.source.report
        resolved = instance in results.resolved
        if instance in results.no_generation or (predicted and predicted.get(instance) is False):
            run.grade(instance, 1, 0, "there is no patch", "no_cases")
        elif instance in results.no_logs:
            cause = "the evaluation left no log"
            report.doubt(rules.TRIES_FAILED, self.folder, run.spot(instance), cause)
            run.grade(instance, 1, 0, cause)
        elif instance in reports:
            reader.read(reports[instance], run, instance, resolved=resolved)
        elif reports:
            report.add(
                rules.SOURCE_BROKEN, self.folder / "logs", f"there is no report of {instance}, and no list says why"
            )
        else:
            run.grade(instance, 1, float(resolved))
