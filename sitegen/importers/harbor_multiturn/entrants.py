"""Who ran: the agents of a source, told apart by model, scaffold and reasoning setting."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sitegen.importers.harbor_multiturn.runs import Run
from sitegen.importers.kit.agents import KNOWN, Entrant, Roster
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import listed
from sitegen.problems import UsageError

_LONGEST = 100
"""Characters of a name."""

_OWN = "evocode-bench"
"""The benchmark whose agents have known spellings."""


def roster_of(runs: Iterable[Run], options: ImportOptions) -> Roster:
    """Name the agents of a source."""
    found = (options.agent,) if options.agent else sorted({_plain(run.model) for run in runs})
    return Roster.of(found, KNOWN if options.benchmark == _OWN else {}, options.aliases)


def by_entrant(runs: Sequence[Run], roster: Roster, options: ImportOptions) -> dict[Entrant, list[Run]]:
    """Sort runs by who made them, entrants in the order of their names."""
    told = {run.path: _entrant(run, roster, options) for run in runs}
    scaffolds: dict[str, set[str]] = {}
    for each in told.values():
        scaffolds.setdefault(each.name, set()).update(filter(None, (each.scaffold,)))
    found: dict[Entrant, list[Run]] = {}
    for run in runs:
        entrant = told[run.path]
        if not entrant.scaffold and len(scaffolds[entrant.name]) == 1:
            # A run that tells no scaffold ran under the only one that the model's others ran under.
            entrant = replace(entrant, scaffold=next(iter(scaffolds[entrant.name])))
        found.setdefault(entrant, []).append(run)
    return dict(sorted(found.items()))


def chosen(runs: Sequence[Run], options: ImportOptions) -> list[Run]:
    """Keep the runs of the model that is asked for.

    Raises:
        UsageError: It has none here, or one name is given to several models.
    """
    kept = [run for run in runs if _is_meant(run, options)]
    if runs and not kept:
        raise UsageError(f"the source has no runs of model {options.model}; it has: {_models(runs)}")
    if options.agent and len({run.model for run in kept}) > 1:
        several = f"the source has several: choose one with --model: {_models(kept)}"
        raise UsageError(f"--agent names one agent, and {several}")
    return kept


def _models(runs: Iterable[Run]) -> str:
    return listed(sorted({_plain(run.model) for run in runs}))


def _is_meant(run: Run, options: ImportOptions) -> bool:
    """Whether a run's model is asked for, by any of its names."""
    if options.model is None:
        return True
    spelling = Roster.of((), KNOWN, options.aliases)
    names = {each.casefold() for name in run.model_names for each in (name, spelling.one_name(name))}
    return not names.isdisjoint({options.model.casefold(), spelling.one_name(options.model).casefold()})


def _entrant(run: Run, roster: Roster, options: ImportOptions) -> Entrant:
    name = options.agent or roster.one_name(_plain(run.model))
    return Entrant(name, _plain(run.scaffold), _plain(run.reasoning or options.reasoning))


def _plain(name: str | None) -> str:
    return one_line(name or "", _LONGEST)
