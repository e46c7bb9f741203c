"""Tasks that an import leaves out of its task set, because it was told to."""

from collections.abc import Sequence

from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft


def omission_notes(missing: Sequence[str], defined: int, why: str, drafts: Sequence[Draft]) -> tuple[Finding, ...]:
    """Record which tasks a task set lacks, so that it is not silent.

    Args:
        missing: Their ids; where there are none, there is nothing to record.
        defined: Tasks in all.
        why: What the source tells of them, up to their names.
        drafts: The bundles that are scored without them, at least one.
    """
    if not missing:
        return ()
    note = Finding(
        date=max(draft.submission.date for draft in drafts),
        kind="note",
        title=f"{len(missing)} of {defined} tasks left out",
        reason=f"{why}: {', '.join(missing)}.",
        tracks=tuple(dict.fromkeys(draft.submission.track for draft in drafts)),
    )
    return (note,)
