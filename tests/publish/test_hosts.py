"""What a build says of the limits of hosts."""

import re

from kit.command import ROOT

from sitegen.publish.site.hosts import near_limits


def test_a_file_that_a_host_does_not_take_is_named_with_both_numbers() -> None:
    assert list(near_limits({"index.html": 0})) == []
    assert list(near_limits({"index.html": 0, "rounds.csv": 26 << 20})) == [
        "rounds.csv is 27 MB; Cloudflare Pages takes 26 MB per file"
    ]


def test_the_page_on_hosts_has_all_limits_that_a_build_tells() -> None:
    page = (ROOT / "site_src/docs/hosting.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (.*?) \| (.*) \|$", page, flags=re.MULTILINE))
    host_limits = [
        line.split("; ")[1].split(" takes ")
        for line in near_limits({**dict.fromkeys("abc", 2 << 30), **dict.fromkeys(map(str, range(200_000)), 0)})
    ]
    assert len(host_limits) == 6
    assert [(host, limit) for host, limit in host_limits if limit not in re.split(", and | and ", rows[host])] == []
