"""The reference grades as the program does: the same tickets and answers, both rewards and every figure."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path
from typing import Any, get_args

import pytest

from reference.environment import DeskEnvironment, QueueEnvironment
from reference.tickets import DIFFICULTIES, Library
from triage_env import DeskAction, QueueAction, create_env
from triage_env.models import Category, Department, Difficulty, Priority, Resolution, Route, Urgency

ROOT = Path(__file__).parent.parent
QUEUE_EPISODES, DESK_EPISODES = 4, 25


@pytest.fixture(scope="module")
def library(binary: str, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Tickets of the program that is tested."""
    folder = tmp_path_factory.mktemp("tickets")
    script = [str(ROOT / "reference/generate.sh"), str(folder), str(QUEUE_EPISODES), str(DESK_EPISODES)]
    subprocess.run(script, check=True, env={**os.environ, "TRIAGE_BINARY": binary}, timeout=120)
    return Library.read(folder)


def maybe(rng: random.Random, values: Any) -> Any:
    """One of the values, or nothing."""
    return None if rng.random() < 0.15 else rng.choice(list(values))


def same(mine: Any, theirs: Any) -> None:
    """Everything is equal, numbers up to rounding."""
    if isinstance(mine, dict):
        assert mine.keys() == theirs.keys()
        for key in mine:
            same(mine[key], theirs[key])
    elif isinstance(mine, list):
        assert len(mine) == len(theirs)
        for a, b in zip(mine, theirs, strict=True):
            same(a, b)
    elif isinstance(mine, float):
        assert mine == pytest.approx(theirs, abs=1e-12)
    else:
        assert mine == theirs


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_queue(library: Library, binary_url: str, difficulty: Difficulty) -> None:
    rng = random.Random(f"queue {difficulty}")
    mine = QueueEnvironment(library)
    with create_env(difficulty, track="queue", url=binary_url) as theirs:
        for seed in range(QUEUE_EPISODES):
            a, (b, _) = mine.reset(seed, difficulty=difficulty), theirs.reset(seed)
            same(a.model_dump(), b.model_dump())
            for case in library.queue[difficulty][seed]:
                action = QueueAction(
                    route_category=maybe(rng, [*get_args(Route), case.truth.route, case.truth.route]),
                    urgency_assessment=maybe(rng, [*get_args(Urgency), case.truth.urgency]),
                    resolution_difficulty=maybe(rng, [*get_args(Resolution), case.truth.difficulty]),
                    priority_score=maybe(rng, [rng.randrange(101), max(0, case.truth.priority - rng.randrange(18))]),
                )
                a, (b, *_) = mine.step(action), theirs.step(action)
                same(a.model_dump(), b.model_dump())
            assert a.done


def recommendations(
    rng: random.Random, entities: tuple[tuple[str, ...], ...], distractors: tuple[str, ...]
) -> list[str]:
    """Good ones, bad ones and worse ones."""
    names = [rng.choice(group) for group in entities] or ["matter"]
    one, two = rng.choice(names), rng.choice(names)
    wrong = rng.choice(distractors) if distractors else "weather"
    return [
        f"Investigate the {one} and reproduce the error with the {two} today.",
        f"Evaluate the {one} for the roadmap and research what the {two} needs.",
        f"Guide the sender to the article about the {one} and explain the {two}.",
        f"Please explain the {one}, and show the steps for the {wrong} in the documentation.",
        f"{one}, {two}, error, failure, fault, logs",
        f"Fix {one}",
        f"Check logs of {one}: research, evaluate, guide, help {two}",
        "",
    ]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_desk(library: Library, binary_url: str, difficulty: Difficulty) -> None:
    rng = random.Random(f"desk {difficulty}")
    mine = DeskEnvironment(library)
    with create_env(difficulty, url=binary_url) as theirs:
        for seed in range(DESK_EPISODES):
            truth = library.desk[difficulty][seed].truth
            a, (b, _) = mine.reset(seed, difficulty=difficulty), theirs.reset(seed)
            same(a.model_dump(), b.model_dump())
            while not a.done:
                action = DeskAction(
                    category=maybe(rng, [*get_args(Category), truth.category, truth.category]),
                    priority=maybe(rng, get_args(Priority)),
                    urgency_days=maybe(rng, [truth.urgency_days, *range(1, 8)]),
                    department=maybe(rng, get_args(Department)),
                    recommendation=maybe(rng, recommendations(rng, truth.entities, truth.distractors)),
                )
                a, (b, *_) = mine.step(action), theirs.step(action)
                same(a.model_dump(), b.model_dump())
