"""Scores: pure functions on arrays, and the catalogue that names them."""

import os

# Before numpy is loaded: its threads take a fifth of a second to start, which the small matrices here never win back.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
