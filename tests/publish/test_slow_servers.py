"""What is read from the network ends at one deadline, however slowly a server sends it."""

import time
from pathlib import Path

import pytest
from kit.slow_servers import ANSWERS, EARLY_ENDS, broken_server, slow_server
from kit.transcripts import served

from sitegen.problems import UsageError
from sitegen.publish.machine.downloads import download_artifacts, download_listed

SECONDS = 1.5
"""The deadline in these tests."""
LATEST = 3 * SECONDS
"""So many seconds may pass on a busy machine."""


@pytest.mark.parametrize("kind", ANSWERS)
@pytest.mark.parametrize("name", ["runs.zip", "runs/"])
def test_a_slow_server_is_left_at_the_deadline(kind: str, name: str, tmp_path: Path) -> None:
    with slow_server(kind) as port:
        began = time.monotonic()
        with pytest.raises(UsageError, match="took longer than 2 seconds"):
            download_artifacts(f"http://127.0.0.1:{port}/{name}", tmp_path, SECONDS)
        assert time.monotonic() - began < LATEST


@pytest.mark.parametrize("kind", EARLY_ENDS)
@pytest.mark.parametrize("name", ["runs.jsonl", "runs/"])
def test_a_connection_that_breaks_is_not_the_end_of_a_file(kind: str, name: str, tmp_path: Path) -> None:
    with broken_server(kind) as port, pytest.raises(UsageError, match="broke before its answer was complete"):
        download_artifacts(f"http://127.0.0.1:{port}/{name}", tmp_path)


def test_a_file_that_is_too_large_costs_one_byte_more_than_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitegen.publish.machine.downloads._MAX_FILE_BYTES", 1000)
    monkeypatch.setattr("sitegen.publish.machine.downloads._MAX_BYTES", 4000)
    sizes = {"a": 5000, "b": 1001, "c": 1000}
    source = tmp_path / "source"
    source.mkdir()
    for name, size in sizes.items():
        (source / name).write_bytes(b"x" * size)
    listed = "".join(f"{'0' * 64}  {name}\n" for name in sizes)
    (source / "SHA256SUMS").write_text(listed, encoding="utf-8")
    copy = tmp_path / "copy"
    copy.mkdir()
    with served(source) as address:
        download_listed(address, copy)
    assert sorted(path.name for path in copy.iterdir()) == ["SHA256SUMS", "c"]


def test_a_server_that_begins_no_encryption_is_left_at_the_deadline(tmp_path: Path) -> None:
    with slow_server("nothing") as port:
        began = time.monotonic()
        with pytest.raises(UsageError, match="took longer than 2 seconds"):
            download_listed(f"https://localhost:{port}/", tmp_path, seconds=SECONDS)
        assert time.monotonic() - began < LATEST


@pytest.mark.parametrize(
    "address",
    [
        "https://[y",
        "https://",
        "http://127.0.0.1:99999/",
        "https://a..example/",
        "https://host\\@other/",
        "http://example.org/",
    ],
)
def test_what_is_no_address_is_refused_in_words(address: str, tmp_path: Path) -> None:
    for take in (download_artifacts, download_listed):
        with pytest.raises(UsageError):
            take(address, tmp_path)


def test_a_name_of_dots_is_a_folder_that_is_not_left(tmp_path: Path) -> None:
    with slow_server("nothing") as port, pytest.raises(UsageError):
        download_artifacts(f"http://127.0.0.1:{port}/..", tmp_path, SECONDS)
    assert list(tmp_path.iterdir()) == []
