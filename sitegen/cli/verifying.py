"""Commands by which somebody other than the submitter checks what is published."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from sitegen.cli.console import AddressArgument, ResultsOption, say, say_note, today, waiting
from sitegen.cli.importing import (
    CatalogOption,
    ColumnOption,
    FormOption,
    LabelOption,
    MetricOption,
    PickOption,
    RunsOption,
    ScaleOption,
    TaskOption,
    TasksOption,
    WideOption,
)
from sitegen.importers.formats import format_of
from sitegen.importers.kit.options import ImportOptions
from sitegen.pipeline import verifying
from sitegen.pipeline.destination import Runs
from sitegen.problems import agreeing, counted
from sitegen.publish import manifest
from sitegen.publish.downloads import artifacts_of


def verify(
    address: AddressArgument,
    artifacts: Annotated[
        str,
        typer.Option(
            metavar="DIR|URL",
            help="What it was imported from: a folder, a file, or where it is served.",
        ),
    ],
    sample: Annotated[str, typer.Option(help="How many of the rounds to check.")] = "100%",
    by: Annotated[str, typer.Option(help="Who checks.")] = "the maintainers",
    rerun: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="Also grade each round again, as this prints it."),
    ] = None,
    form: FormOption = None,
    tasks: TasksOption = None,
    catalog: CatalogOption = None,
    task: TaskOption = None,
    metric: MetricOption = None,
    scale: ScaleOption = None,
    runs_are: RunsOption = None,
    pick: PickOption = None,
    column: ColumnOption = None,
    label: LabelOption = None,
    wide: WideOption = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Check a submission's rounds against what the grader wrote, and write down what came of it."""
    reading = ImportOptions(
        today(), task_names=tuple(task or ()), metric=metric, scale=scale, runs=runs_are, pick=pick
    )
    asked = verifying.CheckRequest(verifying.share_of(sample), by, today(), rerun, reading)
    with TemporaryDirectory() as work, waiting(f"reading {artifacts}"):
        runs = artifacts_of(artifacts, Path(work)) if "://" in artifacts else Path(artifacts)
        source = Runs.of(runs, form)
        beside = (place / "tasks" for place in (runs, runs.resolve().parent))
        if (
            "tasks" in format_of(source.form).extras
        ):  # submissions were imported with them, and most trees have them
            tasks = tasks or next(filter(Path.is_dir, beside), None)
        own = {"tasks": tasks, "catalog": catalog, "column": column, "label": label, "wide": wide}
        found = verifying.verify(address, source, results, asked, own)
    check, missed = found.check, len(found.differences)
    say_note(f"{artifacts} is read as {source.form}: {source.reason}")
    for each in found.beyond:
        say_note(f"{each} is in the artifacts, and not in the submission")
    for difference in found.differences:
        say(str(difference))
    if missed:
        say(
            f"{missed} of {counted(check.drawn, 'round')} checked {agreeing(missed, 'differs', 'differ')}"
        )
        raise typer.Exit(1)
    say(
        f"{check.agreed} of {counted(check.drawn, 'round')} checked {agreeing(check.agreed, 'agrees', 'agree')}"
    )
    if check.drawn < check.of:
        chance = 1 - check.drawn / check.of
        say(
            f"One changed round among {check.of:,} would be missed with a chance of {100 * chance:.1f} %"
        )


def verify_site(
    site: Annotated[
        str, typer.Argument(metavar="URL|DIR", help="A site's address or folder, or a copy of one.")
    ],
    allowed_signers: Annotated[
        Path | None,
        typer.Option(help="The keys that may sign it: a line each, as ssh-keygen reads them."),
    ] = None,
    rebuild: Annotated[
        Path | None,
        typer.Option(
            help="A checkout of what it was built from; building it must give the same files."
        ),
    ] = None,
) -> None:
    """Check that a site has every file as it was built, who signed it, and that building it anew gives the same."""
    with TemporaryDirectory() as work:
        folder = Path(site)
        if "://" in site:
            with waiting(f"taking {site}"):
                folder = manifest.served(site, Path(work) / "copy")
        found = manifest.copy_at(folder)
        differences = list(found.differences)
        if rebuild is not None:
            with waiting(f"building {rebuild}"):
                differences += manifest.lists_apart(folder, manifest.rebuilt(rebuild, Path(work)))
        for difference in differences:
            say(difference)
        if differences:
            raise typer.Exit(1)
        again = ", and the same when built anew" if rebuild else ""
        whole = f"{counted(found.files, 'file')}, each as {manifest.MANIFEST} has it{again}"
        if not found.is_signed:
            say(f"{whole}; the site is unsigned: whoever changed it may have changed the list")
            raise typer.Exit(int(allowed_signers is not None))
        if allowed_signers is None:
            say(f"{whole}; the signature is not checked: name the keys with --allowed-signers")
            return
        signer = manifest.signer_of(folder, allowed_signers)
        say(
            f"{whole}; "
            + (
                f"signed by {signer}"
                if signer
                else f"the signature is of nobody in {allowed_signers}"
            )
        )
        raise typer.Exit(int(signer is None))
