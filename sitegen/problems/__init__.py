"""What can be wrong: problems of the data, the rules that they break, and the errors that carry them."""

from sitegen.problems.mends import Mend
from sitegen.problems.problem import (
    BuilderError,
    LinkError,
    Problem,
    ProblemsError,
    Rule,
    Severity,
    SitegenError,
    UsageError,
    errors_of,
    limited,
    repeated,
)
from sitegen.problems.wording import counted, listed, visible

__all__ = [
    "BuilderError",
    "LinkError",
    "Mend",
    "Problem",
    "ProblemsError",
    "Rule",
    "Severity",
    "SitegenError",
    "UsageError",
    "counted",
    "errors_of",
    "limited",
    "listed",
    "repeated",
    "visible",
]
