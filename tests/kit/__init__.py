"""Helpers that several tests share; each module is named for what it builds or reads."""
