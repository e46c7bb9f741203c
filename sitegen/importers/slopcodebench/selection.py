"""Chooses the runs of a source that are imported, and says which are not, and why."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.kit.agents import Roster
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.discovery import named
from sitegen.importers.slopcodebench.reading import RunFolder
from sitegen.importers.slopcodebench.run import Run
from sitegen.problems import Problem, Rule, UsageError, counted


@dataclass(slots=True)
class Selection:
    """Chooses the runs that are imported.

    Attributes:
        source: The folder that they were found in.
        options: Which of them to take.
        problems: What is wrong with the others.
        notes: Which were passed over, a line each.
    """

    source: Path
    options: ImportOptions
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def of_model(self, found: Sequence[RunFolder]) -> list[RunFolder]:
        """Keep the runs of the model that is to be taken.

        Raises:
            UsageError: There are none of it.
        """
        kept = [each for each in found if self._is_wanted(each)]
        if found and not kept:
            known = ", ".join(sorted({_model(each) for each in found}))
            raise UsageError(f"the source has no runs of model {self.options.model}; there are: {known}")
        for each in found:
            if each not in kept:
                self._note(each.folder.path, f"passed over, it is of {_model(each)}")
        return kept

    def step_by_step(self, found: Sequence[RunFolder]) -> list[RunFolder]:
        """Leave out the runs that put all checkpoints of a problem into one."""
        kept = [each for each in found if not each.settings.one_shot]
        if len(kept) < len(found):
            paths = [each.folder.path for each in found if each.settings.one_shot]
            self._leave_out(paths, rules.ONE_SHOT_LEFT_OUT if kept else rules.ONE_SHOT, "a one-shot run")
        return kept

    def begun(self, runs: Sequence[Run]) -> list[Run]:
        """Leave out the runs that got to no checkpoint."""
        kept = [run for run in runs if run.produced]
        empty = [run.path for run in runs if not run.produced]
        if empty:
            self._leave_out(empty, rules.EMPTY, "a run without a checkpoint")
        return kept

    def without_copies(self, runs: Sequence[Run]) -> list[Run]:
        """Keep each run once: of several folders of it, the one that tells of the most checkpoints."""
        kept: list[Run] = []
        copies: list[Path] = []
        for run in sorted(runs, key=lambda each: (-len(each.produced), each.path)):
            if any(run.is_copy_of(other) for other in kept):
                copies.append(run.path)
            else:
                kept.append(run)
        if copies:
            self._leave_out(sorted(copies), rules.COPY, "a copy of another run")
        return sorted(kept, key=lambda each: each.path)

    def _is_wanted(self, each: RunFolder) -> bool:
        wanted, model = self.options.model, each.settings.model or ""
        one_name = Roster.of((), {}, self.options.aliases).one_name(model)
        return wanted is None or wanted.casefold() in {model.casefold(), one_name.casefold()}

    def _leave_out(self, paths: Sequence[Path], rule: Rule, what: str) -> None:
        for path in paths:
            self._note(path, f"passed over, it is {what}")
        more = f", and there is {counted(len(paths) - 1, 'more such run')}" if len(paths) > 1 else ""
        self.problems.append(rule.broken(paths[0], None, f"this is {what}{more}"))

    def _note(self, path: Path, what: str) -> None:
        self.notes.append(f"{named(path, self.source)}: {what}")


def _model(each: RunFolder) -> str:
    return each.settings.model or "an unknown model"
