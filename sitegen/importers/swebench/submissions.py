"""Submissions to SWE-bench's leaderboard, in the layout of its repository."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - as elsewhere
from functools import partial
from pathlib import Path

import yaml

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import Entrant, named
from sitegen.importers.kit.rounds import Run
from sitegen.importers.kit.stream import Shape, pick
from sitegen.importers.kit.told import Told, objects, plain_yaml
from sitegen.importers.kit.transcripts import LONGEST, transcript_of
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.importers.swebench.reports import FEWER, NO_LOGS, STALE, UNCHECKED, Reader, repository_of
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


class _Share(Told):
    resolved: int
    total: int


_WORK: Shape = {"trajectory": dict.fromkeys(("thought", "response", "action", "observation"))}


def _said(folder: Path, model: str) -> Iterator[tuple[tuple[str, int], bytes]]:
    """What a system did at each instance, where its files are of the form that SWE-agent writes."""
    for path in sorted(folder.glob("*.traj")):
        found, problems = pick(path, _WORK, longest=LONGEST)
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
    return "results.json" in tree.inner(folder, "results").files


@dataclass(slots=True)
class Submission:
    """What was submitted of one system."""

    folder: Path
    reader: Reader
    run: Run
    attempts: str | None
    is_checked: bool | None
    resolved: set[str] = field(default_factory=set)
    predicted: dict[str, bool] | None = None
    """Whether an instance has a patch; None where there is no file of predictions."""
    reports: dict[str, Path] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Folder, reader: Reader) -> "Submission":
        """Read what a submission tells of its system."""
        path, report, told = folder.path.absolute(), reader.source.report, None
        match = _NAMED.fullmatch(path.name)
        if "metadata.yaml" in folder.files:
            text = report.take(read_text(folder.path / "metadata.yaml"))
            try:
                told = plain_yaml(text or "")
            except (yaml.YAMLError, RecursionError, ValueError) as error:
                what = f"it is no YAML: {str(error).splitlines()[0]}"
                report.add(rules.SOURCE_BROKEN, folder.path / "metadata.yaml", what)

        def texts(*keys: str) -> list[str]:
            found = told
            for key in keys:
                found = found.get(key) if isinstance(found, dict) else None
            several = found if isinstance(found, list) else [found]
            return [named(each) for each in several if isinstance(each, str) and named(each)]

        name, *_ = *texts("info", "name"), *texts("name"), match["name"] if match else path.name
        model, attempts, checked = (
            next(iter(texts("tags", *keys)), None) for keys in (("model",), ("system", "attempts"), ("checked",))
        )
        facts = {"organization": ", ".join(texts("tags", "org")[:3]) or None, "model": model}
        run = Run(folder.path, Entrant(name), {**facts}, provenance=Provenance(harness="swebench"))
        with suppress(ValueError):
            run.day = Date.fromisoformat(match["day"]) if match else None
        run.transcripts = partial(_said, folder.path / "trajs", model or name)
        return cls(folder.path, reader, run, attempts, checked.casefold() == "true" if checked else None)

    def read(self, tree: Tree) -> Run:
        """What it came to."""
        report, run = self.reader.source.report, self.run
        results = report.take(read_json(self.folder / "results" / "results.json", _Results))
        logs = tree.inner(tree.look(self.folder), "logs")
        reports = {name: logs.path / name / "report.json" for name in logs.folders}
        self.reports = {name: path for name, path in reports.items() if path.is_file()}
        predictions = self.folder / "all_preds.jsonl"
        if predictions.exists():
            lines = objects(predictions, report)
            self.predicted = {str(line.get("instance_id")): bool(line.get("model_patch")) for _, line in lines}
        if results is None:
            return run
        self.resolved = {*results.resolved}
        ids = {*results.no_generation, *results.no_logs, *self.resolved, *self.reports, *(self.predicted or ())}
        run.planned = sorted(ids)
        self._check(results)
        for instance in run.planned:
            self._take(instance, results)
        if not self.reports:
            report.doubt(NO_LOGS, self.folder, run.spot())
        if self.is_checked is False:
            report.doubt(UNCHECKED, self.folder, run.spot())
        if self.attempts not in {None, "1"}:
            name = run.entrant.name
            report.notes.append(f"{name}: the system makes {self.attempts} attempts, and one answer counts")
        return run

    def _check(self, results: _Results) -> None:
        """Hold the lists of a submission against each other, and against its split."""
        report, path, predicted = self.reader.source.report, self.folder / "results" / "results.json", self.predicted
        lists = (results.no_generation, results.no_logs, results.resolved)
        twice = sorted(self.resolved & {*results.no_generation, *results.no_logs})
        found = [f"in several lists: {listed(twice)}"] if twice else []
        if any(len(set(each)) < len(each) for each in lists):
            found.append("an instance stands twice in a list")
        if predicted is not None:
            without = sorted({*self.resolved, *results.no_logs, *self.reports} - predicted.keys())
            found += [f"without a line in all_preds.jsonl: {listed(without)}"] if without else []
        found += self._against_repositories()
        if predicted is not None:
            empty = {name for name, has_patch in predicted.items() if not has_patch}
            without = sorted(self.resolved & empty)
            found += [f"resolved without a patch: {listed(without)}"] if without else []
            for instance in sorted(self.reports.keys() & empty):
                report.doubt(STALE, self.reports[instance], self.run.spot(instance))
        for what in found:
            report.add(rules.SOURCE_BROKEN, path, what)
        split, number = self.folder.absolute().parent.name, len(self.run.planned)
        if number < _SPLITS.get(split, 0):
            report.doubt(FEWER, path, self.run.spot(), f"{number} of the {_SPLITS[split]} instances of {split}")

    def _against_repositories(self) -> Iterator[str]:
        """Where the counts by repository, if there are any, say otherwise; fewer instances are only told."""
        report, path = self.reader.source.report, self.folder / "results" / "resolved_by_repo.json"
        told = (report.take(read_json(path, dict[str, _Share])) if path.is_file() else None) or {}
        here = Counter(map(repository_of, self.run.planned))
        resolved = Counter(map(repository_of, self.resolved))
        for name in sorted({*here, *told}, key=str) if told else ():
            share = told.get(name or "", _Share(resolved=0, total=0))
            if share.resolved != resolved[name] or here[name] > share.total:
                own = f"{resolved[name]} of {here[name]} resolved"
                yield f"{own} of {name or 'an unknown repository'}; {path.name} has {share.resolved} of {share.total}"
            elif here[name] < share.total:
                report.doubt(FEWER, path, self.run.spot(), f"{here[name]} of {share.total} of {name}")

    def _take(self, instance: str, results: _Results) -> None:
        report, run = self.reader.source.report, self.run
        if instance in results.no_generation or (self.predicted and self.predicted.get(instance) is False):
            run.grade(instance, 1, 0, "there is no patch", "no_cases")
        elif instance in results.no_logs:
            cause = "the evaluation left no log"
            report.doubt(rules.TRIES_FAILED, self.folder, run.spot(instance), cause)
            run.grade(instance, 1, 0, cause)
        elif instance in self.reports:
            self.reader.read(self.reports[instance], run, instance, resolved=instance in self.resolved)
        elif self.reports:
            what = f"there is no report of {instance}, and no list says why"
            report.add(rules.SOURCE_BROKEN, self.folder / "logs", what)
        else:
            run.grade(instance, 1, float(instance in self.resolved))
