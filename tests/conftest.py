"""Settings of the whole suite: hypothesis counts examples, never milliseconds, and draws the same ones in every run."""

from hypothesis import settings

settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")
