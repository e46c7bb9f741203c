"""Commands by which somebody other than the submitter checks what is published."""

from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.console import say, say_note, today, waiting
from sitegen.cli.correcting import AddressArgument, ResultsOption
from sitegen.cli.importing import CatalogOption, FormatName, MetricOption, TaskOption, TasksOption
from sitegen.importers.formats import format_of
from sitegen.pipeline import verifying
from sitegen.pipeline.importing import Runs
from sitegen.problems import counted
from sitegen.publish import manifest


def verify(
    address: AddressArgument,
    artifacts: Annotated[Path, typer.Option(help="The folder or file that the submission was imported from.")],
    sample: Annotated[str, typer.Option(help="How many of the rounds to check.")] = "100%",
    by: Annotated[str, typer.Option(help="Who checks.")] = "the maintainers",
    form: Annotated[FormatName | None, typer.Option("--format", help="Its format; else it is recognised.")] = None,
    tasks: TasksOption = None,
    catalog: CatalogOption = None,
    task: TaskOption = None,
    metric: MetricOption = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Check a submission's rounds against what the grader wrote, and write down what came of it."""
    share, source = verifying.share_of(sample), Runs.of(artifacts, form)
    beside = (place / "tasks" for place in (artifacts, artifacts.resolve().parent))
    if "tasks" in format_of(source.form).extras:  # a submission was imported with them, and most trees keep them near
        tasks = tasks or next(filter(Path.is_dir, beside), None)
    own = {"tasks": tasks, "catalog": catalog, "task": task, "metric": metric}
    with waiting(f"reading {artifacts.name}"):
        found = verifying.verify(address, source, results, (share, by, today()), own)
    check, missed = found.check, len(found.differences)
    say_note(f"{artifacts} is read as {source.form}: {source.reason}")
    for each in found.beyond:
        say_note(f"{each} is in the artifacts, and not in the submission")
    for difference in found.differences:
        say(difference)
    if missed:
        say(f"{missed} of {check.drawn} rounds checked {'differs' if missed == 1 else 'differ'}")
        raise typer.Exit(1)
    say(f"{check.agreed} of {check.drawn} rounds checked agree")
    if check.drawn < check.of:
        chance = 1 - check.drawn / check.of
        say(f"One changed round among {check.of:,} would be missed with a chance of {100 * chance:.1f} %")


def verify_site(
    site: Annotated[Path, typer.Argument(metavar="DIR", help="A site's folder, or a copy of one.")],
    allowed_signers: Annotated[
        Path | None, typer.Option(help="The keys that may sign it: a line each, as ssh-keygen reads them.")
    ] = None,
) -> None:
    """Check that a copy of a site has every file as it was built, and who signed it."""
    found = manifest.copy_at(site)
    for difference in found.differences:
        say(difference)
    if found.differences:
        raise typer.Exit(1)
    whole = f"{counted(found.files, 'file')}, each as {manifest.MANIFEST} has it"
    if not found.is_signed:
        say(f"{whole}; the site is unsigned: whoever changed it may have changed the list")
        raise typer.Exit(int(allowed_signers is not None))
    if allowed_signers is None:
        say(f"{whole}; the signature is not checked: name the keys with --allowed-signers")
        return
    signer = manifest.signer_of(site, allowed_signers)
    say(f"{whole}; " + (f"signed by {signer}" if signer else f"the signature is of nobody in {allowed_signers}"))
    raise typer.Exit(int(signer is None))
