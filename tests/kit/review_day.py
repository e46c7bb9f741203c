"""The day on which tests judge results: waivers hold up to some day."""

from datetime import date

TODAY = date(2026, 6, 30)
