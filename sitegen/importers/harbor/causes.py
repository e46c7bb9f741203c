"""Why a round has no verdict, in words that readers know. What an exception says is left out: it may hold anything."""

import re

_BUDGET = "the agent used up its budget"
_SANDBOX = "the sandbox failed"
_VERIFIER = "the verifier failed"
_PROVIDER = "the model's provider failed"
_HARNESS = "the runner failed"
_CANCELLED = "the run was cancelled"

_CAUSES = {
    "AgentTimeoutError": _BUDGET,
    "ContextLengthExceededError": _BUDGET,
    "ContextWindowExceededError": _BUDGET,
    "OutputLengthExceededError": _BUDGET,
    "VerifierTimeoutError": _VERIFIER,
    "RewardFileNotFoundError": _VERIFIER,
    "RewardFileEmptyError": _VERIFIER,
    "VerifierOutputParseError": _VERIFIER,
    "AddTestsDirError": _VERIFIER,
    "DownloadVerifierDirError": _VERIFIER,
    "AgentSetupTimeoutError": _SANDBOX,
    "EnvironmentStartTimeoutError": _SANDBOX,
    "EnvironmentBuildTimeoutError": _SANDBOX,
    "HealthcheckError": _SANDBOX,
    "APIConnectionError": _PROVIDER,
    "APIError": _PROVIDER,
    "AuthenticationError": _PROVIDER,
    "InternalServerError": _PROVIDER,
    "RateLimitError": _PROVIDER,
    "ServiceUnavailableError": _PROVIDER,
    "CancelledError": _CANCELLED,
    "KeyboardInterrupt": _CANCELLED,
    "NotImplementedError": _HARNESS,
}
"""What went wrong, by the exception that tells of it. Others are named as they are."""

_NAME = re.compile(r"[A-Za-z_][\w.]{0,80}")


def cause_of(exception: str | None) -> str | None:
    """Say what an exception tells of, by its type; None where there is none."""
    if not exception:
        return None
    if not _NAME.fullmatch(exception):
        return "an exception"
    known = _CAUSES.get(exception.rpartition(".")[2])
    return f"{exception}: {known}" if known else exception
