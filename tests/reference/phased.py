"""RepCommit and RepEliminate in plain loops; actions and rounds are counted from 0.

The least levels and the designs are given: they have tests of their own.  Estimates are by `numpy.linalg`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replibandit.arrays import FloatArray
from replibandit.key import Key
from tests.reference.closeness import Closeness

Reward = Callable[[int, int], float]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """T, sigma, g and the seed; `vectors` is None for arms."""

    T: int
    sigma: float
    g: int
    seed: str
    vectors: FloatArray | None


class Play:
    """What was played, and the rewards of each action."""

    def __init__(self, at: Settings, arms: int, reward: Reward) -> None:
        self.at, self.reward, self.chosen = at, reward, list[int]()
        self.rewards: list[list[float]] = [[] for _ in range(arms)]

    def pull(self, times: dict[int, int]) -> bool:
        """Play actions in ascending order; say whether rounds are left."""
        for arm in sorted(times):
            for _ in range(min(times[arm], self.at.T - len(self.chosen))):
                self.rewards[arm].append(self.reward(len(self.chosen), arm))
                self.chosen.append(arm)
        return len(self.chosen) < self.at.T


def level(least: float, g: int, uniforms: FloatArray) -> float:
    """Return a sqrt(1 + (s^2 - 1) V) (1 + (sqrt(g) - 1) U)."""
    u, v = (float(x) for x in uniforms)
    s = min(1.5, math.sqrt(g))
    return least * math.sqrt(1 + (s * s - 1) * v) * (1 + (math.sqrt(g) - 1) * u)


def rep_commit(at: Settings, base: list[int], least: float, reward: Reward) -> tuple[list[int], float]:
    """Return the action of every round, and how close the run came to a tie or the level."""
    play, close, arms = Play(at, len(base), reward), Closeness(), len(base)
    needed = level(least, at.g, Key(at.seed).child("level").uniform(2))
    pulls, p = list(base), 0
    going = play.pull(dict(enumerate(pulls)))
    while going:
        means, error = _least_squares(at, [list(r) for r in play.rewards])
        lead = max(range(arms), key=lambda a: (round(means[a], 9), -a))
        others = [a for a in range(arms) if error(lead, a) > 1e-12]
        # min_a (m(lead) - m(a)) / (sigma ||lead - a||) >= level
        least_lead = min((means[lead] - means[a]) / (at.sigma * error(lead, a)) for a in others)
        close.note(abs(least_lead / needed - 1))
        p += 1
        if least_lead >= needed:
            play.pull({lead: at.T})
            break
        going = play.pull({a: (at.g**p - at.g ** (p - 1)) * base[a] for a in range(arms)})
    return play.chosen, close.least


def rep_eliminate(
    at: Settings,
    design: Callable[[list[int]], list[int]],
    least: tuple[float, float],
    reward: Reward,
    arms: int,
    left: list[int],
) -> tuple[list[int], list[int], float]:
    """Return the action of every round, how many were left in each phase, and how close the run came to a level.

    `left` are the actions without their copies.
    """
    play, close = Play(at, arms, reward), Closeness()
    needed = level(least[0], at.g, Key(at.seed).child("level").uniform(2))
    draws = Key(at.seed).child("level", "action").uniform(2 * arms).reshape(arms, 2)
    own = [level(least[1], at.g, draws[a]) for a in range(arms)]
    p, sizes = 0, list[int]()
    while True:
        sizes.append(len(left))
        if len(left) == 1:
            play.pull({left[0]: at.T})
            return play.chosen, sizes, close.least
        if at.vectors is None:
            times = {a: 2 * at.g**p - len(play.rewards[a]) for a in left}
        else:
            times = dict(zip(left, (n * at.g**p for n in design(left)), strict=True))
        before = [len(rewards) if at.vectors is not None else 0 for rewards in play.rewards]
        if not play.pull(times):
            return play.chosen, sizes, close.least
        seen = [rewards[before[a] :] if a in left else [] for a, rewards in enumerate(play.rewards)]
        means, _ = _least_squares(at, seen)
        lead = max(left, key=lambda a: (round(means[a], 9), -a))
        behind = {a: (means[lead] - means[a]) / (at.sigma * at.g ** (-p / 2)) for a in left if a != lead}
        p += 1
        for a, distance in behind.items():
            close.note(min(abs(distance / own[a] - 1), abs(min(behind.values()) / needed - 1)))
        clear = min(behind.values()) >= needed
        left = [a for a in left if a == lead or not (clear or behind[a] >= own[a])]


def _least_squares(at: Settings, rewards: list[list[float]]) -> tuple[list[float], Callable[[int, int], float]]:
    """Return the estimated mean of every action, and ||a - b|| in the norm of V^-1."""
    if at.vectors is None:
        means = [sum(r) / len(r) if r else 0.0 for r in rewards]
        return means, lambda a, b: math.sqrt(1 / len(rewards[a]) + 1 / len(rewards[b])) if a != b else 0.0
    counts = np.array([len(r) for r in rewards], dtype=float)
    V = (at.vectors.T * counts) @ at.vectors
    inverse = np.linalg.pinv(V, rcond=1e-9)
    theta = inverse @ (at.vectors.T @ np.array([sum(r) for r in rewards]))
    vectors = at.vectors

    def error(a: int, b: int) -> float:
        step = vectors[a] - vectors[b]
        return math.sqrt(max(0.0, float(step @ inverse @ step)))

    return list(vectors @ theta), error
