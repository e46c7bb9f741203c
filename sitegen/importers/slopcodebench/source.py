"""Imports run folders of SlopCodeBench."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.importers.kit.claims import published_about
from sitegen.importers.kit.drafts import omission_notes
from sitegen.importers.kit.options import ImportOptions, Pace
from sitegen.importers.kit.tree import Tree
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.cases import CaseBook
from sitegen.importers.slopcodebench.catalogue import read_catalogue
from sitegen.importers.slopcodebench.definition import benchmark_of, task_set_of
from sitegen.importers.slopcodebench.discovery import find_runs, named
from sitegen.importers.slopcodebench.doubts import Doubts
from sitegen.importers.slopcodebench.drafts import Press, condition_problems
from sitegen.importers.slopcodebench.entrants import Enrolment, Entrant
from sitegen.importers.slopcodebench.lengths import Ruler
from sitegen.importers.slopcodebench.reading import Reader, RunFolder, open_run
from sitegen.importers.slopcodebench.run import Run
from sitegen.importers.slopcodebench.selection import Selection
from sitegen.models.incoming import Incoming
from sitegen.problems import Problem, ProblemsError, counted, errors_of

_IDLE = "No run got to these problems"


def read_slopcodebench(source: Path, options: ImportOptions, catalog: Path | None = None) -> Incoming:
    """Read the run folders in a folder, whichever generation of the runner wrote them.

    Every agent becomes a bundle; several runs of one agent under the same conditions are its attempts. Checkpoints
    that no run got to are recorded as unreached.

    Args:
        source: A run's folder, or one that holds run folders.
        options: Where the results go, and what the source does not tell of the agents.
        catalog: A file that tells how many checkpoints each problem has, instead of the counts known here.

    Raises:
        UsageError: No run is of the model that is to be taken, or one name is given to several.
        ProblemsError: The runs can't be used as they stand; carries every problem, warnings included.
    """
    gathered = _gathered(source, options)
    runs, problems = gathered.runs, list(gathered.problems)
    given, catalog_problems = read_catalogue(catalog) if catalog else (None, [])
    ruler = Ruler(source, given)
    known, length_problems = ruler.lengths(runs)
    lengths, idle = ruler.begun(known, runs) if options.allow_missing else (known, ())
    entrants, entrant_problems = Enrolment(source, options).entrants(runs)
    stated, claim_problems = published_about([entrant.agent.name for entrant in entrants], options)
    problems += [*catalog_problems, *length_problems, *entrant_problems, *claim_problems]
    doubts = Doubts(ruler, runs, known)
    problems += [*condition_problems(entrants), *doubts.problems(), *ruler.left_out(idle, known)]
    _stop_at_errors(problems)
    tasks = task_set_of(lengths, runs, gathered.book, options)
    benchmark = benchmark_of(tasks, entrants, options)
    drafts = Press(options, lengths, benchmark.tracks[0].attempts, doubts).drafts(entrants, stated)
    notes = (*gathered.notes, *_entrant_notes(source, entrants, lengths))
    findings = omission_notes(idle, len(known), _IDLE, drafts)
    return Incoming(benchmark, (tasks,), drafts, findings, tuple(problems), notes)


@dataclass(frozen=True, slots=True)
class _Gathered:
    """The runs of a source that are to be imported."""

    runs: Sequence[Run]
    """At least one."""
    book: CaseBook
    problems: Sequence[Problem]
    """Warnings."""
    notes: Sequence[str]


def _gathered(source: Path, options: ImportOptions) -> _Gathered:
    """Find and read the runs that are to be imported.

    Raises:
        ProblemsError: There are none, or their files can't be used as they stand.
    """
    selection, reader = Selection(source, options), Reader()
    found, notes, problems = _run_folders(source)
    wanted = selection.step_by_step(selection.of_model(found))
    _stop_at_errors([*problems, *selection.problems])
    runs = selection.without_copies(selection.begun(list(_read(reader, wanted, options))))
    problems += [*selection.problems, *reader.problems]
    if not runs and not errors_of(problems):
        problems.append(rules.NO_RUN.broken(source, None, "no run has a checkpoint"))
    _stop_at_errors(problems)
    return _Gathered(runs, reader.book, problems, [*notes, *selection.notes, *reader.notes()])


def _read(reader: Reader, wanted: Sequence[RunFolder], options: ImportOptions) -> Iterator[Run]:
    pace = Pace(len(wanted), options.watch)
    for each in wanted:
        yield reader.read(each)
        pace.step()


def _stop_at_errors(problems: Sequence[Problem]) -> None:
    """Go no further where something is wrong.

    Raises:
        ProblemsError: Something is.
    """
    if errors_of(problems):
        raise ProblemsError(problems)


def _run_folders(source: Path) -> tuple[list[RunFolder], list[str], list[Problem]]:
    """Find the run folders of a source, and read under which conditions the runs were made."""
    tree = Tree(source)
    finds = find_runs(tree)
    opened = [open_run(folder) for folder in finds.runs]
    problems = [*tree.problems(), *(problem for _, found in opened for problem in found)]
    if not opened:
        problems.append(rules.NO_RUN.broken(source, None, "there is no run folder"))
    return [each for each, _ in opened], list(finds.notes(source)), problems


def _entrant_notes(source: Path, entrants: Sequence[Entrant], lengths: Mapping[str, int]) -> Iterator[str]:
    """Say what was made of each run."""
    expected = sum(lengths.values())
    for entrant in entrants:
        for attempt, run in enumerate(entrant.runs, start=1):
            made = f"attempt {attempt} of {entrant.bundle}" if len(entrant.runs) > 1 else entrant.bundle
            produced = f"{len(run.produced)} of {counted(expected, 'checkpoint')} of {counted(len(lengths), 'problem')}"
            caps = "" if run.settings.is_configured else "; without `config.yaml` nobody knows of caps on steps or cost"
            yield f"{named(run.path, source)}: {made}, {produced}{caps}"
