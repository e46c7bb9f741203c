"""Make rules of errors that maintainers can't waive, one function for each reason."""

from functools import partial

from sitegen.problems import Rule, reasons

definition_error = partial(Rule.error, unwaivable=reasons.OWN)
"""Makes the rule of an error in what the maintainers wrote, such as a benchmark's definition."""

history_error = partial(Rule.error, unwaivable=reasons.KEPT)
"""Makes the rule of an error in what became of published results."""

address_error = partial(Rule.error, unwaivable=reasons.ADDRESSES)
"""Makes the rule of an error that takes an address from a page."""

tidiness_error = partial(Rule.error, unwaivable=reasons.TIDY)
"""Makes the rule of an error that `sitegen validate --fix` mends without a loss."""
