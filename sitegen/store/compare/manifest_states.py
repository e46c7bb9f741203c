"""Allowed changes in the manifest of a published submission.

Manifests are read as written (`raw_documents`). Keys outside `fixed_keys` may change: maintainers
and submitters change `[status]`, and maintainers change the keys of `MAINTAINED`.
"""

from sitegen.models.submission import MAINTAINED
from sitegen.store.files.raw_documents import RawTable, get_table

_STATUS_RANKS = {"published": 0, "superseded": 1, "withdrawn": 2}
"""The states of a submission, in the order in which they may change; a state never goes back."""


def fixed_keys(manifest: RawTable) -> dict[str, object]:
    """Return the keys of a manifest that must not change once it is published."""
    fixed = dict(manifest)
    for key in ("status", *MAINTAINED):
        fixed.pop(key, None)
    return fixed


def extends_embargo(before: RawTable, after: RawTable) -> bool:
    """Return whether a manifest adds an embargo, or extends one."""
    embargo = after.get("embargo")
    if embargo is None:
        return False
    return "embargo" not in before or str(embargo) > str(before["embargo"])


def has_allowed_changes(before: RawTable, after: RawTable) -> bool:
    """Return whether a published manifest differs only in keys and ways that are allowed."""
    if fixed_keys(before) != fixed_keys(after):
        return False
    return not extends_embargo(before, after) and not goes_back(before, after)


def status_state(manifest: RawTable) -> str:
    """Return the state of a submission; "published" if the manifest does not state it."""
    return str(get_table(manifest, "status").get("state", "published"))


def status_with_state(manifest: RawTable) -> RawTable:
    """Return the status of a submission, always with a state."""
    return {**get_table(manifest, "status"), "state": status_state(manifest)}


def goes_back(before: RawTable, after: RawTable) -> bool:
    """Return whether a submission's state goes back, for example to "published"."""
    rank_before = _STATUS_RANKS.get(status_state(before), 0)
    rank_after = _STATUS_RANKS.get(status_state(after), 0)
    return rank_after < rank_before
