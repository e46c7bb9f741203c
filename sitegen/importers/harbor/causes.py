"""Why a round has no verdict, by the exception that its trial ended with."""

import re

_CAUSES = {
    "the agent used up its budget": (
        "AgentTimeoutError",
        "ContextLengthExceededError",
        "ContextWindowExceededError",
        "OutputLengthExceededError",
        "OutputTokenExceededError",
    ),
    "the agent refused the task": ("AgentSafetyRefusalError", "ContentPolicyViolationError"),
    "the verifier failed": (
        "VerifierTimeoutError",
        "RewardFileNotFoundError",
        "RewardFileEmptyError",
        "VerifierOutputParseError",
        "AddTestsDirError",
        "DownloadVerifierDirError",
    ),
    "the sandbox failed": (
        "AgentSetupTimeoutError",
        "EnvironmentStartTimeoutError",
        "EnvironmentBuildTimeoutError",
        "GKEExecStreamClosedError",
        "GKEPodNotFoundError",
        "HealthcheckError",
        "MemoryLimitExceededError",
        "RuntimeRequestError",
        "SSHAccessError",
        "SandboxBuildFailedError",
        "SandboxLikelyOutOfMemoryError",
    ),
    "the model's provider failed": (
        "APIConnectionError",
        "APIError",
        "AgentAuthenticationError",
        "ApiConnectionClosedError",
        "ApiConnectionError",
        "ApiError",
        "ApiInternalServerError",
        "ApiOverloadedError",
        "ApiProviderResourceNotFoundError",
        "ApiRateLimitError",
        "ApiResponseStalledError",
        "ApiUsageLimitError",
        "AuthenticationError",
        "BudgetExceededError",
        "InternalServerError",
        "ModelNotFoundError",
        "NetworkConnectionError",
        "PermissionDeniedError",
        "RateLimitError",
        "ServiceUnavailableError",
        "UnknownApiError",
    ),
    "the model's provider refused the request": (
        "APIResponseValidationError",
        "BadRequestError",
        "UnprocessableEntityError",
        "UnsupportedModelParametersError",
        "UnsupportedParamsError",
    ),
    "the run was cancelled": ("CancelledError", "KeyboardInterrupt"),
    "the runner failed": (
        "DspyImportError",
        "MissingExtraError",
        "NotImplementedError",
        "RegradeError",
        "ServiceOperationsUnsupportedError",
        "VercelScopeError",
    ),
}
"""What went wrong, in words that readers know, and the exceptions that mean it. Others are named as they are."""

_MEANINGS = {exception: cause for cause, exceptions in _CAUSES.items() for exception in exceptions}

_VERDICT_STANDS = frozenset({"the agent used up its budget", "the agent refused the task"})
"""Causes in spite of which a reward says what the agent's work is worth."""

_NAME = re.compile(r"[A-Za-z_][\w.]{0,80}")


def cause_of(exception: str | None) -> str | None:
    """Return what an exception means, by its type alone: its message may hold anything.

    None where there is no exception.
    """
    if not exception:
        return None
    if not _NAME.fullmatch(exception):
        return "an exception"
    meaning = _meaning(exception)
    return f"{exception}: {meaning}" if meaning else exception


def leaves_verdict(exception: str) -> bool:
    """Return whether a reward beside an exception is one of the agent's work, as newer versions of the runner say.

    Exceptions that they do not classify leave it.
    """
    meaning = _meaning(exception)
    return meaning is None or meaning in _VERDICT_STANDS


def _meaning(exception: str) -> str | None:
    return _MEANINGS.get(exception.rpartition(".")[2])
