"""A progress bar on a terminal, and silence elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]  # how much is done, of how much


@contextmanager
def bar(task: str) -> Iterator[Progress]:
    """Yield a function that draws how far `task` is on standard error, if that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():  # None: closed before the program began
        yield silent
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        row = bars.add_task(task, total=None)
        yield lambda done, total: bars.update(row, completed=done, total=total)


def silent(done: int, total: int) -> None:
    """Show nothing."""
