"""Imports the job and trial folders that Harbor writes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.boards import Board, boards_of
from sitegen.importers.harbor.book import Taskbook, read_tasks
from sitegen.importers.harbor.bundles import Bundler, Entry
from sitegen.importers.harbor.choice import HarborChoice
from sitegen.importers.harbor.conditions import check_runs, note_found, note_plays
from sitegen.importers.harbor.definition import benchmark_of, protocol_of, task_set_of, track_of
from sitegen.importers.harbor.identified import identified
from sitegen.importers.harbor.plays import in_order, play_of, settled
from sitegen.importers.harbor.regrades import judged_again
from sitegen.importers.harbor.rulings import Referee
from sitegen.importers.harbor.runs import Field
from sitegen.importers.harbor.selection import Selector
from sitegen.importers.harbor.survey import survey_of
from sitegen.importers.harbor.targets import with_told_targets
from sitegen.importers.harbor.tasks import TaskDefinition
from sitegen.importers.harbor.trials import Trial, read_trials
from sitegen.importers.kit.agents import Roster
from sitegen.importers.kit.claims import published_about
from sitegen.importers.kit.drafts import omission_notes
from sitegen.importers.kit.options import ImportOptions, Pace
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rules import TASK_MISSING, TASKS_LEFT_OUT
from sitegen.importers.kit.tree import Tree
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.task import TaskSet
from sitegen.problems import ProblemsError, errors_of

_IDLE = "These tasks are defined, and the source has no runs of them"


@dataclass(frozen=True, slots=True)
class Scene:
    """What a source holds, read and chosen.

    Attributes:
        tasks: The tasks that anybody ran, in the order of their ids.
        missing: Tasks that nobody ran.
        fields: What each agent ran.
        roster: The agents.
    """

    tasks: tuple[TaskDefinition, ...]
    missing: tuple[str, ...]
    fields: tuple[Field, ...]
    roster: Roster


def read_harbor(source: Path, options: ImportOptions, choice: HarborChoice) -> Incoming:
    """Read a folder that holds jobs of the runner Harbor, be it one job or EvoCode-Bench's nesting of them.

    Every agent becomes one bundle. The trials of a job are attempts. Scores are not taken from the runner: it
    leaves rounds without a verdict out of its means.

    Args:
        source: The folder.
        options: Where the results go, which agents are meant, and which gaps.
        choice: Where the tasks are, and which of several jobs counts.

    Raises:
        UsageError: The agent or the folder that is asked for is not there.
        ProblemsError: The runs can't be used as they stand; carries every problem, warnings included.
    """
    report = Report(source)
    scene = _scene(source, options, choice, report)
    runs = [run for each in scene.fields for run in each.runs]
    referee = Referee(report, pace=Pace(len(runs), options.watch))
    plays = settled([play_of(each, referee) for each in scene.fields], referee.suites)
    note_plays(plays, referee.sources, report)
    task_set = task_set_of(options.track, scene.tasks, runs, referee.suites, report)
    protocol = protocol_of(scene.tasks, report)
    boards = boards_of(plays, options.track)
    drafts = _drafts(_entries(boards, scene, options, report), scene, task_set, options, report)
    problems = report.all_problems()
    if errors_of(problems):
        raise ProblemsError(problems)
    return Incoming(
        benchmark_of([track_of(each, protocol, task_set) for each in boards], task_set.tasks, scene.roster, options),
        (task_set,),
        drafts,
        omission_notes(scene.missing, len(scene.missing) + len(scene.tasks), _IDLE, drafts),
        problems,
        tuple(report.notes),
    )


def _scene(source: Path, options: ImportOptions, choice: HarborChoice, report: Report) -> Scene:
    """Find the runs that count.

    Raises:
        ProblemsError: There are none.
    """
    trials, book = _read(source, choice, report)
    selector = Selector(choice, report)
    selector.check_regrades(trials)
    who = identified(judged_again(trials, choice.pick), book, options, report)
    runs = with_told_targets(who.runs, report)
    fields = selector.fields(runs)
    check_runs([run for each in fields for run in each.runs], report)
    if not fields:
        raise _nothing_found(report)
    missing = tuple(name for name in book.tasks if name not in who.tasks)
    _check_whole(missing, book, options, report)
    # Tasks that do not name their targets have those of the runs.
    defined = dict(book.tasks) | {run.task.task.id: run.task for run in runs}
    return Scene(tuple(defined[name] for name in sorted(who.tasks)), missing, tuple(fields), who.roster)


def _read(source: Path, choice: HarborChoice, report: Report) -> tuple[list[Trial], Taskbook]:
    """Read the trials of a source and its tasks."""
    tree = Tree(source)
    survey = survey_of(tree)
    # Some folders are looked at more than once, to find out what they are.
    tree.links, tree.unreadable = list(dict.fromkeys(tree.links)), list(dict.fromkeys(tree.unreadable))
    trials, problems = read_trials(survey)
    book, found = read_tasks(survey, choice)
    report.problems += [*tree.problems(), *problems, *found]
    note_found(survey, trials, book, report)
    return trials, book


def _nothing_found(report: Report) -> ProblemsError:
    faults = report.all_problems()
    if not errors_of(faults):
        report.nothing_found(rules.NOTHING_FOUND, "no finished trial of an agent was found")
    return ProblemsError(report.all_problems())


def _check_whole(missing: Sequence[str], book: Taskbook, options: ImportOptions, report: Report) -> None:
    if missing and not any(doubt.rule is rules.TASK_UNKNOWN for doubt in report.doubts):
        rule = TASKS_LEFT_OUT if options.allow_missing else TASK_MISSING
        what = f"{len(missing)} of {len(book.tasks)} tasks have no run: {', '.join(missing)}"
        fix = "add the runs, or import with `--allow-missing` to leave these tasks out of the task set"
        report.problems.append(rule.broken(report.root, None, what, None if options.allow_missing else fix))


def _entries(boards: Sequence[Board], scene: Scene, options: ImportOptions, report: Report) -> list[Entry]:
    entries = []
    for board in boards:
        for play in board.plays:
            played = play.own_rounds(scene.tasks, report)
            if board.kind == "reference":
                sampled = play.reference_rounds(scene.tasks, report, allow_missing=options.allow_missing)
                played = in_order(played + sampled, [task.task.id for task in scene.tasks])
            entries.append(Entry(play.field, board.kind, board.track, play.attempts, played, play.figures))
    return entries


def _drafts(
    entries: Sequence[Entry], scene: Scene, task_set: TaskSet, options: ImportOptions, report: Report
) -> tuple[Draft, ...]:
    names = [each.entrant.name for each in scene.fields]
    stated, problems = published_about(names, replace(options, aliases=scene.roster.spellings))
    report.problems += problems
    return Bundler(options, stated, task_set, report).drafts(entries)
