"""Why a round has no verdict, in words of our own: what the fork writes holds paths of the machine and tracebacks."""

import re
from collections.abc import Sequence

from sitegen.importers.harbor.causes import cause_of as cause_of_exception
from sitegen.importers.harbor_multiturn.files import VERIFICATION_ERROR, RowFile

_ERRORS: Sequence[tuple[str, str]] = (
    ("timed out", "VerifierTimeoutError"),
    ("reward file is empty", "RewardFileEmptyError"),
    ("no reward file", "RewardFileNotFoundError"),
)
"""What the fork says of a verification that failed, with the exception that the official runner raises then."""

_EXIT = re.compile(r"exited with code -?\d{1,4}\b", re.IGNORECASE)


def cause_of(row: RowFile, exception: str | None) -> str:
    """Say why a round was reached and not judged.

    Args:
        row: The round.
        exception: Type of what ended the run; None where nothing did.
    """
    status = row.status or ""
    if status.startswith(VERIFICATION_ERROR):
        return _verification(status)
    if status == "agent_timeout":
        return cause_of_exception("AgentTimeoutError") or status
    if status == "agent_error":
        return cause_of_exception(exception) or "the agent failed"
    return cause_of_exception(exception) or "the verifier left no reward"


def _verification(status: str) -> str:
    said = status.casefold()
    named = next((cause_of_exception(name) for words, name in _ERRORS if words in said), None)
    code = _EXIT.search(status)
    return named or (f"the verifier {code[0].lower()}" if code else "the verifier failed")
