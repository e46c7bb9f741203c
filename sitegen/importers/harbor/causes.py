"""Explain why a round has no verdict, by the exception that ended its trial."""

import re
from collections.abc import Mapping
from enum import StrEnum


class ExceptionCause(StrEnum):
    """The meaning of a runner's exception, in plain words for readers."""

    BUDGET_SPENT = "the agent used up its budget"
    TASK_REFUSED = "the agent refused the task"
    VERIFIER_FAILED = "the verifier failed"
    SANDBOX_FAILED = "the sandbox failed"
    PROVIDER_FAILED = "the model's provider failed"
    REQUEST_REFUSED = "the model's provider refused the request"
    RUN_CANCELLED = "the run was cancelled"
    RUNNER_FAILED = "the runner failed"


# One table, because each cause is a list of exceptions that Harbor raises.
_EXCEPTIONS: Mapping[ExceptionCause, tuple[str, ...]] = {
    ExceptionCause.BUDGET_SPENT: (
        "AgentTimeoutError",
        "ContextLengthExceededError",
        "ContextWindowExceededError",
        "OutputLengthExceededError",
        "OutputTokenExceededError",
    ),
    ExceptionCause.TASK_REFUSED: ("AgentSafetyRefusalError", "ContentPolicyViolationError"),
    ExceptionCause.VERIFIER_FAILED: (
        "VerifierTimeoutError",
        "RewardFileNotFoundError",
        "RewardFileEmptyError",
        "VerifierOutputParseError",
        "AddTestsDirError",
        "DownloadVerifierDirError",
    ),
    ExceptionCause.SANDBOX_FAILED: (
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
    ExceptionCause.PROVIDER_FAILED: (
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
    ExceptionCause.REQUEST_REFUSED: (
        "APIResponseValidationError",
        "BadRequestError",
        "UnprocessableEntityError",
        "UnsupportedModelParametersError",
        "UnsupportedParamsError",
    ),
    ExceptionCause.RUN_CANCELLED: ("CancelledError", "KeyboardInterrupt"),
    ExceptionCause.RUNNER_FAILED: (
        "DspyImportError",
        "MissingExtraError",
        "NotImplementedError",
        "RegradeError",
        "ServiceOperationsUnsupportedError",
        "VercelScopeError",
    ),
}
"""The exceptions for each cause. Other exceptions are shown by name."""

_CAUSES_WITH_VALID_REWARD = frozenset({ExceptionCause.BUDGET_SPENT, ExceptionCause.TASK_REFUSED})
"""Causes after which a reward still measures the agent's work."""

_NAME = re.compile(r"[A-Za-z_][\w.]{0,80}")


def describe_exception(exception: str | None) -> str | None:
    """Return the name and the meaning of an exception, as text; None if there is no exception.

    Args:
        exception: The exception's type; its message is not used, as it may contain any text.
    """
    if not exception:
        return None
    if not _NAME.fullmatch(exception):
        return "an exception"
    cause = _find_cause(exception)
    return f"{exception}: {cause}" if cause else exception


def leaves_valid_reward(exception: str) -> bool:
    """Return whether a reward counts despite an exception, as newer versions of the runner decide.

    A reward counts if the runner does not classify the exception.
    """
    cause = _find_cause(exception)
    return cause is None or cause in _CAUSES_WITH_VALID_REWARD


def _find_cause(exception: str) -> ExceptionCause | None:
    name = exception.rpartition(".")[2]
    for cause, exceptions in _EXCEPTIONS.items():
        if name in exceptions:
            return cause
    return None
