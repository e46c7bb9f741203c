"""The rules about simulations of tau2-bench. Codes are stable."""

from sitegen.problems import Rule

ENDED_EARLY = Rule.note(
    "TAU2-ENDED-EARLY",
    "A simulation ends because the agent or the user ends it.",
    "nothing needs to be done: tau2-bench itself gives such a simulation the reward 0",
    "These simulations ended early, and tau2-bench gave them the reward 0: {}.",
)
USERS_DIFFER = Rule.warning(
    "TAU2-USERS-DIFFER",
    "All simulations of a domain have the same simulated user.",
    "compare agents only where the user simulator is the same",
    "Agents were tried with different user simulators, which changes scores: {}.",
)
CHECKS_DIFFER = Rule.warning(
    "TAU2-CHECKS-DIFFER",
    "The reward of a simulation follows from its checks.",
    "grade the file again with `tau2 evaluate-trajs`; until then the reward counts",
    "The reward of these simulations does not follow from their checks, which are left out: {}.",
)
SIMULATION_TWICE = Rule.error(
    "TAU2-SIMULATION-TWICE",
    "A simulation has one reward.",
    "keep the file whose rewards count, and leave out the other one",
)
