"""What the commands do: the one place where the stages meet."""

from sitegen.pipeline.bringing import bring_in
from sitegen.pipeline.building import Built, Order, Watch, build
from sitegen.pipeline.judging import Judged, explain, judge
from sitegen.pipeline.schemas import write_schemas

__all__ = ["Built", "Judged", "Order", "Watch", "bring_in", "build", "explain", "judge", "write_schemas"]
