"""Why instances have no verdict, as clauses that the records of their rounds keep."""

PATCH_FAILED = "the patch could not be applied"
"""The only cause for which the patch is to blame."""

TESTS_TIMED_OUT = "the tests took too long"
