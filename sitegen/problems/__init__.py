"""What can be wrong: problems of the data, the rules that they break, and the errors that carry them."""

from sitegen.problems.failures import BuilderError, LinkError, ProblemsError, SitegenError, UsageError
from sitegen.problems.mends import Mend
from sitegen.problems.problem import Problem, Rule, Severity, errors_of
from sitegen.problems.repeats import limited, repeated
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
