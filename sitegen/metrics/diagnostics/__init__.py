"""Diagnostics: what lies behind the scores, counted over rounds, attempts and tasks."""
