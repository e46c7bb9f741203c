"""What a build says of the limits of hosts."""

from pathlib import Path

from sitegen.publish.hosts import near_limits


def test_a_file_that_a_host_does_not_take_is_named_with_both_numbers(tmp_path: Path) -> None:
    (tmp_path / "index.html").touch()
    assert list(near_limits(tmp_path)) == []
    with (tmp_path / "rounds.csv").open("wb") as file:
        file.truncate(26 << 20)
    assert list(near_limits(tmp_path)) == ["rounds.csv has 27 MB; Cloudflare Pages takes 26 MB a file"]
