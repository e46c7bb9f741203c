"""The rules about who is who, and which of a team's submissions stands."""

from sitegen.problems import Rule

ALIAS_CHAINED = Rule(
    "ALIAS-CHAINED",
    "error",
    "An alias leads to an agent's one name, and not to another alias.",
    "let every spelling name the agent itself",
)
NAMES_ALIKE = Rule(
    "AGENT-NAMES-ALIKE",
    "warning",
    "Names of two agents differ in more than case, blanks and punctuation.",
    "where they are one agent, name the other spelling under `[aliases]` in benchmark.toml",
)
AGENT_CONTRADICTED = Rule(
    "AGENT-CONTRADICTED",
    "error",
    "An agent's name stands for one model of one organization.",
    "correct the manifest, or give the other agent a name of its own",
)
AGENT_TWICE = Rule(
    "AGENT-TWICE",
    "warning",
    "An agent is published once on a track.",
    "let the older submission say that it is superseded, and by which",
)
STATUS_INCOMPLETE = Rule(
    "STATUS-INCOMPLETE",
    "error",
    "A superseded submission says by which; a withdrawn one says why and when.",
    "add the key to `[status]`",
)
STATUS_CONTRADICTED = Rule(
    "STATUS-CONTRADICTED",
    "error",
    "Only a submission that no longer stands says why and by which.",
    'set `state` to "superseded" or "withdrawn", or remove the key',
)
STATUS_EARLY = Rule(
    "STATUS-DATE-EARLY",
    "error",
    "A submission's status changes on or after the day of its results.",
    "correct `status.date` or `date`",
)
REPLACEMENT_WRONG = Rule(
    "STATUS-REPLACEMENT-WRONG",
    "error",
    "A superseded submission names another that is here, on its track or on the one that supersedes it.",
    "name the folder of the submission that replaces this one",
)
