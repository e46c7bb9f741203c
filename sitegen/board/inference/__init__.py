"""Inference: how a board could differ with another sample of tasks, or with other runs.

`board_inference.BoardInference` has the intervals of scores and the tests behind rank sets; each
board makes one as `board.inference`: read it first. `comparison` compares pairs of rows,
`robustness` finds the tasks that an order depends on and the gaps it can detect,
`second_run_scores` has the scores of agents that ran twice, and `rerun_odds` how often an honest
rerun would be called reproduced. All modules take a board and return plain values; the statistics
themselves are in `sitegen.metrics`.
"""
