"""Boards: submissions scored, compared with their claims, and ranked."""
