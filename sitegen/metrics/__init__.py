"""Scores: pure functions on arrays, and the catalogue that names them."""
