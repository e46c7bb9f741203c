"""The rules for simulations of tau2-bench. Codes are stable."""

from sitegen.importers.kit import rules as kit_rules

ENDED_EARLY = kit_rules.RUN_FAILED.specific(
    "nothing needs to be done: tau2-bench itself gives such a simulation the reward 0",
    "These simulations ended early, and tau2-bench gave them the reward 0: {}.",
    order="TAU2-ENDED-EARLY",
)
USERS_DIFFER = kit_rules.CONDITIONS_DIFFER.specific(
    "compare only agents that were run with the same user simulator",
    "Agents were run with different user simulators, which changes scores: {}.",
    order="TAU2-USERS-DIFFER",
)
CHECKS_DIFFER = kit_rules.REWARD_CONTRADICTED.specific(
    "grade the file again with `tau2 evaluate-trajs`; until then the reward counts",
    "The reward of these simulations does not follow from their checks, which are left out: {}.",
    order="TAU2-CHECKS-DIFFER",
)
SIMULATION_TWICE = kit_rules.RESULT_TWICE.specific(
    "keep the file whose rewards count, and leave out the other one",
)
