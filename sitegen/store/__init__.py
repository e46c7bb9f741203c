"""Reads `results/`: the only part that does. Finds every problem of a folder and reports them together."""
