"""One checkpoint of a run: what its row and its own files tell, made into one record."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sitegen.importers.slopcodebench.evaluation import Evaluation, Tally, tally_of
from sitegen.importers.slopcodebench.files import Inference, Tokens
from sitegen.importers.slopcodebench.rows import Row
from sitegen.models.outcome import RoundResult, State

NOT_CHECKED = "the agent's work was not checked"
AGENT_FAILED = "the agent's run ended in an error"
NO_TESTS = "no test ran"
LOST = "unknown: the source has no result here, though it has one for a later checkpoint"


@dataclass(frozen=True, slots=True)
class Effort:
    """What a checkpoint took."""

    started: str | None = None
    ended: str | None = None
    seconds: float | None = None
    cost: float | None = None
    steps: int = 0
    tokens: Tokens = field(default_factory=Tokens)

    @property
    def cost_usd(self) -> float | None:
        """The cost; None where a cost of 0 without a token says that nobody counted."""
        return self.cost if self.cost or self.tokens.are_counted else None

    @property
    def input_tokens(self) -> int | None:
        """Tokens that the model read; None where nobody counted."""
        return self.tokens.input if self.tokens.are_counted else None

    @property
    def output_tokens(self) -> int | None:
        """Tokens that the model wrote; None where nobody counted."""
        return self.tokens.output if self.tokens.are_counted else None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What is told of one checkpoint. Without a row and without a folder it was never reached."""

    problem: str
    number: int
    row: Row | None = None
    evaluation: Evaluation | None = None
    inference: Inference | None = None
    has_folder: bool = False

    @property
    def counted(self) -> Tally | None:
        """The tests as the row counts them; None where it counts none."""
        row = self.row
        if row is None or row.passed_tests is None or row.total_tests is None:
            return None
        return Tally(row.passed_tests, row.total_tests, row.by_category)

    @property
    def listed(self) -> Tally | None:
        """The tests as `evaluation.json` lists them; None where there is no such file."""
        return tally_of(self.evaluation, self.number) if self.evaluation else None

    @property
    def effort(self) -> Effort:
        """What it took, by the row where that tells it, else by the agent's own record."""
        row, own = self.row, self.inference
        if row and (row.started or row.cost is not None or row.tokens.are_counted):
            return Effort(row.started, row.ended, row.agent_seconds, row.cost, row.steps, row.tokens)
        if own:
            used = own.usage
            return Effort(own.started, own.completed, own.elapsed, used.cost, used.steps, used.net_tokens)
        return Effort()

    @property
    def is_produced(self) -> bool:
        """Whether the agent got to it. Earlier runners wrote a row of nothing for one it never got to."""
        if self.has_folder or self.row is None:
            return self.has_folder
        if self.row.state == "skipped":
            return bool(self.row.total_tests) or self.effort.seconds is not None
        return self.row.state in {"ran", "error"} or self.row.rate is not None or self.effort != Effort()

    @property
    def has_failed(self) -> bool:
        """Whether the agent's run ended in an error."""
        return (self.row is not None and self.row.state == "error") or bool(self.inference and self.inference.had_error)

    @property
    def is_runners_fault(self) -> bool:
        """Whether the test runner itself failed."""
        return self.evaluation is not None and self.evaluation.infrastructure_failure

    def result(self, tally: Tally | None, measures: Mapping[str, float]) -> RoundResult:
        """Make the record.

        Args:
            tally: Its tests.
            measures: Measurements of the code.
        """
        if not self.is_produced:
            return self._record("unreached")
        effort = self.effort
        return replace(
            self._verdict(tally),
            turns=effort.steps or None,
            input_tokens=effort.input_tokens,
            output_tokens=effort.output_tokens,
            cost_usd=effort.cost_usd,
            agent_seconds=effort.seconds,
            verifier_seconds=self._verifier_seconds,
            measures=dict(measures) or None,
        )

    def _verdict(self, tally: Tally | None) -> RoundResult:
        if tally is None:
            return self._unchecked()
        if not tally.total:
            return self._record("no_cases", "; ".join((*self._mishaps(), NO_TESTS)))
        return RoundResult(
            self.problem,
            1,
            self.number,
            "scored",
            float(tally.passed == tally.total),  # a skipped test has not passed
            passed=tally.passed,
            total=tally.total,
            skipped=tally.skipped or None,
            outcomes=tally.outcomes,
            by_category=dict(tally.by_category) or None,
            cause="; ".join(self._mishaps()) or None,
        )

    def _unchecked(self) -> RoundResult:
        """Make the record of a checkpoint whose tests nobody counted: at most their share is told."""
        if self.row and self.row.rate is not None:
            cause = "; ".join(self._mishaps()) or None
            return RoundResult(self.problem, 1, self.number, "scored", float(self.row.rate == 1), cause=cause)
        return self._record(
            "aborted", f"{AGENT_FAILED}, and its work was not checked" if self.has_failed else NOT_CHECKED
        )

    def _record(self, state: State, cause: str | None = None) -> RoundResult:
        """Make a record without a verdict on tests."""
        return RoundResult(self.problem, 1, self.number, state, 0, passed=0, total=0, cause=cause)

    def _mishaps(self) -> Iterator[str]:
        """Say what went wrong beside the work itself."""
        if self.has_failed:
            yield AGENT_FAILED
        if self.evaluation and self.is_runners_fault:
            code = self.evaluation.pytest_exit_code
            yield f"the test runner itself failed{'' if code is None else f' (exit code {code})'}"

    @property
    def _verifier_seconds(self) -> float | None:
        if self.evaluation and self.evaluation.duration is not None:
            return self.evaluation.duration
        return self.row.verifier_seconds if self.row else None
