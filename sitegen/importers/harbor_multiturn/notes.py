"""What was found in a source, what was passed over and why: a line each."""

from collections.abc import Iterator, Mapping, Sequence

from sitegen.importers.harbor_multiturn.finder import Found
from sitegen.importers.harbor_multiturn.kinds import KINDS, Kind
from sitegen.importers.harbor_multiturn.runs import Run
from sitegen.importers.harbor_multiturn.showing import Showing
from sitegen.importers.kit.report import Report
from sitegen.problems import counted


def note_found(found: Found, kinds: Mapping[Kind, Sequence[Run]], report: Report) -> None:
    """Say what lies in a source, and what of it is not looked at."""
    told = [counted(len(kinds[kind]), KINDS[kind].noun) for kind in KINDS if kinds.get(kind)]
    report.notes.append(f"found {counted(len(found.runs), 'run')}: {', '.join(told) or 'none that counts'}")
    for kind, each in KINDS.items():
        if each.why:
            report.passed_over(each.why, [run.path for run in kinds.get(kind, ())])
    report.passed_over("what a resume put aside: the resumed run beside it counts", found.backups)
    report.passed_over("a run of the official runner, for `sitegen import harbor`", found.official)
    report.passed_over("a folder whose name begins with a dot", found.hidden)


def note_showing(showing: Showing, bundle: str, report: Report) -> None:
    """Say what was made of an agent's runs, and how they hang together."""
    report.notes.append(f"{bundle}: {', '.join(_facts(showing))}")
    for task, several in showing.fan_outs.items():
        for fan_out in several:
            report.notes.append(f"{bundle}: {task} is a fan-out, whose line is {', '.join(fan_out.lines())}")
    for task, tries in showing.attempts.tries.items():
        for attempt, told in enumerate(tries, start=1):
            if told.whole is not None and told.whole.run is not told.head:
                first, last = report.name(told.head.path), report.name(told.whole.run.path)
                report.notes.append(f"{bundle}: attempt {attempt} at {task} is {first}, resumed as {last}")


def _facts(showing: Showing) -> Iterator[str]:
    tasks = len(showing.attempts.tries)
    yield f"{counted(showing.attempts.made, 'attempt')} at {counted(tasks, 'task')}" if tasks else "no attempt"
    if showing.sampled:
        yield f"{counted(showing.sampled, 'single round')} from the reference state"
