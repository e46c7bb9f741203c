"""The day on which tests evaluate results, fixed because waivers expire."""

from datetime import date

TODAY = date(2026, 6, 30)
