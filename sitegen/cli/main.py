"""The commands, and what an error means to the shell."""

import sys

import typer

from sitegen.cli.building import build, serve
from sitegen.cli.checking import explain, schema, score, validate
from sitegen.cli.importing import demo, import_
from sitegen.cli.printing import say_error, say_problems
from sitegen.errors import BuilderError, LinkError, ProblemsError, SitegenError

DATA_PROBLEMS, USED_WRONGLY, BUILDER_FAILED = 1, 2, 3
"""Exit codes."""

app = typer.Typer(
    help="Turn folders of benchmark results into a static site whose every number is recomputed.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for command in (build, serve, validate, score, explain, schema, demo):
    app.command()(command)
app.command("import")(import_)


def main() -> None:
    """Run the command that the shell asks for."""
    try:
        app()
    except ProblemsError as error:
        say_problems(error.problems)
        sys.exit(DATA_PROBLEMS)
    except (BuilderError, LinkError) as error:
        say_error(str(error))
        sys.exit(BUILDER_FAILED)
    except SitegenError as error:
        say_error(str(error))
        sys.exit(USED_WRONGLY)
