"""Trains a policy on the served environment with REINFORCE (Williams 1992), in numpy, on a CPU.

A linear softmax policy reads hashed words and the form's fields and answers queue-easy: route, urgency, difficulty and priority. It
learns from what the environment pays for split `train` alone, ticket by ticket, and is held against split `test` before and after.

    pip install ./clients/python numpy
    export TRIAGE_BINARY=$PWD/triage
    python examples/python/train_policy.py --seed 0 --episodes 2500
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
import zlib

import numpy as np
from triage_env import create_env

BUCKETS = 1 << 15
HEADS = {
    "route": ("route_category", ["billing", "technical", "feature", "feedback", "spam"]),
    "urgency": ("urgency_assessment", ["low", "medium", "high", "critical"]),
    "difficulty": ("resolution_difficulty", ["easy", "medium", "hard"]),
    "priority": ("priority_score", list(range(0, 101, 5))),
}
WORD = re.compile(r"[a-z0-9']+")


def features(ticket, urgency: str = "") -> np.ndarray:
    """The buckets of a ticket's words and word pairs; for the priority those of the form and of the urgency that was chosen."""
    form = ticket.metadata
    if urgency:
        wait = int(np.log2(form.wait_time_hours + 1))
        names = [f"wait {wait}", f"tier {form.customer_tier}", f"escalated {form.is_escalated}", f"contacts {min(form.previous_contacts, 4)}"]
        names = [urgency, *(f"{urgency} {n}" for n in names)]
    else:
        words = WORD.findall(f"{ticket.subject} {ticket.description}".lower())
        names = [f"form {form.selected_category}", *words, *(f"{a} {b}" for a, b in zip(words, words[1:]))]
    return np.unique([zlib.crc32(n.encode()) % BUCKETS for n in names])


class Policy:
    """One softmax a head over a sum of weights; AdaGrad (Duchi et al. 2011) scales each weight's step."""

    def __init__(self, seed: int, rate: float = 0.3) -> None:
        self.random = np.random.default_rng(seed)
        self.rate = rate
        self.weights = {name: np.zeros((BUCKETS, len(values))) for name, (_, values) in HEADS.items()}
        self.squares = {name: np.full((BUCKETS, len(values)), 1e-6) for name, (_, values) in HEADS.items()}
        self.paid = dict.fromkeys(HEADS, 0.5)  # the running mean of what a head was paid: the baseline

    def act(self, ticket, explore: bool) -> tuple[dict, list]:
        """An action, and what `learn` needs to know of how it came about."""
        action, taken, words, urgency = {}, [], features(ticket), ""
        for name, (field, values) in HEADS.items():
            seen = features(ticket, urgency) if name == "priority" else words
            logits = self.weights[name][seen].sum(axis=0) / np.sqrt(len(seen))
            chances = np.exp(logits - logits.max())
            chances /= chances.sum()
            choice = int(self.random.choice(len(values), p=chances)) if explore else int(chances.argmax())
            action[field] = values[choice]
            if name == "urgency":
                urgency = values[choice]
            taken.append((name, seen, chances, choice))
        return action, taken

    def learn(self, taken: list, reward) -> None:
        """Moves each head towards what was paid more than usual for its part."""
        for name, seen, chances, choice in taken:
            paid = reward.breakdown.get(name, 0.0)
            advantage = paid - self.paid[name]
            self.paid[name] += 0.005 * (paid - self.paid[name])
            gradient = -chances
            gradient[choice] += 1
            gradient *= advantage / np.sqrt(len(seen))
            self.squares[name][seen] += gradient**2
            self.weights[name][seen] += self.rate * gradient / np.sqrt(self.squares[name][seen])


def play(env, policy: Policy, seed: int, learn: bool) -> float:
    """Plays one episode and gives its score."""
    observation, info = env.reset(seed=seed)
    done = False
    while not done:
        action, taken = policy.act(observation.ticket, explore=learn)
        observation, reward, terminated, truncated, info = env.step(action)
        done = terminated or truncated
        if learn:
            policy.learn(taken, reward)
    return info["score"]


def evaluate(policy: Policy, episodes: int, difficulty: str) -> float:
    """The mean score of the most likely actions on split test, seeds from 42."""
    with create_env(track="queue", difficulty=difficulty, split="test") as env:
        return float(np.mean([play(env, policy, 42 + i, learn=False) for i in range(episodes)]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--episodes", type=int, default=2500, help="episodes to learn from")
    parser.add_argument("--test-episodes", type=int, default=50)
    parser.add_argument("--difficulty", default="easy", choices=["easy", "medium", "hard"])
    parser.add_argument("--at-least", type=float, default=0.0, help="exit with 1 if the score rises by less")
    args = parser.parse_args()
    policy = Policy(args.seed)
    before, start = evaluate(policy, args.test_episodes, args.difficulty), time.perf_counter()
    recent: list[float] = []
    with create_env(track="queue", difficulty=args.difficulty, split="train") as env:
        for episode in range(args.episodes):
            # Seeds that no test and no example uses: each training seed has its own million.
            recent.append(play(env, policy, 1_000_000 * (args.seed + 10) + episode, learn=True))
            if (episode + 1) % 250 == 0:
                print(f"{episode + 1:6d} episodes: {np.mean(recent[-250:]):.3f}", file=sys.stderr)
    seconds = time.perf_counter() - start
    after = evaluate(policy, args.test_episodes, args.difficulty)
    print(json.dumps({"seed": args.seed, "episodes": args.episodes, "before": round(before, 3), "after": round(after, 3), "seconds": round(seconds, 1)}))
    return int(after - before < args.at_least)


if __name__ == "__main__":
    sys.exit(main())
