"""Explain why a round has no verdict, by the exception that ended its trial."""

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
"""The exceptions behind each cause, in words that readers know. Others are shown by their name."""

_CAUSE_BY_EXCEPTION: dict[str, str] = {}
for _cause, _exceptions in _CAUSES.items():
    _CAUSE_BY_EXCEPTION |= dict.fromkeys(_exceptions, _cause)

_CAUSES_WITH_VERDICT = frozenset({"the agent used up its budget", "the agent refused the task"})
"""Causes after which a reward still measures the agent's work."""

_NAME = re.compile(r"[A-Za-z_][\w.]{0,80}")


def describe_exception(exception: str | None) -> str | None:
    """Return what an exception means; None where there is none.

    Only the exception's type is used: its message may hold anything.
    """
    if not exception:
        return None
    if not _NAME.fullmatch(exception):
        return "an exception"
    cause = _find_cause(exception)
    return f"{exception}: {cause}" if cause else exception


def leaves_verdict(exception: str) -> bool:
    """Return whether a reward beside an exception counts, as newer versions of the runner say.

    It counts beside exceptions that the runner does not classify.
    """
    cause = _find_cause(exception)
    return cause is None or cause in _CAUSES_WITH_VERDICT


def _find_cause(exception: str) -> str | None:
    return _CAUSE_BY_EXCEPTION.get(exception.rpartition(".")[2])
