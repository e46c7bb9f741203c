"""Options of the commands that read other programs' runs, in the form that typer reads.

An option without its own name is named after the command's parameter.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sitegen.cli.options import Pick, parse_day

if TYPE_CHECKING:
    from sitegen.importers.kit.options import ImportOptions


_TABLE_ENDINGS = frozenset({"csv", "tsv", "json", "jsonl", "parquet", "xlsx"})
"""File endings that users may mistake for formats."""


def parse_format(name: str) -> str:
    """Return the name of a format if it is valid.

    Raises:
        BadParameter: There is no format with this name.
    """
    from sitegen.importers.registrations import FORMATS, INSTALL_AGAIN

    if name in FORMATS:
        return name
    if name.lower() in _TABLE_ENDINGS:
        raise typer.BadParameter(f'unknown format "{name}"; for {name.upper()} files use `table`')
    similar = get_close_matches(name, FORMATS)
    if similar:
        raise typer.BadParameter(f'unknown format "{name}"; did you mean {" or ".join(similar)}?')
    raise typer.BadParameter(
        f'unknown format "{name}"; the formats are {", ".join(FORMATS)}. '
        f"If a format is missing, its package may have to be reinstalled: {INSTALL_AGAIN}"
    )


def complete_format(beginning: str) -> list[str]:
    """Return the formats whose names start with the typed text, for shell completion."""
    from sitegen.importers.registrations import FORMATS

    return [name for name in FORMATS if name.startswith(beginning)]


RunsArgument = Annotated[
    Path,
    typer.Argument(metavar="RUNS", help="The folder or file that the runner wrote."),
]
FormOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        parser=parse_format,
        autocompletion=complete_format,
        metavar="FORMAT",
        help="The format of the runs; by default, it is detected.",
    ),
]
DayOption = Annotated[
    datetime | None,
    typer.Option(
        "--date", parser=parse_day, metavar="YYYY-MM-DD", help="The day the results were made."
    ),
]
ModelOption = Annotated[str | None, typer.Option(help="Use only the runs of this model.")]
AgentOption = Annotated[
    str | None, typer.Option(help="Name of the agent, if it differs from the name in the runs.")
]
OrganizationOption = Annotated[
    str | None, typer.Option(help="The organization that made the model.")
]
ReasoningOption = Annotated[str | None, typer.Option(help="The reasoning setting.")]
TasksOption = Annotated[
    Path | None,
    typer.Option(help="The folder that contains the task folders (harbor, harbor-multiturn)."),
]
CatalogOption = Annotated[
    Path | None,
    typer.Option(
        help="A JSON file with the number of checkpoints of each problem (slopcodebench)."
    ),
]
TaskOption = Annotated[
    list[str] | None,
    typer.Option(help="Import only this task; may be repeated (every-eval-ever: the benchmark)."),
]
ResultOption = Annotated[
    str | None, typer.Option(help="The result to use as the reward (every-eval-ever).")
]
MetricOption = Annotated[
    str | None,
    typer.Option(
        help="The score to use as the reward: SCORER or SCORER,PART (inspect), METRIC,FILTER "
        "(lm-eval), a key (harbor), a value of the column `metric` (table)."
    ),
]
ScaleOption = Annotated[
    float | None,
    typer.Option(metavar="MAX", help="The largest possible reward; every reward is divided by it."),
]
RunsOption = Annotated[
    Literal["attempts"] | None,
    typer.Option(
        "--runs",
        metavar="attempts",
        help="`attempts` counts several runs on the same tasks as attempts, in chronological "
        "order.",
    ),
]
PickOption = Annotated[
    Pick | None, typer.Option(help="Which of several runs on the same tasks to use.")
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="OURS=THEIRS",
        help="The meaning of a column, such as reward=score; may be repeated (table).",
    ),
]
LabelOption = Annotated[
    list[str] | None,
    typer.Option(metavar="AXIS", help="A column with task labels; may be repeated (table)."),
]
WideOption = Annotated[
    Literal["agents", "tasks"] | None,
    typer.Option(help="What each row of a wide table describes (table)."),
]
TrajectoriesOption = Annotated[
    str | None,
    typer.Option(help="Where the transcripts are: an address with {task}, {attempt} and {round}."),
]
AllowMissingOption = Annotated[
    bool,
    typer.Option(
        "--allow-missing",
        help="Accept a source that lacks runs or tasks; the format's guide says how they count.",
    ),
]


def choose_scores(
    options: "ImportOptions",
    task: Sequence[str] | None,
    metric: str | None,
    scale: float | None,
    runs: Literal["attempts"] | None,
    pick: Pick | None,
) -> "ImportOptions":
    """Return import options with the chosen tasks, scores and runs of a source."""
    task_names = tuple(task or ())
    return replace(options, task_names=task_names, metric=metric, scale=scale, runs=runs, pick=pick)
