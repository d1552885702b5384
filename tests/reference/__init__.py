"""Slow and plain counterparts of the engine: the paper's algorithms transcribed, and the ways through a run."""
