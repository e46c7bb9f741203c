"""What a reader has to know of imported runs beside their scores: how they hang together, and what is left out."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - a field is called date, as the record's key is

from sitegen.importers.harbor_multiturn.showing import Showing
from sitegen.models.finding import Finding
from sitegen.problems import counted


@dataclass(frozen=True, slots=True)
class Recorder:
    """Records findings about one bundle."""

    track: str
    bundle: str
    date: Date
    """The day of the bundle."""

    def findings(self, showing: Showing, tasks: list[str]) -> Iterator[Finding]:
        """Give the findings about an agent's runs.

        Args:
            showing: What the agent has to show.
            tasks: Ids of the track's tasks.
        """
        yield from self._fan_outs(showing)
        attempts = showing.attempts
        surplus, missing = attempts.surplus, attempts.missing(tasks)
        if surplus:
            spare = sum(map(len, surplus.values()))
            reason = f"Most tasks have {counted(attempts.made, 'attempt')}; of the others the first ones count."
            yield self._note(f"{counted(spare, 'attempt')} too many left out", reason, list(surplus))
        if missing and attempts.tries:
            reason = "The source has no runs for them. Their rounds are recorded as unreached and count 0."
            yield self._note(f"{counted(sum(missing.values()), 'attempt')} missing", reason, list(missing))

    def _fan_outs(self, showing: Showing) -> Iterator[Finding]:
        """Say which attempts know of each other, and keep the line of runs that went furthest."""
        if showing.fan_outs:
            lines = (
                f"{task}: {', '.join(each.lines())}" for task, several in showing.fan_outs.items() for each in several
            )
            reason = (
                "Every round was tried several times from what one run of the round before left, which is not what "
                "independent attempts do. Attempt 1 is the line of runs that went furthest; the further attempts hold "
                f"the runs beside it, round by round. The line, by the runs' own numbers: {'; '.join(lines)}."
            )
            yield self._note("Attempts that branch from each other", reason, list(showing.fan_outs))

    def _note(self, title: str, reason: str, tasks: list[str]) -> Finding:
        return Finding(
            date=self.date,
            kind="note",
            title=title,
            reason=reason,
            tracks=(self.track,),
            submissions=(self.bundle,),
            tasks=tuple(tasks),
        )
