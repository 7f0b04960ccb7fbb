"""Trains a policy on the served environment with REINFORCE (Williams 1992), in numpy, on a CPU.

A linear softmax policy answers a ticket's route, urgency, difficulty and priority. It sees what an agent sees: words
and word pairs of the subject and the description, the category that the customer picked in the form, and, for the
priority, the form's other fields and the urgency that it chose itself. It begins knowing nothing and learns from what
the environment pays for each part of an answer, ticket by ticket. It learns on split `train` and is judged on split
`test`, whose scenarios are others: the same episodes before and after, by its most likely answers.

    pip install ./clients/python -r examples/python/requirements.txt
    export TRIAGE_BINARY=$PWD/triage
    python examples/python/train_policy.py --seeds 5

Prints a line of JSON a seed, and with more than one seed a table, with the floor beside it: what the best of the agents
reaches that do not read (`triage baseline --help`).
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
import time
import zlib
from itertools import pairwise
from pathlib import Path

try:
    import numpy as np
    from triage_env import ServerStartError, create_env, find_binary
except ModuleNotFoundError as missing:
    sys.exit(f"{missing.name} is not installed: pip install ./clients/python -r examples/python/requirements.txt")

BUCKETS = 1 << 15
HEADS = {
    "route": ("route_category", ["billing", "technical", "feature", "feedback", "spam"]),
    "urgency": ("urgency_assessment", ["low", "medium", "high", "critical"]),
    "difficulty": ("resolution_difficulty", ["easy", "medium", "hard"]),
    "priority": ("priority_score", list(range(0, 101, 5))),
}
WORD = re.compile(r"[a-z0-9']+")
TEST_SEED = 42  # the first of the seeds that it is judged on, as in `triage baseline`
TRAIN_SEED = 9_000_000  # on split train it is judged on seeds that no training uses
T975 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]  # Student's t, 1 to 9 degrees of freedom


def hashed(names: list[str]) -> np.ndarray:
    """The bucket of each name, each bucket once."""
    return np.unique([zlib.crc32(n.encode()) % BUCKETS for n in names])


def read(ticket, words: bool) -> np.ndarray:
    """What the first three heads see. Without words it is the picked category alone."""
    names = [f"form {ticket.metadata.selected_category}"]
    if words:
        found = WORD.findall(f"{ticket.subject} {ticket.description}".lower())
        names += [*found, *(f"{a} {b}" for a, b in pairwise(found))]
    return hashed(names)


def read_form(ticket, urgency: str) -> np.ndarray:
    """What the priority's head sees: the urgency that was chosen, alone and with each of the form's fields."""
    form, wait = ticket.metadata, int(math.log2(ticket.metadata.wait_time_hours + 1))
    fields = [f"wait {wait}", f"tier {form.customer_tier}", f"escalated {form.is_escalated}"]
    fields.append(f"contacts {min(form.previous_contacts, 4)}")
    return hashed([urgency, *(f"{urgency} {f}" for f in fields)])


class Policy:
    """One softmax a head over a sum of weights; AdaGrad (Duchi et al. 2011) scales each weight's step."""

    def __init__(self, seed: int, words: bool = True, rate: float = 0.3) -> None:
        self.random = np.random.default_rng(seed)
        self.words, self.rate = words, rate
        # Near 0: the most likely answers of an untrained policy are then chance, not the first of each list.
        self.weights = {name: self.random.normal(0, 1e-3, (BUCKETS, len(v))) for name, (_, v) in HEADS.items()}
        self.squares = {name: np.full((BUCKETS, len(v)), 1e-6) for name, (_, v) in HEADS.items()}
        self.paid = dict.fromkeys(HEADS, 0.5)  # the running mean of what a head was paid: the baseline

    def act(self, ticket, explore: bool) -> tuple[dict, list]:
        """An action, and what `learn` needs to know of how it came about."""
        action, taken, text, urgency = {}, [], read(ticket, self.words), ""
        for name, (field, values) in HEADS.items():
            seen = read_form(ticket, urgency) if name == "priority" else text
            logits = self.weights[name][seen].sum(axis=0) / math.sqrt(len(seen))
            chances = np.exp(logits - logits.max())
            chances /= chances.sum()
            choice = int(self.random.choice(len(values), p=chances)) if explore else int(chances.argmax())
            action[field] = values[choice]
            if name == "urgency":
                urgency = values[choice]
            taken.append((name, seen, chances, choice))
        return action, taken

    def learn(self, taken: list, reward) -> None:
        """Moves each head towards answers that were paid more than usual for its part."""
        for name, seen, chances, choice in taken:
            paid = reward.breakdown.get(name, 0.0)
            advantage = paid - self.paid[name]
            self.paid[name] += 0.005 * (paid - self.paid[name])
            gradient = -chances
            gradient[choice] += 1
            gradient *= advantage / math.sqrt(len(seen))
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


def evaluate(policy: Policy, difficulty: str, split: str, first: int, episodes: int) -> float:
    """The mean score of the most likely answers over episodes with the seeds from `first`."""
    with create_env(track="queue", difficulty=difficulty, split=split) as env:
        return float(np.mean([play(env, policy, first + i, learn=False) for i in range(episodes)]))


def train(seed: int, args: argparse.Namespace) -> dict:
    """Trains one policy and says how it did before and after."""
    policy = Policy(seed, words=not args.no_words)
    before = evaluate(policy, args.difficulty, "test", TEST_SEED, args.test_episodes)
    start, recent = time.perf_counter(), []
    with create_env(track="queue", difficulty=args.difficulty, split="train") as env:
        for episode in range(args.episodes):
            # Each training has a range of seeds of its own, away from those that anything is judged on.
            recent.append(play(env, policy, 1_000_000 * (seed + 10) + episode, learn=True))
            if (episode + 1) % 250 == 0:
                print(f"seed {seed}, {episode + 1:5d} episodes: {np.mean(recent[-250:]):.3f}", file=sys.stderr)
    seconds = time.perf_counter() - start
    return {
        "seed": seed,
        "episodes": args.episodes,
        "before": round(before, 4),
        "after": round(evaluate(policy, args.difficulty, "test", TEST_SEED, args.test_episodes), 4),
        "after_train": round(evaluate(policy, args.difficulty, "train", TRAIN_SEED, args.test_episodes), 4),
        "seconds": round(seconds, 1),
    }


def floor(difficulty: str, episodes: int) -> dict:
    """What the best of the agents that do not read reaches in the test episodes: {"agent": …, "score": …}."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.json"
        task = f"queue-{difficulty}"
        command = [find_binary(), "baseline", "--tasks", task, "--seed", str(TEST_SEED), "--episodes", str(episodes)]
        command += ["--split", "test", "--progress", "off", "--output", str(file)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return json.loads(file.read_text(encoding="utf-8"))["tasks"][task]["floor"]


def interval(values: list[float]) -> str:
    """The mean with its 95 % interval over seeds, by Student's t."""
    half = T975[len(values) - 2] * np.std(values, ddof=1) / math.sqrt(len(values))
    return f"{np.mean(values):.3f} [{np.mean(values) - half:.3f}, {np.mean(values) + half:.3f}]"


def table(runs: list[dict], lowest: dict) -> str:
    """A Markdown table: a row a seed, and the mean over seeds with its interval."""
    lines = [
        f"| seed | before | after | floor ({lowest['agent']}) | after, on train | seconds |",
        "|---|---|---|---|---|---|",
    ]
    for r in runs:
        scores = f"{r['before']:.3f} | {r['after']:.3f} | {lowest['score']:.3f} | {r['after_train']:.3f}"
        lines.append(f"| {r['seed']} | {scores} | {r['seconds']:.0f} |")
    before, after, on_train = (interval([r[k] for r in runs]) for k in ("before", "after", "after_train"))
    lines.append(f"| mean [95 %] | {before} | {after} | {lowest['score']:.3f} | {on_train} | |")
    return "\n".join(lines)


def positive(text: str) -> int:
    """A number of episodes."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


def main() -> int:
    """Trains as the command line says; exits with 1 where --at-least does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the policy, and of the episodes that it learns from")
    parser.add_argument(
        "--seeds", type=int, default=1, choices=range(1, 11), help="so many policies, seeds from --seed"
    )
    parser.add_argument("--episodes", type=positive, default=2500, help="episodes to learn from")
    parser.add_argument("--test-episodes", type=positive, default=200, help="episodes to judge on, before and after")
    parser.add_argument("--difficulty", default="easy", choices=["easy", "medium", "hard"])
    parser.add_argument("--no-words", action="store_true", help="do not let it read: it sees the form alone")
    parser.add_argument("--at-least", type=float, default=-1.0, help="exit with 1 if a seed's score rises by less")
    parser.add_argument("--above-floor", action="store_true", help="exit with 1 if a seed does not pass the floor")
    args = parser.parse_args()
    lowest = floor(args.difficulty, args.test_episodes)
    runs = []
    for seed in range(args.seed, args.seed + args.seeds):
        runs.append({**train(seed, args), "floor": round(lowest["score"], 4)})
        print(json.dumps(runs[-1]), flush=True)
    if len(runs) > 1:
        print(f"\n{table(runs, lowest)}")
    fell = any(r["after"] - r["before"] < args.at_least for r in runs)
    return int(fell or (args.above_floor and any(r["after"] <= r["floor"] for r in runs)))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ServerStartError as error:  # the program is not there, or does not start
        sys.exit(f"train_policy: {error}")
