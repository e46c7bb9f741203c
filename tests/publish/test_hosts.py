"""What a build says of the limits of hosts."""

from sitegen.publish.hosts import near_limits


def test_a_file_that_a_host_does_not_take_is_named_with_both_numbers() -> None:
    assert list(near_limits({"index.html": 0})) == []
    assert list(near_limits({"index.html": 0, "rounds.csv": 26 << 20})) == [
        "rounds.csv has 27 MB; Cloudflare Pages takes 26 MB a file"
    ]
