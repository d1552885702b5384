"""Where the rounds went: the share of each arm up to round t."""

from collections.abc import Sequence

import numpy as np

from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.plots.axes import canvas, log_rounds
from replibandit.plots.doors import many_runs
from replibandit.plots.names import Named, write_names
from replibandit.plots.picture import Picture, picture
from replibandit.plots.series import rounds_to
from replibandit.plots.style import colour, line, style
from replibandit.runs import Run

_MOST = 6  # arms with a line of their own, unless more are asked for


@style()
def allocation(runs: Run | Sequence[Run], *, arms: Sequence[int] | None = None) -> Picture:
    """Draw the share of the first t rounds that each arm was given, averaged over the runs.

    `arms` are the arms to show; by default those with the most rounds.  The rest is one line.  Data: `rounds`, `arm i`
    for each arm that is shown, and `other arms`.
    """
    played = many_runs("runs", runs)
    used = np.unique(np.concatenate([run.arms for run in played]))
    if used[0] < 0:
        raise InvalidInput("the actions are points of a ball; only the rounds of numbered arms can be counted.")
    rounds = rounds_to(played[0].horizon)
    shown = _most_played(played, used) if arms is None else _asked_for(arms)
    shares = {f"arm {arm}": np.mean([_share(run, [arm], rounds) for run in played], axis=0) for arm in shown}
    if rest := sorted(set(used.tolist()) - set(shown)):
        shares["other arms"] = np.mean([_share(run, rest, rounds) for run in played], axis=0)
    mean = f", mean of {len(played)} runs" if len(played) > 1 else ""
    figure, axes = canvas(f"Share of the rounds given to each arm{mean}", x="round t", y="share of the first t rounds")
    log_rounds(axes, played[0].horizon)
    axes.set_ylim(0.0, 1.03)
    lines = []
    for i, (name, share) in enumerate(shares.items()):
        (drawn,) = axes.plot(rounds, share, color=colour(i), linestyle=line(i))
        lines.append(Named(name=name, artist=drawn, colour=colour(i), end=(float(rounds[-1]), float(share[-1]))))
    write_names(figure, axes, lines)
    return picture({"rounds": rounds, **shares}, figure)


def _most_played(runs: Sequence[Run], used: IntArray) -> list[int]:
    """Return the arms with the most rounds, by number; all of them if they are few."""
    total = np.sum([np.bincount(run.arms, weights=run.times, minlength=int(used[-1]) + 1) for run in runs], axis=0)
    # the first of those that tie; one more than the most, rather than a rest of one arm
    order = used[np.argsort(-total[used], kind="stable")].tolist()
    return sorted(order if len(order) <= _MOST + 1 else order[:_MOST])


def _asked_for(arms: Sequence[int]) -> list[int]:
    if not isinstance(arms, Sequence) or not arms:
        raise InvalidInput(f"arms is {arms!r:.60}; give a list of arms, such as [0, 2].")
    if bad := [arm for arm in arms if isinstance(arm, bool) or not isinstance(arm, int | np.integer) or arm < 0]:
        raise InvalidInput(f"arms has {bad[0]!r}; arms are numbered 0, 1, ...")
    return list(dict.fromkeys(map(int, arms)))


def _share(run: Run, arms: Sequence[int], rounds: FloatArray) -> FloatArray:
    """Return which share of the first t rounds some arms were given, for each t of `rounds`."""
    ends = np.concatenate([[0], np.cumsum(run.times)]).astype(np.float64)
    given = np.concatenate([[0], np.cumsum(run.times * np.isin(run.arms, arms))]).astype(np.float64)
    # within a decision the rounds of an arm grow by one a round, or not at all
    return np.asarray(np.interp(rounds, ends, given) / rounds)
