"""The reference server's formulas, by hand-made examples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reference.grading import desk_efficiency, desk_reward, grade_desk, grade_queue, touches
from reference.recommendation import recommendation_value, stem
from reference.tickets import DeskTruth, QueueTruth
from triage_env import DeskAction, QueueAction

QUEUE = QueueTruth(route="billing", secondary="technical", urgency="high", difficulty="medium", priority=54)
RIGHT: dict[str, Any] = {
    "route_category": "billing",
    "urgency_assessment": "high",
    "resolution_difficulty": "medium",
    "priority_score": 54,
}
LOGIN = DeskTruth(
    category="Bug",
    priority="High",
    urgency_days=2,
    department="Engineering",
    escalated=True,
    sentiment=-0.2,
    wait_hours=3,
    entities=(("authentication service", "sign-in service"), ("login", "log-in", "sign-in"), ("error 4012",)),
    distractors=("invoice", "export button"),
    text="Nobody gets in\n\nSince this morning the login page refuses every password with error 4012 and the reset "
    "link does not help. The export button that I wrote about last week works again. The invoice is right too.",
)
FULL = "Check authentication service logs for failed login attempts"
ALL: dict[str, Any] = {
    "category": "Bug",
    "priority": "High",
    "urgency_days": 2,
    "department": "Engineering",
    "recommendation": FULL,
}


@pytest.mark.parametrize(
    ("changed", "reward", "touched"),
    [
        ({}, 1, 1),
        ({"route_category": "technical"}, 0.4 * 0.3 + 0.5 * 0.6, 1.5),
        ({"route_category": "spam"}, 0.25 * 0.6, 2),
        ({"route_category": None}, 0.25 * 0.6, 2),
        ({"urgency_assessment": "medium"}, 1 - 0.125, 1.5),
        ({"urgency_assessment": "critical"}, 1 - 0.125, 1.25),
        ({"urgency_assessment": "low"}, 0.75, 2),
        ({"urgency_assessment": None}, 0.75, 2.5),
        ({"resolution_difficulty": "easy"}, 1 - 0.075, 1.25),
        ({"resolution_difficulty": "hard"}, 1 - 0.075, 1),
        ({"resolution_difficulty": None}, 0.85, 1.5),
        ({"priority_score": 56}, 1, 1),
        ({"priority_score": 51}, 0.8 + 0.2 * 12 / 13, 1),
        ({"priority_score": 68}, 0.8 + 0.2 / 13, 1),
        ({"priority_score": 69}, 0.8, 1),
        ({"priority_score": None}, 0.8, 1),
        (dict.fromkeys(RIGHT), 0, 3),
    ],
)
def test_the_queue_formula(changed: dict[str, Any], reward: float, touched: float) -> None:
    action = QueueAction(**{**RIGHT, **changed})
    total, parts = grade_queue(QUEUE, action)
    assert total == pytest.approx(reward, abs=1e-12)
    assert touches(QUEUE, action) == touched
    assert [(p.name, p.weight) for p in parts] == [
        ("route", 0.4),
        ("urgency", 0.25),
        ("difficulty", 0.15),
        ("priority", 0.2),
    ]


def test_no_route_is_not_the_secondary_team_of_a_ticket_without_one() -> None:
    alone = replace(QUEUE, secondary=None)
    assert grade_queue(alone, QueueAction(urgency_assessment="high"))[0] == pytest.approx(0.25 * 0.25)
    assert touches(alone, QueueAction(urgency_assessment="high", resolution_difficulty="medium")) == 2


@pytest.mark.parametrize(
    ("fields", "easy", "medium", "hard"),
    [
        (ALL, 1, 1, 1),
        ({}, 0, 0, 0),
        ({"category": "Bug"}, 1, 1 / 3, 1 / 4),
        ({"priority": "Critical"}, 0, 0.5 / 3, 0.5 / 4),
        ({"priority": "Low"}, 0, 0, 0),
        ({"urgency_days": 3}, 0, 0.5 / 3, 0),
        ({"urgency_days": 4}, 0, 0.25 / 3, 0),
        ({"urgency_days": 5}, 0, 0, 0),
        ({"department": "Management"}, 0, 0, 0.5 / 4),
        ({"department": "Support"}, 0, 0, 0),
        ({"recommendation": FULL}, 0, 0, 1 / 4),
    ],
)
def test_the_desk_formula(fields: dict[str, Any], easy: float, medium: float, hard: float) -> None:
    action = DeskAction(**fields)
    assert grade_desk("easy", LOGIN, action)[0] == pytest.approx(easy)
    assert grade_desk("medium", LOGIN, action)[0] == pytest.approx(medium)
    assert grade_desk("hard", LOGIN, action)[0] == pytest.approx(hard)


@pytest.mark.parametrize(
    ("category", "escalated", "sentiment", "wait", "credit"),
    [
        ("Bug", False, -0.9, 100, {"Engineering": 1}),
        ("Question", False, 0, 0, {"Support": 1}),
        ("FeatureRequest", True, 0, 0, {"Product": 1, "Management": 0.5}),
        ("Bug", True, -0.6, 0, {"Engineering": 1, "Management": 1}),
        ("Question", True, 0, 48, {"Management": 1, "Support": 0.5}),
        ("FeatureRequest", True, -0.7, 0, {"Management": 1, "Product": 0.5}),
    ],
)
def test_departments(category: Any, escalated: bool, sentiment: float, wait: float, credit: dict[str, float]) -> None:
    truth = replace(LOGIN, category=category, escalated=escalated, sentiment=sentiment, wait_hours=wait)
    for department in ("Engineering", "Product", "Support", "Management"):
        parts = grade_desk("hard", truth, DeskAction(department=department))[1]
        assert parts["department"] == credit.get(department, 0)


def test_efficiency_and_reward_of_the_desk() -> None:
    assert [desk_efficiency(LOGIN, DeskAction(category="Bug"), n) for n in (1, 2, 3)] == pytest.approx(
        [1, 2 / 3, 1 / 3]
    )
    assert desk_efficiency(LOGIN, DeskAction(category="Question"), 1) == 0
    assert desk_reward(1, 1) == 1
    assert desk_reward(0.5, 2 / 3) == pytest.approx(0.55)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (FULL, 1),
        ("Investigate authentication service for repeated login failures", 1),
        ("Check authen\u00adtication service lo\u200bgs for “failed login” attempts — today", 1),
        ("Check the authentication service logs and the login page.", 0.85),
        ("Investigate the matter and reproduce the error soon.", 0.5),
        (
            "Investigate the login of the authentication service, reproduce the error, and repair the export buttons.",
            0.5,
        ),
        ("Debug the authentication service login", 0.65),
        ("Debug the authentication service login " + "so " * 76, 0.65),
        ("The authentication service has an error, the login is its fault.", 0.2),
        ("investigate, debug, fix, repair, trace, login, authentication service", 0.2),
        (
            "Investigate the login error of the authentication service, evaluate a feature, and explain it in a guide.",
            0.2,
        ),
        ("Investigate: " + LOGIN.text, 0.2),
        ("Reproduce the login error at 10.0.0.1 and 10.0.0.2 of the authentication service at 14:30.", 1),
        ("… — !?", 0),
        ("", 0),
    ],
)
def test_recommendations(text: str, value: float) -> None:
    assert recommendation_value(LOGIN, text) == pytest.approx(value)


def test_a_distractor_inside_the_name_of_an_entity_does_not_count() -> None:
    truth = replace(LOGIN, entities=(("invoice export",), ("login",)), distractors=("export", "export schedule"))
    assert recommendation_value(truth, "Investigate the invoice exports and reproduce the login error.") == 1
    assert recommendation_value(truth, "Investigate the invoice export schedule and reproduce the login error.") == 0.5


@pytest.mark.parametrize(
    "forms",
    [
        "invoice invoices invoiced invoicing",
        "policy policies",
        "plan plans planned planning",
        "address addresses addressed",
        "cancel cancels cancelled cancelling",
        "apply applies applied applying",
        "crash crashes crashed crashing",
    ],
)
def test_forms_of_a_word_meet(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1
