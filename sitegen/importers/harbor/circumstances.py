"""The circumstances that an agent's runs were made under, each with every value that occurs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - what is called date elsewhere, too
from datetime import datetime
from operator import attrgetter

from sitegen.importers.harbor.authors import Author
from sitegen.importers.harbor.limits import joined
from sitegen.importers.harbor.records import moment
from sitegen.importers.harbor.runs import Run
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import listed


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The circumstances of runs; each list sorted, and as it can be shown."""

    models: tuple[str, ...]
    """In full, where that says more than the agent's name."""
    versions: tuple[str, ...]
    """Of the scaffold."""
    runners: tuple[str, ...]
    """Versions of the runner."""
    jobs: tuple[str, ...]
    started: tuple[datetime, ...]
    finished: tuple[datetime, ...]
    days: tuple[Date, ...]
    overrides: dict[str, str] | None
    """Limits that differed from the tasks' own."""
    verifiers: tuple[str, ...]
    """Where checks ran, by the runs that tell."""

    @classmethod
    def of(cls, name: str, runs: Sequence[Run]) -> "Circumstances":
        """Put the circumstances of an agent's runs together.

        Args:
            name: The name that the agent goes by.
            runs: Its runs.
        """
        trials, authors = [run.trial for run in runs], [run.author for run in runs]
        results = [trial.result for trial in trials]
        return cls(
            _models(name, authors),
            _sorted(map(attrgetter("version"), authors)),
            _sorted(map(attrgetter("version"), trials)),
            _sorted(map(attrgetter("job_id"), trials)),
            _moments(map(attrgetter("started_at"), results)),
            _moments(map(attrgetter("finished_at"), results)),
            tuple(sorted(filter(None, map(attrgetter("day"), trials)))),
            joined(override for trial in trials for override in trial.config.overrides()),
            _sorted(map(attrgetter("verifier_environment_mode"), results)),
        )

    def varieties(self) -> Iterator[str]:
        """Say in what the runs differ that should be one."""
        for what, several in (
            ("models", self.models),
            ("versions of the scaffold", self.versions),
            ("versions of the runner", self.runners),
        ):
            if len(several) > 1:
                yield f"{what} {listed(several)}"


def _sorted(told: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({one_line(each) for each in told if each}))


def _moments(told: Iterable[str | None]) -> tuple[datetime, ...]:
    return tuple(sorted(filter(None, map(moment, told))))


def _models(name: str, authors: Iterable[Author]) -> tuple[str, ...]:
    """Give the models in full; a spelling without the provider says nothing beside the same with it."""
    found = {each.model or each.name or name for each in authors} - {name}
    return _sorted(each for each in found if not any(other.endswith(f"/{each}") for other in found))
