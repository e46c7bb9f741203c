"""Run the `sitegen` command with `python -m sitegen`."""

from sitegen.cli import main

main()
