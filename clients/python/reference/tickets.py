"""Tickets with their right answers, from the JSON Lines of ``triage tickets generate --labels --format jsonl``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from triage_env.models import (
    Category,
    Department,
    Difficulty,
    Priority,
    QueueTicket,
    Resolution,
    Route,
    Split,
    Track,
    Urgency,
)

SAMPLE = Path(__file__).parent / "data"
"""A few episodes of each task, as made by generate.sh."""

DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)
QUEUE_TICKETS: dict[Difficulty, int] = {"easy": 8, "medium": 10, "hard": 12}
"""How many tickets an episode of the queue has."""


@dataclass(frozen=True, slots=True)
class QueueTruth:
    """The right answer of a queue ticket."""

    route: Route
    secondary: Route | None
    """The team of the secondary request, in blended tickets."""
    urgency: Urgency
    difficulty: Resolution
    priority: int


@dataclass(frozen=True, slots=True)
class DeskTruth:
    """The right answer of a desk ticket, and what a recommendation is graded against."""

    category: Category
    priority: Priority
    urgency_days: int
    department: Department
    escalated: bool
    sentiment: float
    wait_hours: float
    entities: tuple[tuple[str, ...], ...]
    distractors: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class QueueCase:
    """A queue ticket with its answer."""

    ticket: QueueTicket
    truth: QueueTruth


@dataclass(frozen=True, slots=True)
class DeskCase:
    """A desk ticket with its answer."""

    ticket_id: str
    customer_name: str
    truth: DeskTruth


def queue_case(line: dict[str, Any]) -> QueueCase:
    """Read one line of a queue task."""
    truth, facts = line["truth"]["queue"], line["facts"]
    secondary = facts.get("secondary")
    return QueueCase(
        ticket=QueueTicket.model_validate(line["ticket"]),
        truth=QueueTruth(
            route=truth["route_category"],
            secondary=secondary["route"] if secondary else None,
            urgency=truth["urgency_assessment"],
            difficulty=truth["resolution_difficulty"],
            priority=truth["priority_score"],
        ),
    )


def desk_case(line: dict[str, Any]) -> DeskCase:
    """Read one line of a desk task."""
    ticket, truth, facts = line["ticket"], line["truth"]["desk"], line["facts"]
    return DeskCase(
        ticket_id=ticket["ticket_id"],
        customer_name=ticket["customer_name"],
        truth=DeskTruth(
            category=truth["category"],
            priority=truth["priority"],
            urgency_days=truth["urgency_days"],
            department=truth["department"],
            escalated=ticket["is_escalated"],
            sentiment=ticket["sentiment_score"],
            wait_hours=ticket["wait_time_hours"],
            entities=tuple(tuple(group) for group in facts.get("entities", ())),
            distractors=tuple(facts.get("distractors", ())),
            text=ticket["issue_text"],
        ),
    )


class Library:
    """The episodes of one track, by difficulty; episode number n of a file plays for the seeds n, n + count, ….

    Files made with ``--seed 0`` therefore give, for small seeds, the tickets that triage gives for the same seed.
    """

    def __init__(
        self,
        split: Split,
        queue: dict[Difficulty, list[list[QueueCase]]],
        desk: dict[Difficulty, list[DeskCase]],
    ) -> None:
        self.split = split
        self.queue = queue
        self.desk = desk

    @classmethod
    def read(cls, folder: Path = SAMPLE, split: Split = "train") -> Library:
        """Read the files ``<track>-<difficulty>.jsonl`` of a folder; those that are missing are left out.

        Raises:
            ValueError: a file is not of the form, or holds no whole episode; the message names file and line.
        """
        queue: dict[Difficulty, list[list[QueueCase]]] = {}
        desk: dict[Difficulty, list[DeskCase]] = {}
        for difficulty in DIFFICULTIES:
            path = folder / f"queue-{difficulty}.jsonl"
            if path.exists():
                cases = [queue_case(line) for line in _lines(path)]
                size = QUEUE_TICKETS[difficulty]
                episodes = [cases[i : i + size] for i in range(0, len(cases) - size + 1, size)]
                if not episodes:
                    raise ValueError(f"{path}: {len(cases)} tickets, an episode has {size}")
                queue[difficulty] = episodes
            path = folder / f"desk-{difficulty}.jsonl"
            if path.exists():
                desk[difficulty] = [desk_case(line) for line in _lines(path)]
        if not queue and not desk:
            raise ValueError(f"{folder}: no <track>-<difficulty>.jsonl in it")
        return cls(split, queue, desk)

    def difficulties(self, track: Track) -> list[Difficulty]:
        """The difficulties of a track that there are tickets for, easiest first."""
        return list(self.queue) if track == "queue" else list(self.desk)

    def num_tasks(self, track: Track) -> int:
        """How many tasks the task API has: the difficulties in turn, each with its seeds from 0."""
        return sum(len(episodes) for episodes in cast(dict[str, Sequence[object]], getattr(self, track)).values())

    def task(self, track: Track, index: int) -> tuple[Difficulty, int]:
        """Difficulty and seed of a task of the task API."""
        difficulties = self.difficulties(track)
        return difficulties[index % len(difficulties)], index // len(difficulties)


def _lines(path: Path) -> list[dict[str, Any]]:
    out = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            line = json.loads(text)
            if not {"ticket", "truth", "facts"} <= line.keys():
                raise ValueError("needs ticket, truth and facts: was it made with --labels?")
        except (ValueError, AttributeError) as error:
            raise ValueError(f"{path}:{number}: {error}") from error
        out.append(line)
    return out
