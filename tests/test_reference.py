"""The reference pages in the repository are those that the program gives, and leave out no command or option."""

import re
from pathlib import Path

import pytest

import reference

PAGES = reference.pages()


@pytest.mark.parametrize("path", PAGES, ids=[path.name for path in PAGES])
def test_a_reference_page_is_as_the_program_gives_it(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == PAGES[path], "run `make reference`"


def test_every_command_has_a_section_with_all_of_its_options() -> None:
    page = reference.commands_page()
    sections = dict(re.findall(r"^### sitegen ([\w-]+)\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL))
    commands = reference.commands()
    assert sections.keys() == commands.keys()
    for name, command in commands.items():
        shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
        options = {option for parameter in shown for option in parameter.opts if option.startswith("--")}
        assert options <= set(re.findall(r"--[\w-]+", sections[name])), name


def test_each_command_is_in_one_group() -> None:
    names = [name for group in reference.grouped_names(reference.commands()).values() for name in group]
    assert sorted(names) == sorted(reference.commands())


def test_every_group_is_for_readers_submitters_maintainers_or_developers() -> None:
    assert list(reference.grouped_names(reference.commands())) == ["Browse", "Submit", "Maintain", "Develop"]
