"""The day on which tests evaluate results; it is fixed because waivers expire."""

from datetime import date

TODAY = date(2026, 6, 30)
