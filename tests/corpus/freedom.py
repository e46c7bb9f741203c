"""Fields that nothing else in a results folder can contradict, each with the reason why that does no harm.

A field is named by the kind of its file and the way to it. What changes in such a field without a problem changes
no score, no place and no evidence: that is tested for each.
"""

from collections.abc import Mapping

HARMLESS: Mapping[str, str] = {
    "benchmark.toml title": "a text, shown as it stands",
    "benchmark.toml summary": "a text, shown as it stands",
    "benchmark.toml homepage": "a link, shown as it stands",
    "benchmark.toml paper": "a link, shown as it stands",
    "benchmark.toml license": "a text, shown as it stands",
    "benchmark.toml issues": "a link, shown as it stands",
    "benchmark.toml round_name": "the word for a round on pages",
    "benchmark.toml ordered": "whether pages draw rounds as a sequence",
    "benchmark.toml axes*": "names of groups; labels beyond them are told of",
    "benchmark.toml tracks.*": "of a track without bundles; of another, see below",
    "rounds.jsonl (lines)": "records are found by what they are about, in any order",
    "rounds.jsonl passed": "counts of a failed round, where neither cases nor a metric tell of them",
    "rounds.jsonl total": "counts of a failed round, where neither cases nor a metric tell of them",
    "rounds.jsonl skipped": "counts of a failed round, where neither cases nor a metric tell of them",
    "rounds.jsonl outcomes": "taken away, it lowers the evidence, which is shown; else it is held against the counts",
    "rounds.jsonl state": "aborted and unreached earn the same: nothing",
    "rounds.jsonl start": "absent, it is `own`",
    "rounds.jsonl reward": "a part of the reward counts as little as nothing",
    "rounds.jsonl cause": "a text, shown as it stands",
    "rounds.jsonl case_ids*": "names of cases, shown as they stand",
    "rounds.jsonl by_category*": "categories that no metric uses, or of a round that stands for another as well",
    "rounds.jsonl measures*": "a measurement, where no claim holds it",
    "rounds.jsonl input_tokens": "an effort that no metric uses",
    "rounds.jsonl verifier_seconds": "an effort that no metric uses",
    "rounds.jsonl interactions": "an effort that is known of the run as well, or that no metric of the track uses",
    "rounds.jsonl turns": "an effort that is known of the run as well",
    "rounds.jsonl output_tokens": "an effort that is known of the run as well",
    "rounds.jsonl cost_usd": "an effort that no metric of the track uses",
    "rounds.jsonl agent_seconds": "an effort that no metric of the track uses",
    "runs.jsonl*": "figures of a run count only where its rounds have none, and where a metric of the track uses them",
    "failures.jsonl*": "texts of failed cases, shown as they stand; how many there are is held against the counts",
    "submission.toml date": "the day, shown as it stands",
    "submission.toml agent*": "who made it, shown as it stands",
    "submission.toml status": "absent, it is `published`",
    "submission.toml status.state": "absent, it is `published`",
    "submission.toml provenance*": "how it was made, shown as it stands; what can be wrong about it is told of",
    "submission.toml detail*": "how much of the cases is there, as its submitter says; evidence is computed",
    "submission.toml claims*": "nobody has to claim a score",
    "submission.toml submitter*": "who sent it in, shown as it stands",
    "tasks (lines)": "the order in which tasks are shown",
    "tasks title": "a text, shown as it stands",
    "tasks url": "a link, shown as it stands",
    "tasks digest": "a checksum; where a bundle states its own, it is told of",
    "tasks labels*": "which group a task is shown in",
    "tasks rounds.*.title": "a text, shown as it stands",
    "tasks rounds.*.labels*": "words beside a round, shown as they stand",
    "tasks rounds.*.weight": "alone in its task, or of a track without completion scores",
    "tasks rounds.*.cases*": "names of cases, shown as they stand; how many there are is held against the outcomes",
    "findings.toml*": "a note; what has an effect on scores contradicts claims",
    "reported title": "a text, shown as it stands",
    "reported source": "a text, shown as it stands",
    "reported date": "the day, shown as it stands",
    "reported note": "a text, shown as it stands",
    "reported errata*": "a text about figures, shown beside them",
    "reported rows*": "a printed line, shown as it stands; figures of an agent with results are held against these",
}
"""Fields that can change without a word."""

CHOICES: Mapping[str, str] = {
    "benchmark.toml aliases*": "who is who, as the maintainer says",
    "benchmark.toml tracks.*.columns*": "which metrics are shown, as the maintainer says",
    "benchmark.toml tracks.*.headline": "which metric ranks, as the maintainer says",
    "benchmark.toml tracks.*.protocol": "how rounds follow each other, as the maintainer says",
    "reported rows.*.name": "who is who, as the source prints it",
    "reported rows.*.values*": "a figure of an agent without results here: it is shown as printed, and called so",
    "submission.toml agent.name": "who made it: no record says so",
    "submission.toml status.state": "whether a submission stands, as its submitter says",
}
"""Fields that say themselves who is shown, or what is scored: no other field could contradict them."""
