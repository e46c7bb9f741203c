"""What can be wrong: problems of the data, and the errors that carry them."""

from sitegen.problems.failures import BuilderError, LinkError, ProblemsError, SitegenError, UsageError
from sitegen.problems.problem import Problem, Rule, Severity, errors_of
from sitegen.problems.wording import counted, visible

__all__ = [
    "BuilderError",
    "LinkError",
    "Problem",
    "ProblemsError",
    "Rule",
    "Severity",
    "SitegenError",
    "UsageError",
    "counted",
    "errors_of",
    "visible",
]
