"""The programs that simulated tasks are about."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Project:
    """A program that a task builds and changes.

    Attributes:
        slug: The task's id.
        title: What readers see.
        domain: Its value on the axis of that name.
    """

    slug: str
    title: str
    domain: str

    def lap(self, number: int) -> "Project":
        """Give the program of this name for the n-th time, from 1, where a benchmark outgrows the list."""
        return self if number == 1 else Project(f"{self.slug}-{number}", f"{self.title} {number}", self.domain)


PROJECTS = (
    Project("tidy-ledger", "Plain-text ledger", "data"),
    Project("queue-broker", "Message queue broker", "services"),
    Project("tide-tables", "Tide table calculator", "data"),
    Project("maze-keeper", "Maze generator and solver", "games"),
    Project("link-shelf", "Bookmark server", "services"),
    Project("patch-press", "Patch formatter", "tooling"),
    Project("card-index", "Card catalogue with search", "data"),
    Project("turn-table", "Turn-based card table", "games"),
    Project("log-loom", "Log file weaver", "tooling"),
    Project("seat-planner", "Seat reservation service", "services"),
    Project("unit-mill", "Unit converter", "data"),
    Project("hex-garden", "Hexagonal board game", "games"),
    Project("build-graph", "Incremental build runner", "tooling"),
    Project("rate-gate", "Rate limiter", "services"),
    Project("csv-weaver", "Table joiner", "data"),
    Project("dice-court", "Dice game referee", "games"),
    Project("doc-lantern", "Documentation checker", "tooling"),
    Project("parcel-post", "Parcel tracker", "services"),
    Project("grade-book", "Grade book", "data"),
    Project("ghost-chess", "Chess variant engine", "games"),
    Project("lint-bench", "Style checker with plug-ins", "tooling"),
    Project("key-vault", "Key-value store", "services"),
    Project("time-sheet", "Time sheet keeper", "data"),
    Project("word-ladder", "Word ladder puzzles", "games"),
    Project("diff-scope", "Structured diff viewer", "tooling"),
    Project("mail-room", "Mailing list manager", "services"),
    Project("star-chart", "Star chart plotter", "data"),
    Project("rail-yard", "Shunting puzzle", "games"),
    Project("schema-smith", "Schema migrator", "tooling"),
    Project("clock-tower", "Job scheduler", "services"),
    Project("recipe-box", "Recipe scaler", "data"),
    Project("fog-islands", "Exploration game", "games"),
    Project("test-ferry", "Test runner", "tooling"),
    Project("feed-mixer", "Feed aggregator", "services"),
    Project("river-gauge", "Sensor data archive", "data"),
    Project("arena-bots", "Robot arena", "games"),
)
"""Every program there is; a benchmark with more tasks numbers them."""
