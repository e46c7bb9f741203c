"""Records of files that only grow, line by line: announced runs, arrivals of bundles, checks."""

import hashlib
from typing import Annotated

from pydantic import Field

from sitegen.models.record import Count, slim
from sitegen.models.release import Digest

Day = Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
Text = Annotated[str, Field(min_length=1, max_length=200)]


@slim
class Arrival:
    """A bundle that was seen for the first time.

    The lines form a chain: a line cannot be changed without changing all later lines.
    """

    n: Annotated[int, Field(ge=1)]
    """The line's number."""
    bundle: Text
    """The bundle, as BENCHMARK/SUBMISSION."""
    digest: Digest
    """SHA-256 of the bundle's `SHA256SUMS` on that day."""
    seen: Day
    """The day on which it was seen, by the publisher's clock."""
    before: Digest
    """SHA-256 of the previous line without its newline; on the first line, of an empty text."""


@slim
class Registration:
    """Runs that a team announces before it makes them, so that missing submissions are noticed."""

    agent: Text
    """The name of the agent."""
    track: Text
    attempts: Annotated[int, Field(ge=1)]
    """The number of planned attempts."""
    day: Day
    """The day of the announcement."""


@slim
class Check:
    """The result of comparing a submission's rounds with the grader's output."""

    submission: Text
    digest: Digest
    """SHA-256 of its `SHA256SUMS` at that time; if it differs now, the check does not count."""
    by: Text
    """Who made the check."""
    day: Day
    seed: Digest
    """The seed of the draw: SHA-256 of `base`, `digest` and `nonce`, joined by colons. The draw
    takes the rounds that are not `excluded` and have the smallest SHA-256 of
    `SEED:TASK:ATTEMPT:ROUND:START`."""
    base: Text
    """The commit of the results that were checked; `none` outside a repository."""
    drawn: Annotated[int, Field(ge=1)]
    """The number of checked rounds."""
    of: Annotated[int, Field(ge=1)]
    """The number of rounds in the submission."""
    agreed: Count
    """The number of checked rounds that agree with the grader's output."""
    rerun: bool = False
    """Whether the grader was run again on each checked round."""
    nonce: Digest | None = None
    """32 random bytes, drawn after the artifacts were read; absent from checks made before
    2026-12."""

    @property
    def agrees(self) -> bool:
        """Whether every drawn round agrees with the grader's output."""
        return self.agreed == self.drawn

    @property
    def could_be_foreseen(self) -> bool:
        """Whether the submitter could compute in advance which rounds would be checked.

        Without a nonce the seed follows from the commit and the submission's own files.
        """
        return self.nonce is None and self.drawn < self.of


def seed_of(base: str, digest: str, nonce: str | None) -> str:
    """Return the seed of a check, as 64 hexadecimal digits; see `Check.seed`."""
    text = f"{base}:{digest}" if nonce is None else f"{base}:{digest}:{nonce}"
    return hashlib.sha256(text.encode()).hexdigest()


def outweighs(check: Check, earlier: Check | None) -> bool:
    """Return whether a check counts in place of an earlier check of the same files.

    A check that found a difference counts until more rounds are drawn, so that nobody can repeat a
    check until it happens to miss the difference.
    """
    if earlier is None or not check.agrees:
        return True
    if earlier.agrees:
        return check.drawn >= earlier.drawn
    return check.drawn > earlier.drawn
