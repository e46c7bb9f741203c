"""An address is parsed once, where its record is read: what a build could not take is refused there."""

from pathlib import Path

import pytest
from kit.command import sitegen
from kit.results_folders import Tree

from sitegen.models.addresses import AddressError, is_web_address, parse_web_address
from sitegen.pages.reports import report_address

SOUND = (
    "https://example.org",
    "http://localhost:8000/a?b=c#d",
    "https://[2001:db8::1]:443/",
    "https://b\u00fccher.example/\u00fcber",
    "https://my_host.example./",
    "https://example.org/issues/new?title={title}&body={body}",
    "https://127.0.0.1/",
)
BROKEN = (
    "https://[y",
    "https://[::g]/",
    "https://[::1]x/",
    "https://",
    "https:///path",
    "https://:80/",
    "https://a:b/",
    "https://a:99999/",
    "https://a..b/",
    "https://-a.example/",
    f"https://{'a' * 64}.example/",
    f"https://{'a.' * 200}example/",
    f"https://example.org/{'a' * 2000}",
    "https://user:secret@example.org/",
    "https://good.example\\@evil.example/",
    "https://example.org/\u202egnp.exe",
    "https://example.org/\x7f",
    "https://{title}.example/",
    "https://\u2100.example/",
    "javascript:alert(1)",
    "//example.org/",
)


@pytest.mark.parametrize("address", SOUND)
def test_an_address_that_browsers_take_is_taken(address: str) -> None:
    assert parse_web_address(address).geturl() == address
    assert report_address(address, "title", "body")


@pytest.mark.parametrize("address", BROKEN)
def test_an_address_that_browsers_or_programs_read_otherwise_is_refused(address: str) -> None:
    assert not is_web_address(address)
    with pytest.raises(AddressError):
        parse_web_address(address)


@pytest.mark.parametrize("key", ["issues", "homepage", "paper"])
def test_validate_refuses_an_address_of_a_benchmark_that_a_build_can_not_take(key: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    tree.define("[aliases]", "[aliases]")
    path = tree.benchmark / "benchmark.toml"
    path.write_text(f'{key} = "https://[y"\n' + path.read_text(encoding="utf-8"), encoding="utf-8")
    for command in ("validate", "score"):
        done = sitegen(command, tree.folder)
        assert done.returncode == 1, done.stderr
        assert f"`{key}` is an address that has an unreadable host" in done.stdout + done.stderr


@pytest.mark.parametrize("key", ["agent.url", "provenance.artifacts", "provenance.trajectories"])
def test_validate_refuses_an_address_of_a_submission_that_a_build_can_not_take(key: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    table, _, name = key.partition(".")
    text = (tree.bundle / "submission.toml").read_text(encoding="utf-8")
    line = f'{name} = "https://a:99999/"\n'
    if f"[{table}]\n" in text:
        text = text.replace(f"[{table}]\n", f"[{table}]\n{line}")
    else:
        text += f"\n[{table}]\n{line}"
    tree.write("submission.toml", text)
    done = sitegen("validate", tree.folder)
    assert (done.returncode, f"`{key}` is an address that has a port above 65535" in done.stdout) == (1, True)


def test_addresses_are_parsed_in_one_place_alone() -> None:
    """A second place would take what the model refuses, or fail at what it takes."""
    package = Path(__file__).parents[2] / "sitegen"
    for path in package.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        is_door = path.name == "addresses.py" and path.parent.name == "models"
        assert is_door or ("urlsplit" not in text and "urlparse" not in text), path
        assert path.name in {"network.py", "downloads.py"} or "urllib.request" not in text, path
