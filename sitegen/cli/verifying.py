"""Commands with which others than the submitter check published results."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from sitegen.cli.console import print_lines, print_note, require_results, show_progress, today
from sitegen.cli.import_options import (
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
    choose_scores,
)
from sitegen.cli.options import AddressArgument, ResultsOption
from sitegen.problems import agreeing, counted

if TYPE_CHECKING:
    from sitegen.models.journal import Check
    from sitegen.pipeline.destination import Runs
    from sitegen.publish.site import manifest

ArtifactsOption = Annotated[
    str,
    typer.Option(
        metavar="DIR|URL",
        help="The source of the submission: a folder, a file or an https address.",
    ),
]
RerunOption = Annotated[
    str | None,
    typer.Option(
        metavar="COMMAND",
        help="Also grade each round with this command, which prints the result as JSON.",
    ),
]


# There is one parameter per option, because typer reads options from the signature.
def verify(
    address: AddressArgument,
    artifacts: ArtifactsOption,
    sample: Annotated[
        str, typer.Option(metavar="SHARE", help="The share of rounds to check, such as 5%.")
    ] = "100%",
    by: Annotated[str, typer.Option(help="Who checks the rounds.")] = "the maintainers",
    rerun: RerunOption = None,
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
    """Compare a submission's rounds with the grader's output, and record the outcome."""
    from sitegen.importers.kit.options import ImportOptions
    from sitegen.pipeline import verifying
    from sitegen.pipeline.addressing import complete_address
    from sitegen.pipeline.destination import Runs
    from sitegen.publish.machine.downloads import download_artifacts

    reading = choose_scores(ImportOptions(today()), task, metric, scale, runs_are, pick)
    require_results(results)
    complete = complete_address(address, results)
    share = verifying.share_of(sample)
    request = verifying.CheckRequest(share, by, today(), rerun, reading)
    with TemporaryDirectory() as work, show_progress(f"reading {artifacts}"):
        runs = Path(artifacts)
        if "://" in artifacts:
            runs = download_artifacts(artifacts, Path(work))
        source = Runs.of(runs, form)
        format_options = {
            "tasks": tasks or _tasks_beside(source),
            "catalog": catalog,
            "column": column,
            "label": label,
            "wide": wide,
        }
        outcome = verifying.verify(complete, source, results, request, format_options)
    print_note(f"{artifacts} is read as {source.form}, {source.reason}")
    for attempt in outcome.beyond:
        print_note(f"{attempt} is in the artifacts, but not in the submission")
    for difference in outcome.differences:
        print_lines(str(difference))
    _print_check(outcome.check)
    if outcome.differences:
        raise typer.Exit(1)


def _tasks_beside(source: "Runs") -> Path | None:
    """Return the task definitions in or next to the runs, if their format uses them.

    Submissions were imported with these tasks, and most folders of runs contain them.
    """
    from sitegen.importers.formats import load_format

    if "tasks" not in load_format(source.form).extras:
        return None
    for folder in (source.path, source.path.resolve().parent):
        if (folder / "tasks").is_dir():
            return folder / "tasks"
    return None


def _print_check(check: "Check") -> None:
    """Print how many of the checked rounds agree or differ."""
    drawn = counted(check.drawn, "round")
    differing = check.drawn - check.agreed
    if differing:
        verb = agreeing(differing, "differs", "differ")
        print_lines(f"{differing} of {drawn} checked {verb}")
        return
    verb = agreeing(check.agreed, "agrees", "agree")
    print_lines(f"{check.agreed} of {drawn} checked {verb}")
    if check.drawn < check.of:
        miss_chance = 100 * (1 - check.drawn / check.of)
        print_lines(
            f"If one of the {check.of:,} rounds had been changed, this check would have missed it "
            f"with a probability of {miss_chance:.1f} %"
        )


SiteArgument = Annotated[
    str,
    typer.Argument(
        metavar="URL|DIR", help="The address of a site, or the folder of a site or of a copy."
    ),
]
AllowedSignersOption = Annotated[
    Path | None,
    typer.Option(
        help="A file with the keys that may sign the site, one per line, in the format of "
        "ssh-keygen."
    ),
]
RebuildOption = Annotated[
    Path | None,
    typer.Option(
        help="A checkout that the site was built from; building it must give the same files."
    ),
]


def verify_site(
    site: SiteArgument,
    allowed_signers: AllowedSignersOption = None,
    rebuild: RebuildOption = None,
) -> None:
    """Check a site's files against its list of checksums, its signature, or a rebuild."""
    from sitegen.publish.site import manifest
    from sitegen.publish.site.rebuild import build_site

    with TemporaryDirectory() as work:
        folder = Path(site)
        if "://" in site:
            with show_progress(f"taking {site}"):
                folder = manifest.download_site(site, Path(work) / "copy")
        copy = manifest.check_copy(folder)
        differences = list(copy.differences)
        if rebuild is not None:
            with show_progress(f"building {rebuild}"):
                rebuilt = build_site(rebuild, Path(work))
                differences += manifest.list_differences(folder, rebuilt)
        if differences:
            print_lines(*differences)
            raise typer.Exit(1)
        files = counted(copy.file_count, "file")
        intact = f"{files}, all as listed in {manifest.SITE_MANIFEST}"
        if rebuild:
            intact += ", and identical after a rebuild"
        is_trusted = _print_signature(copy, folder, allowed_signers, intact)
        if not is_trusted:
            raise typer.Exit(1)


def _print_signature(
    copy: "manifest.SiteCopy", folder: Path, allowed_signers: Path | None, intact: str
) -> bool:
    """Print who signed a site whose files are intact.

    Returns:
        True if one of the allowed signers signed the site, or if none are specified.
    """
    from sitegen.publish.site import manifest

    if not copy.has_signature_file:
        print_lines(
            f"{intact}; the site is not signed, "
            "so whoever changed a file could also have changed the list"
        )
        return allowed_signers is None
    if allowed_signers is None:
        print_lines(
            f"{intact}; the signature was not checked; pass the keys with --allowed-signers"
        )
        return True
    signer = manifest.signer_of(folder, allowed_signers)
    if signer is None:
        print_lines(
            f"{intact}; the signature was not made with any of the keys in {allowed_signers}"
        )
        return False
    print_lines(f"{intact}; signed by {signer}")
    return True
