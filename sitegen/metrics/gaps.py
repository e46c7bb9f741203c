"""Why a score can be missing."""

from sitegen.errors import SitegenError


class MetricError(SitegenError):
    """A score can't be computed from what was measured: a gap, not a zero."""
