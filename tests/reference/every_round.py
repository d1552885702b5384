"""UCB1, LinUCB and Thompson sampling, transcribed into plain floats; arms and rounds are counted from 0."""

import math
import statistics

import numpy as np

from replibandit.arrays import FloatArray
from replibandit.key import Key
from replibandit.policies.lin_ucb import LinUCB

CLEAR = 1e-8  # a lead that the rounding of actions and of sums cannot undo


def clear_choice(scores: list[float]) -> int:
    second, first = sorted(scores)[-2:]
    assert first - second > CLEAR * abs(first)
    return scores.index(first)


def plain_ucb1(rewards: FloatArray, noise: float) -> list[int]:
    chosen: list[int] = []
    told: list[list[float]] = [[] for _ in range(rewards.shape[1])]
    for t in range(len(rewards)):
        if t < len(told):
            arm = t
        else:
            scores = [sum(r) / len(r) + noise * math.sqrt(8 * math.log(t) / len(r)) for r in told]
            arm = scores.index(max(scores))  # equal arms have equal floats, and the lowest index wins
        told[arm].append(float(rewards[t, arm]))
        chosen.append(arm)
    return chosen


def plain_lin_ucb(sets: FloatArray, rewards: FloatArray, spec: LinUCB) -> list[int]:
    d = sets.shape[2]
    V, b = spec.penalty * np.eye(d), np.zeros(d)
    chosen: list[int] = []
    for t, actions in enumerate(sets):
        ratio = np.linalg.slogdet(V)[1] - d * math.log(spec.penalty)
        beta = spec.noise * math.sqrt(ratio + 2 * math.log(1 / spec.delta)) + math.sqrt(spec.penalty) * spec.norm_bound
        theta = np.linalg.solve(V, b)
        arm = clear_choice([float(a @ theta + beta * math.sqrt(a @ np.linalg.solve(V, a))) for a in actions])
        V, b = V + np.outer(actions[arm], actions[arm]), b + actions[arm] * rewards[t, arm]
        chosen.append(arm)
    return chosen


def quantile(u: float) -> float:
    """Return the normal quantile, where the one at u >= 1/2 is minus that at u - 1/2."""
    inverse = statistics.NormalDist().inv_cdf
    return -inverse(u - 0.5 + 2.0**-54) if u >= 0.5 else inverse(u + 2.0**-54)


def plain_gaussian(rewards: FloatArray, noise: float, seed: str) -> list[int]:
    arms, key = rewards.shape[1], Key(seed)
    told: list[list[float]] = [[] for _ in range(arms)]
    chosen: list[int] = []
    for t in range(len(rewards)):
        uniforms = key.child("rounds", t // 128).uniform(128 * arms).reshape(128, arms)[t % 128].tolist()
        arm = t
        if t >= arms:
            draws = zip(told, uniforms, strict=True)
            arm = clear_choice([sum(r) / len(r) + noise * quantile(u) / math.sqrt(len(r)) for r, u in draws])
        told[arm].append(float(rewards[t, arm]))
        chosen.append(arm)
    return chosen


def plain_beta(rewards: FloatArray, seed: str) -> tuple[list[int], int]:
    """Return the arm of every round, and how many tries were rejected; the draws are found by their public names."""
    arms, key = rewards.shape[1], Key(seed)
    successes, failures, chosen, rejected = [0] * arms, [0] * arms, [], 0

    def gamma(shape: int, u: float) -> tuple[float, float]:
        """Return the variate and its log-acceptance."""
        z = quantile(u)
        d = shape - 1 / 3
        v = (1 + z / math.sqrt(9 * d)) ** 3
        return d * v, (z * z / 2 + d - d * v + d * math.log(v)) if v > 0 else -math.inf

    for t in range(len(rewards)):
        page = key.child("rounds", t // 128).uniform(128 * 3 * arms).reshape(128, 3, arms)[t % 128]
        samples = []
        for a in range(arms):
            draws, tries = page[:, a], 0
            while True:
                (g, p), (h, q) = gamma(1 + successes[a], draws[0]), gamma(1 + failures[a], draws[1])
                if math.log(max(draws[2], 2.0**-54)) < p + q:
                    break
                tries += 1
                draws = key.child("round", t, "arm", a).uniform(3 * tries)[-3:]
            rejected += tries
            samples.append(g / (g + h))
        arm = clear_choice(samples)
        success = key.child("round", t, "trial").uniform(1)[0] < rewards[t, arm]
        successes[arm] += success
        failures[arm] += not success
        chosen.append(arm)
    return chosen, rejected
