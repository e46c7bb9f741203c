"""Keys, home folders and deceptive characters are found in every text before it is published."""

import gzip

import pytest
from kit.results_folders import Tree, json_lines

from sitegen.importers.kit.redaction import redact_text
from sitegen.reading.privacy import keys_in, may_be_private

FAILED = {"task": "tidy", "attempt": 1, "round": 2, "case": "c4"}
LETTERS = "Abcdefghij0123456789Abcdefghij0123456789"
KEY_LOOKS = {
    f"sk-{LETTERS}": "an API key",
    f"sk_live_{LETTERS}": "a payment key",
    f"ghp_{LETTERS}": "a GitHub token",
    f"github_pat_{LETTERS}": "a GitHub token",
    f"glpat-{LETTERS}": "a GitLab token",
    f"hf_{LETTERS}": "a Hugging Face token",
    "AKIA0123456789ABCDEF": "an AWS key",
    f"AIza{LETTERS[:35]}": "a Google key",
    f"xoxb-{LETTERS}": "a Slack token",
    f"eyJ{LETTERS}.{LETTERS}.{LETTERS}": "a web token",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----": "a private key",
}

every_key = pytest.mark.parametrize("key", KEY_LOOKS, ids=KEY_LOOKS.values())


def told(tree: Tree) -> list[tuple[str, str, str, str]]:
    """Read the folder: give code, severity, place and fact of every problem."""
    return [(problem.code, problem.severity, problem.place, problem.what) for problem in tree.told()]


@every_key
def test_a_key_in_a_failure_is_an_error_that_repeats_four_characters(tree: Tree, key: str) -> None:
    line = json_lines({**FAILED, "reason": f"first line\n{key}\n"})
    tree.write("failures.jsonl.gz", gzip.compress(b"\n" + line.encode()))
    expected_message = f"the file contains {KEY_LOOKS[key]}: {key[:4]}…"
    assert told(tree) == [("SECRET-FOUND", "error", "failures.jsonl.gz:2", expected_message)]


@every_key
def test_what_importers_take_out_is_what_is_found(key: str) -> None:
    assert [kind for kind, _ in keys_in(f"é {key}")] == [KEY_LOOKS[key]]
    assert may_be_private(f"x {key}".encode())
    assert may_be_private(f"é {key}".encode())
    assert list(keys_in(redact_text(f"long enough to be looked at by itself, {key}"))) == []


@pytest.mark.parametrize(
    "text", ["task-0123456789abcdefgh", "risk-averse-behaviour-of-x", "sk-short", "eyJ.a.b", "AKIA"]
)
def test_words_are_no_keys(tree: Tree, text: str) -> None:
    tree.write("failures.jsonl", json_lines({**FAILED, "reason": text}))
    assert told(tree) == []


def test_a_key_is_found_in_every_file(tree: Tree) -> None:
    key = f"ghp_{LETTERS}"
    tree.edit("submission.toml", 'organization = "Acme"', f'organization = "{key}"')
    tree.change(2, cause=key)
    tree.write("runs.jsonl", json_lines({"task": "tidy", "attempt": 1}, {"task": key, "attempt": 1}))
    tree.define('title = "Mini"', f'title = "Mini"\nsummary = "{key}"')
    tree.findings(f'\n[[findings]]\ndate = 2026-06-26\nkind = "note"\ntitle = "{key}"\n')
    locations = {location for code, _, location, _ in told(tree) if code == "SECRET-FOUND"}
    bundle = {"submission.toml:7", "rounds.jsonl:2", "runs.jsonl:2"}
    assert locations == bundle | {"mini/benchmark.toml:4", "mini/findings.toml:6"}


def test_a_key_that_stands_everywhere_is_told_once(tree: Tree) -> None:
    tree.change(2, passed=0)
    texts = ({**FAILED, "case": f"c{number}", "reason": f"sk-{LETTERS}"} for number in range(4))
    tree.write("failures.jsonl", json_lines(*texts))
    expected_message = "the file contains an API key: sk-A… (here and in 3 more places)"
    assert told(tree) == [("SECRET-FOUND", "error", "failures.jsonl:1", expected_message)]


@pytest.mark.parametrize(
    "path", ["/home/alice/work/x.py", "file:///Users/alice/x.py", "C:\\Users\\alice\\x.py", "'/home/alice'"]
)
def test_home_folders_are_told_once_a_file(tree: Tree, path: str) -> None:
    tree.change(2, passed=1)
    failures = ({**FAILED, "case": name, "reason": f"no {path}"} for name in ("c1", "c2"))
    tree.write("failures.jsonl", json_lines({**FAILED, "case": "c3"}, *failures))
    ((code, severity, location, message),) = told(tree)
    assert (code, severity, location) == ("PERSONAL-PATH", "warning", "failures.jsonl:2")
    assert message.startswith("2 lines with a home folder, first ")
    assert message.endswith("alice")


@pytest.mark.parametrize(
    "path", ["/root/x", "/app/x", "/home/user/x", "/home/ubuntu", "https://x.org/home/alice", "C:\\Temp"]
)
def test_folders_that_are_nobody_s_are_left_alone(tree: Tree, path: str) -> None:
    tree.write("failures.jsonl", json_lines({**FAILED, "reason": path}))
    assert told(tree) == []


@pytest.mark.parametrize("mark", ["\u202e", "\u2066", "\x1b"])
def test_characters_that_deceive_are_told(tree: Tree, mark: str) -> None:
    tree.write("failures.jsonl", json_lines({**FAILED, "reason": f"a{mark}b"}))
    expected_message = f"1 line with deceptive characters, first U+{ord(mark):04X}"
    assert told(tree) == [("TEXT-DECEPTIVE", "warning", "failures.jsonl:1", expected_message)]


def test_characters_that_deceive_are_told_where_they_stand_as_they_are(tree: Tree) -> None:
    tree.edit("submission.toml", 'track = "main"', 'caveats = ["A\u202ecme"]\ntrack = "main"')
    expected_message = "1 line with deceptive characters, first U+202E"
    assert ("TEXT-DECEPTIVE", "warning", "submission.toml:2", expected_message) in told(tree)


def test_other_writing_is_left_alone(tree: Tree) -> None:
    tree.write("failures.jsonl", json_lines({**FAILED, "reason": "“ça” — \u0005 \u200f שלום\r\n\t"}).encode())
    assert told(tree) == []


def test_an_address_is_published_where_it_may_be_asked(tree: Tree) -> None:
    submitter = '[submitter]\nname = "alice@acme.test"\ncontact = "results@acme.test"\nurl = "git@example.net:x"\n'
    tree.edit("submission.toml", "[detail]", f"{submitter}\n[detail]")
    expected_message = "the file contains an e-mail address: alice@acme.test"
    assert told(tree) == [("PERSONAL-EMAIL", "warning", "submission.toml:10", expected_message)]
    tree.edit("submission.toml", "schema = 1", 'schema = 1\nodd = "key"')  # whatever else is wrong with the manifest
    assert ("PERSONAL-EMAIL", "warning", "submission.toml:11", expected_message) in told(tree)
    assert not [fact for *_, fact in told(tree) if "results@acme.test" in fact]
