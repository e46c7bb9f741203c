"""The circumstances that an agent's runs were made under, each with every value that occurs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - what is called date elsewhere, too
from datetime import datetime

from sitegen.importers.harbor.records import moment
from sitegen.importers.harbor.redaction import one_line
from sitegen.importers.harbor.report import listed
from sitegen.importers.harbor.runs import Run


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

    @classmethod
    def of(cls, name: str, runs: Sequence[Run]) -> "Circumstances":
        """Put the circumstances of an agent's runs together.

        Args:
            name: The name that the agent goes by.
            runs: Its runs.
        """
        trials, authors = [run.trial for run in runs], [run.author for run in runs]
        models = {each.model or each.name or name for each in authors} - {name}
        return cls(
            _sorted(full for full in models if not _is_told_by(full, models)),
            _sorted(each.version for each in authors),
            _sorted(each.version for each in trials),
            _sorted(each.job_id for each in trials),
            tuple(sorted(filter(None, (moment(each.result.started_at) for each in trials)))),
            tuple(sorted(filter(None, (moment(each.result.finished_at) for each in trials)))),
            tuple(sorted(filter(None, (each.day for each in trials)))),
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


def _is_told_by(model: str, others: Iterable[str]) -> bool:
    """Whether another spelling is the same with its provider."""
    return any(other.endswith(f"/{model}") for other in others)
