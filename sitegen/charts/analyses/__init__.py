"""Analyses: what the data of a board shows beyond its scores.

An analysis takes a board and the names that its page uses, and returns a chart, several charts, or
None if the board lacks the data. `catalogue` lists all of them; read `catalogue.analyses` first,
then `rounds.heat_chart` as an example.
"""
