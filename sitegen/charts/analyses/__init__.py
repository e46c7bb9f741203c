"""Analyses: what the data of a board shows beyond its scores."""
