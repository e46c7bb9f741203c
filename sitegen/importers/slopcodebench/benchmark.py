"""Facts that SlopCodeBench publishes about itself, for its results in any format."""

from sitegen.importers.kit.options import BenchmarkFacts

FACTS = BenchmarkFacts(title="SlopCodeBench")
