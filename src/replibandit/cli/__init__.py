"""The command line.  The only package that knows typer and rich."""

from replibandit.cli.main import app, main

__all__ = ["app", "main"]
