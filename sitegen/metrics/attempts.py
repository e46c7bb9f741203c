"""Pass rates of rounds after a pass or a failure, and over repeated attempts at a task."""

from collections.abc import Sequence

import numpy as np
import scipy  # loads its submodules on first use

from sitegen.metrics.arrays import TaskRewards


def count_passes_after(rewards: TaskRewards, *, passed: bool) -> tuple[int, int]:
    """Return how many rounds right after a pass (or a failure) passed, and how many there are."""
    earlier = rewards[:, :-1]
    later = rewards[:, 1:]
    is_counted = earlier if passed else ~earlier
    passes_after = is_counted & later
    return int(passes_after.sum()), int(is_counted.sum())


def count_breakdowns(rewards: TaskRewards, index: int) -> tuple[int, int]:
    """Return how many attempts first fail in a round, and how many pass every earlier round.

    Both numbers are 0 if the task has no round at this index, which counts from 0.
    """
    if index >= rewards.shape[1]:
        return 0, 0
    is_intact = rewards[:, :index].all(axis=1)
    fails_here = is_intact & ~rewards[:, index]
    return int(fails_here.sum()), int(is_intact.sum())


def pass_at_and_hat_k(task_rewards: Sequence[TaskRewards], k: int) -> tuple[float, float]:
    """Return pass@k and pass^k of rounds: the chances that any, and that all, of k attempts pass.

    Every task has the same weight and at least k attempts. The chances are over all ways to choose
    k of these attempts.

    Source:
        M. Chen et al., Evaluating Large Language Models Trained on Code, arXiv:2107.03374, section
        2.1, for pass@k; S. Yao et al., tau-bench, arXiv:2406.12045, section 3, for pass^k.
    """
    pass_at_k = []
    pass_hat_k = []
    for rewards in task_rewards:
        n = len(rewards)
        passes = rewards.sum(axis=0)
        ways = scipy.special.comb(n, k)
        failing_ways = scipy.special.comb(n - passes, k)
        passing_ways = scipy.special.comb(passes, k)
        pass_at_k.append(float((1 - failing_ways / ways).mean()))
        pass_hat_k.append(float((passing_ways / ways).mean()))
    return float(np.mean(pass_at_k)), float(np.mean(pass_hat_k))
