"""Inference: what another sample of tasks, or another run, could change about a board.

`board_inference.BoardInference` has the intervals of scores and the tests behind rank sets; a board
makes one, as `board.inference`: read it first. `comparison` compares rows two by two, `robustness`
says which tasks an order depends on and what it can detect, `second_run_scores` has the scores of
agents that ran twice, and `rerun_odds` how often an honest rerun would be called reproduced. All
take a board and return plain values; the statistics themselves are in `sitegen.metrics`.
"""
