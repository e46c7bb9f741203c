"""Causes for which instances have no verdict, as clauses to be recorded in rounds."""

PATCH_FAILED = "the patch could not be applied"
"""The only cause for which the patch is to blame."""

TESTS_TIMED_OUT = "the tests took too long"
