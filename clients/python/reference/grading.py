"""Scores by the handbook's formulas: pure functions of the right answer and the action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from triage_env.models import (
    Department,
    DeskAction,
    Difficulty,
    GradedPart,
    Priority,
    QueueAction,
    Resolution,
    Urgency,
)

from .recommendation import recommendation_value
from .tickets import DeskTruth, QueueTruth

URGENCY: dict[str, int] = {word: level for level, word in enumerate(get_args(Urgency))}
RESOLUTION: dict[str, int] = {word: level for level, word in enumerate(get_args(Resolution))}
PRIORITY: dict[str, int] = {word: level for level, word in enumerate(get_args(Priority))}

ROUTE_WEIGHT, URGENCY_WEIGHT, DIFFICULTY_WEIGHT, PRIORITY_WEIGHT = 0.4, 0.25, 0.15, 0.2
MAX_STEPS = 3
"""After so many submissions a desk episode ends."""

ASKED: dict[Difficulty, tuple[str, ...]] = {
    "easy": ("category",),
    "medium": ("category", "priority", "urgency_days"),
    "hard": ("category", "priority", "urgency_days", "department", "recommendation"),
}
"""The fields that a desk task asks for."""

HOME: dict[str, Department] = {"Bug": "Engineering", "FeatureRequest": "Product", "Question": "Support"}


def level_value(scale: dict[str, int], got: str | None, want: str) -> float:
    """Grade an ordered word: 1 exact, 0.5 one level off, else 0."""
    if got is None:
        return 0.0
    off = abs(scale[got] - scale[want])
    return 1.0 if off == 0 else 0.5 if off == 1 else 0.0


def score_value(got: int | None, want: int) -> float:
    """Grade a priority score: 1 within 2 points, then falling to 0 at 15 points off."""
    if got is None:
        return 0.0
    off = abs(got - want)
    if off <= 2:
        return 1.0
    return (15 - off) / 13 if off < 15 else 0.0


def grade_queue(truth: QueueTruth, action: QueueAction) -> tuple[float, list[GradedPart]]:
    """The reward of a queue ticket, 0..1, and its parts.

    0.4·route + g·(0.25·urgency + 0.15·difficulty + 0.2·priority); g is 1 after the right route, 0.5 after the secondary
    request's team and 0.25 after a wrong one.
    """
    got = action.route_category
    if got == truth.route:
        route, gate = 1.0, 1.0
    elif got is not None and got == truth.secondary:
        route, gate = 0.3, 0.5
    else:
        route, gate = 0.0, 0.25
    urgency = level_value(URGENCY, action.urgency_assessment, truth.urgency)
    difficulty = level_value(RESOLUTION, action.resolution_difficulty, truth.difficulty)
    priority = score_value(action.priority_score, truth.priority)
    if route == urgency == difficulty == priority == 1:
        total = 1.0
    else:
        rest = URGENCY_WEIGHT * urgency + DIFFICULTY_WEIGHT * difficulty + PRIORITY_WEIGHT * priority
        total = ROUTE_WEIGHT * route + gate * rest
    return total, [
        GradedPart(name="route", value=route, weight=ROUTE_WEIGHT),
        GradedPart(name="urgency", value=urgency, weight=URGENCY_WEIGHT),
        GradedPart(name="difficulty", value=difficulty, weight=DIFFICULTY_WEIGHT),
        GradedPart(name="priority", value=priority, weight=PRIORITY_WEIGHT),
    ]


def touches(truth: QueueTruth, action: QueueAction) -> float:
    """How many times people have to handle a ticket that was answered like this: 1 if all is right."""
    route, urgency, difficulty = action.route_category, action.urgency_assessment, action.resolution_difficulty
    if route is None and urgency is None and difficulty is None and action.priority_score is None:
        return 3.0
    count = 1.0
    if route != truth.route:
        count += 0.5 if route is not None and route == truth.secondary else 1.0
    under = 3 if urgency is None else URGENCY[truth.urgency] - URGENCY[urgency]
    count += 0.5 * under if under >= 0 else -0.25 * under
    under = 2 if difficulty is None else RESOLUTION[truth.difficulty] - RESOLUTION[difficulty]
    return count + 0.25 * max(under, 0)


def department_value(truth: DeskTruth, got: Department | None) -> float:
    """What a department earns: escalations share the credit with Management."""
    if got is None:
        return 0.0
    home = HOME[truth.category]
    if not truth.escalated:
        return 1.0 if got == home else 0.0
    if truth.sentiment > -0.6 and truth.wait_hours < 48:
        return 1.0 if got == home else 0.5 if got == "Management" else 0.0
    if got == "Management":
        return 1.0
    if got != home:
        return 0.0
    return 1.0 if truth.category == "Bug" else 0.5


def days_value(got: int | None, want: int) -> float:
    """Grade urgency days: 1 exact, 0.5 one off, 0.25 two off, else 0."""
    if got is None:
        return 0.0
    return (1.0, 0.5, 0.25)[abs(got - want)] if abs(got - want) <= 2 else 0.0


def grade_desk(difficulty: Difficulty, truth: DeskTruth, action: DeskAction) -> tuple[float, dict[str, float]]:
    """The correctness of a desk answer, 0..1, and its parts, which weigh alike."""
    parts = {"category": 1.0 if action.category == truth.category else 0.0}
    if difficulty != "easy":
        parts["priority"] = level_value(PRIORITY, action.priority, truth.priority)
    if difficulty == "medium":
        parts["urgency_days"] = days_value(action.urgency_days, truth.urgency_days)
    if difficulty == "hard":
        parts["department"] = department_value(truth, action.department)
        parts["recommendation"] = recommendation_value(truth, action.recommendation or "")
    return sum(parts.values()) / len(parts), parts


def desk_efficiency(truth: DeskTruth, action: DeskAction, steps: int) -> float:
    """1 - (steps-1)/3 if the category is right, else 0."""
    return 1 - (steps - 1) / MAX_STEPS if action.category == truth.category else 0.0


def desk_reward(correctness: float, efficiency: float) -> float:
    """0.7·correctness + 0.3·efficiency."""
    return 1.0 if correctness == 1 and efficiency == 1 else 0.7 * correctness + 0.3 * efficiency


def mean(values: Sequence[float]) -> float:
    """The mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
