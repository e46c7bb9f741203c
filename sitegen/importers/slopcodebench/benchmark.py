"""What SlopCodeBench publishes about itself, for results of it in any format."""

from sitegen.importers.kit.options import BenchmarkFacts

FACTS = BenchmarkFacts(title="SlopCodeBench")
