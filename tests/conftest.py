"""What holds for every test."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")  # no test depends on how fast the machine is
