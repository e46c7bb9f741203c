"""What failed cases look like: texts with blanks, in the manner of several kinds of test."""

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template

from sitegen.importers.simulation.requests import Category


@dataclass(frozen=True, slots=True)
class Symptom:
    """The texts of one kind of case, and of its failure. `$name` is a blank, `$$` a dollar sign.

    Attributes:
        intent: What the case wants to know.
        scenario: What it does.
        expected: What should have come out.
        actual: What came out.
        reason: Why the verdict is what it is.
        input: What the program was given.
    """

    intent: str
    scenario: str
    expected: str
    actual: str
    reason: str
    input: str | None = None


@dataclass(frozen=True, slots=True)
class Crash:
    """What comes out where the program breaks off. The blanks are those of a symptom.

    Attributes:
        actual: What came out.
        reason: Why the verdict is what it is.
    """

    actual: str
    reason: str


def filled(text: str, blanks: Mapping[str, object]) -> str:
    """Give a text without its blanks."""
    return Template(text).substitute(blanks)


SYMPTOMS: dict[Category, tuple[Symptom, ...]] = {
    "core": (
        Symptom(
            intent="Totals agree with the sum of their parts",
            scenario="Add $n entries and ask for the total",
            expected="$amount",
            actual="$wrong_amount",
            reason="totals differ by more than 0.005",
            input="app add --amount $amount && app total",
        ),
        Symptom(
            intent="The answer lists every $word once",
            scenario="POST $n of them, then GET /$word?limit=$m",
            expected='{"count": $n, "items": ["$word-1", "$word-2"], "next": null}',
            actual='{"count": $m, "items": ["$word-1", "$word-1"], "next": "/$word?page=2"}',
            reason="count: $n != $m",
            input='{"limit": $m, "kind": "$word"}',
        ),
        Symptom(
            intent="Output keeps its columns",
            scenario="Print the $word table with $n rows",
            expected="id  $word        total\n--  ----------  -----\n$m   plum         4.50",
            actual="id $word total\n-- ---------- -----\n$m plum 4.5",
            reason="row 3, column 3: expected '4.50', got '4.5'",
        ),
        Symptom(
            intent="Settings of the command line win over the file",
            scenario="Set $word = $n in app.toml and pass --$word $m",
            expected="$word = $m",
            actual="$word = $n",
            reason="assert $m == $n",
            input="[app]\n$word = $n\n",
        ),
    ),
    "integration": (
        Symptom(
            intent="Old records survive the change",
            scenario="Open a store written before this round and read $word-$n",
            expected="'$word-$n'",
            actual="None",
            reason="a record that an earlier round wrote is gone",
        ),
        Symptom(
            intent="Prices keep their currency",
            scenario="Convert $amount € to ¥ and back",
            expected="$amount €",
            actual="$wrong_amount €",
            reason="round trip lost more than a cent",
        ),
        Symptom(
            intent="A date in another zone falls on the right day",
            scenario="Store $word-$n at 2026-03-29T01:$n+01:00 and list the day in UTC",
            expected="2026-03-29  $word-$n",
            actual="2026-03-30  $word-$n",
            reason="off by one day where the clock changes",
        ),
    ),
    "error": (
        Symptom(
            intent="The command exits with the documented code",
            scenario="Run `app $word` with an argument that does not exist",
            expected="exit code 2",
            actual="exit code 0",
            reason="a refused command must not look like success",
            input="$$ app $word --no-such-flag; echo $$?",
        ),
        Symptom(
            intent="The error names the line",
            scenario="Import a file whose line $n lacks a closing quote",
            expected="error: line $n: unterminated string",
            actual="error: invalid input",
            reason="'line $n' not found in standard error",
            input='id,name\n$m,"plum\n',
        ),
        Symptom(
            intent="A bad $word is refused politely",
            scenario='Send {"$word": null}',
            expected='HTTP 422 {"error": "$word must be a number"}',
            actual='HTTP 200 {"$word": 0}',
            reason="status: 422 != 200",
            input='{"$word": null}',
        ),
    ),
    "boundary": (
        Symptom(
            intent="Markup in names is escaped",
            scenario="Name an entry `<b>$word</b>` and render the report",
            expected="<td>&lt;b&gt;$word&lt;/b&gt;</td>",
            actual="<td><b>$word</b></td>",
            reason='the report contains a "<b>" that a user typed',
        ),
        Symptom(
            intent="Names with accents sort where readers look for them",
            scenario="Sort Zoë, Ángel, Ørsted and $word",
            expected="Ángel\nØrsted\n$word\nZoë",
            actual="Zoë\n$word\nÁngel\nØrsted",
            reason="line 1: 'Ángel' != 'Zoë'",
            input="printf 'Zoë\\nÁngel\\nØrsted\\n$word\\n' | app sort",
        ),
        Symptom(
            intent="Nothing is lost at the limit",
            scenario="Write $n lines of 65 536 characters and read them back",
            expected="$n lines",
            actual="$m lines",
            reason="lines above 65 535 characters were split",
        ),
    ),
}
"""Kinds of case, by category."""

CRASHES = (
    Crash(
        actual="Traceback (most recent call last):\n"
        '  File "app/cli.py", line $m, in main\n'
        "    return commands[name](store)\n"
        "KeyError: '$word'",
        reason="the program ended with an exception",
    ),
    Crash(
        actual="curl: (28) Operation timed out after 30000 milliseconds with 0 bytes received",
        reason="no answer within 30 s",
    ),
    Crash(
        actual="thread 'main' panicked at src/$word.rs:$n:$m: called `Option::unwrap()` on a `None` value",
        reason="the process died before it answered",
    ),
)
"""Ways in which a program breaks off."""
