"""A copy of a site is held against the list of its files: what differs, is missing or is too many is named."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from kit.command import sitegen
from kit.transcripts import served

from sitegen.problems import UsageError
from sitegen.publish.machine.hidden_names import SITE_MARKER
from sitegen.publish.site.manifest import check_copy, list_differences, signer_of, write_manifest
from sitegen.publish.site.manifest import download_site as taken
from sitegen.publish.site.rebuild import build_site


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    for name in ("index.html", "data/a.jsonl", "api/v1/scores.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"this is {name}\n", encoding="utf-8")
    write_manifest(folder, {})
    return folder


def test_a_whole_site_is_whole_and_said_to_be_unsigned(site: Path) -> None:
    done = sitegen("verify-site", site)
    assert (
        done.returncode,
        done.stdout.startswith("3 files, all as listed in site.sha256; the site is not signed"),
    ) == (
        0,
        True,
    )


def test_what_differs_is_missing_or_too_many_is_named(site: Path) -> None:
    (site / "index.html").write_text("another\n", encoding="utf-8")
    (site / "data" / "a.jsonl").unlink()
    (site / "more.html").write_text("", encoding="utf-8")
    done = sitegen("verify-site", site)
    assert done.returncode == 1
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [
        "data/a.jsonl is missing",
        "index.html differs",
        "more.html is an extra file",
    ]


def test_an_old_list_is_told(site: Path) -> None:
    old = (site / "site.sha256").read_bytes()
    (site / "index.html").write_text("newer\n", encoding="utf-8")
    write_manifest(site, {})
    assert check_copy(site).differences == ()
    (site / "site.sha256").write_bytes(old)
    assert check_copy(site).differences == ("index.html differs",)


def test_of_a_hundred_changed_bytes_each_is_noticed(site: Path) -> None:
    dice = random.Random(1)  # noqa: S311 - to be repeated
    for _ in range(100):
        path = site / dice.choice(["index.html", "data/a.jsonl", "api/v1/scores.json"])
        content = path.read_bytes()
        offset = dice.randrange(len(content))
        path.write_bytes(content[:offset] + bytes([content[offset] ^ dice.randint(1, 255)]) + content[offset + 1 :])
        assert check_copy(site).differences == (f"{path.relative_to(site).as_posix()} differs",)
        path.write_bytes(content)


def test_a_folder_without_a_list_is_no_site(tmp_path: Path) -> None:
    done = sitegen("verify-site", tmp_path)
    assert (done.returncode, "has no site.sha256" in done.stderr) == (2, True)


def keygen(*arguments: str | Path) -> None:
    subprocess.run(["ssh-keygen", *arguments], check=True, capture_output=True)  # noqa: S607 - as the program does


def test_a_signature_is_checked_by_the_keys_that_are_named(site: Path, tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    for name in ("ann", "eve"):
        keygen("-q", "-t", "ed25519", "-N", "", "-C", name, "-f", tmp_path / name)
    allowed.write_text(f"ann@example.org {(tmp_path / 'ann.pub').read_text(encoding='utf-8')}", encoding="utf-8")
    keygen("-Y", "sign", "-f", tmp_path / "ann", "-n", "file", site / "site.sha256")
    assert signer_of(site, allowed) == "ann@example.org"
    assert "signed by ann@example.org" in sitegen("verify-site", site, "--allowed-signers", allowed).stdout
    (site / "site.sha256.sig").unlink()
    assert sitegen("verify-site", site, "--allowed-signers", allowed).returncode == 1
    keygen("-Y", "sign", "-f", tmp_path / "eve", "-n", "file", site / "site.sha256")
    assert signer_of(site, allowed) is None
    assert sitegen("verify-site", site, "--allowed-signers", allowed).returncode == 1


def test_a_check_that_takes_too_long_is_not_answered_with_an_installation(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "programs" / "ssh-keygen"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    monkeypatch.setattr("sitegen.publish.site.manifest._MAX_SECONDS", 0.2)
    allowed = tmp_path / "allowed"
    allowed.touch()
    with pytest.raises(UsageError, match=r"took longer than 0\.2 seconds to check the signature"):
        signer_of(site, allowed)
    program.unlink()
    monkeypatch.setenv("PATH", str(program.parent))
    with pytest.raises(UsageError, match="install OpenSSH"):
        signer_of(site, allowed)


def test_a_served_copy_is_checked_file_by_file(site: Path) -> None:
    with served(site) as address:
        assert sitegen("verify-site", address).stdout.startswith("3 files, all as listed in site.sha256")
        (site / "index.html").write_text("another\n", encoding="utf-8")
        (site / "data" / "a.jsonl").unlink()
        done = sitegen("verify-site", address)
    assert (done.returncode, done.stdout.splitlines()) == (1, ["data/a.jsonl is missing", "index.html differs"])


def test_a_host_may_call_files_otherwise_and_leave_hidden_ones_out(site: Path, tmp_path: Path) -> None:
    """A way to another name is followed, and none to another host, whatever is served there."""
    (site / SITE_MARKER).touch()
    write_manifest(site, {})
    with (
        served(site, "localhost") as other_address,
        served(site, leads={"/index.html": "/", "/data/a.jsonl": other_address}) as address,
    ):
        (tmp_path / "copy").mkdir()
        copy = taken(address, tmp_path / "copy")
    assert check_copy(copy).differences == ("data/a.jsonl is missing",)
    assert check_copy(site).differences == ()


@pytest.mark.parametrize("address", ["http://example.org/", "ftp://localhost/", "file:///etc"])
def test_no_other_address_is_asked(address: str) -> None:
    done = sitegen("verify-site", address)
    assert (done.returncode, "https:// address" in done.stderr) == (2, True)


def test_a_host_that_can_not_be_reached_is_told_from_one_that_lacks_a_file(tmp_path: Path) -> None:
    with served(tmp_path) as address:
        assert "the list of its files, is not served" in sitegen("verify-site", address).stderr
    done = sitegen("verify-site", address)
    assert (done.returncode, f" at {address}site.sha256; is the site being served?" in done.stderr) == (2, True)


def test_a_list_that_leads_out_of_the_copy_is_not_followed(site: Path, tmp_path: Path) -> None:
    lines = (site / "site.sha256").read_text(encoding="utf-8")
    (site / "site.sha256").write_text(f"{'0' * 64}  ../out\n{'0' * 64}  /out\n{lines}", encoding="utf-8")
    (tmp_path / "copy").mkdir()
    with served(site) as address:
        taken(address, tmp_path / "copy")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "site"]


def test_a_module_in_the_checkout_does_not_build_its_site(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "sitegen.py").write_text("open('made-by-a-stranger', 'w').close()", encoding="utf-8")
    with pytest.raises(UsageError, match="can't be built"):
        build_site(project, tmp_path)
    assert [path.name for path in project.iterdir()] == ["sitegen.py"]


def test_an_old_list_is_told_by_building_anew(site: Path, tmp_path: Path) -> None:
    anew = tmp_path / "anew"
    shutil.copytree(site, anew)
    (anew / "index.html").write_text("newer\n", encoding="utf-8")
    (anew / "new.html").write_text("new\n", encoding="utf-8")
    (anew / "data" / "a.jsonl").unlink()
    write_manifest(anew, {})
    assert list_differences(site, site) == ()
    assert list_differences(site, anew) == (
        "data/a.jsonl is not in the rebuilt site",
        "index.html differs from the rebuilt site",
        "new.html is not in the copy",
    )


def test_a_broken_line_of_a_list_is_counted_and_not_compared(site: Path, tmp_path: Path) -> None:
    anew = tmp_path / "anew"
    shutil.copytree(site, anew)
    with (site / "site.sha256").open("ab") as file:
        file.write(b"no digest\n\xff\n\n")
    copy = check_copy(site)
    assert copy.differences == ("site.sha256 has 3 lines that do not name a file",)
    assert list_differences(site, anew) == ()
    assert list_differences(anew, site) == ()
