"""A metric of the catalogue: the worked example of `site_src/develop/structure.md`."""

from sitegen.metrics.metric import CHAIN
from sitegen.metrics.metric_builder import build_metric
from sitegen.models.declared import Declared

LAST_ROUNDS = build_metric(
    Declared(
        id="last_rounds",
        title="Last rounds",
        unit="percent",
        of="pass",
        rounds="last",
        summary="Share of the tasks whose last round passes, averaged over attempts and then over tasks.",
        source="This site: an example.",
    ),
    protocols=CHAIN,
)
