from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from triage_env import DeskAction, DeskObservation, QueueAction, QueueObservation, TriageState

from .fake import desk_fields, queue_fields


@pytest.mark.parametrize(
    ("kind", "fields", "said"),
    [
        (QueueAction, {"route_category": "sales"}, ["route_category", "'billing'", "'spam'", "'sales'"]),
        (QueueAction, {"urgency_assessment": "Low"}, ["urgency_assessment", "'critical'", "'Low'"]),
        (QueueAction, {"resolution_difficulty": 3}, ["resolution_difficulty", "'hard'", "3"]),
        (QueueAction, {"priority_score": 101}, ["priority_score", "less than or equal to 100", "101"]),
        (QueueAction, {"priority_score": -1}, ["priority_score", "greater than or equal to 0", "-1"]),
        (QueueAction, {"priority_score": 1.5}, ["priority_score", "valid integer", "1.5"]),
        (QueueAction, {"category": "Bug"}, ["category", "Extra inputs are not permitted", "Bug"]),
        (DeskAction, {"category": "bug"}, ["category", "'FeatureRequest'", "'bug'"]),
        (DeskAction, {"priority": "Urgent"}, ["priority", "'Critical'", "'Urgent'"]),
        (DeskAction, {"urgency_days": 0}, ["urgency_days", "greater than or equal to 1", "0"]),
        (DeskAction, {"urgency_days": 8}, ["urgency_days", "less than or equal to 7", "8"]),
        (DeskAction, {"department": "Sales"}, ["department", "'Management'", "'Sales'"]),
        (DeskAction, {"recommendation": "x" * 2001}, ["recommendation", "at most 2000 characters", "xxx"]),
    ],
)
def test_wrong_values_are_refused_with_field_value_and_what_is_allowed(
    kind: type[QueueAction | DeskAction], fields: dict[str, Any], said: list[str]
) -> None:
    with pytest.raises(ValidationError) as caught:
        kind(**fields)
    for text in said:
        assert text in str(caught.value)


def test_a_wrong_assignment_is_refused_too() -> None:
    action = QueueAction()
    with pytest.raises(ValidationError):
        action.priority_score = 500
    assert action.priority_score is None


def test_every_field_may_be_absent_and_the_bounds_are_allowed() -> None:
    assert QueueAction().model_dump(exclude_none=True) == {"metadata": {}}
    assert DeskAction().model_dump(exclude_none=True) == {"metadata": {}}
    assert [QueueAction(priority_score=n).priority_score for n in (0, 100)] == [0, 100]
    assert [DeskAction(urgency_days=n).urgency_days for n in (1, 7)] == [1, 7]
    assert len(DeskAction(recommendation="x" * 2000).recommendation or "") == 2000


def test_observations_are_typed_and_ignore_what_they_do_not_know() -> None:
    queue = QueueObservation.model_validate(queue_fields(surprise=1))
    assert queue.ticket is not None
    assert (queue.ticket.metadata.customer_tier, queue.ticket.metadata.selected_category) == ("pro", "")
    assert not hasattr(queue, "surprise")
    desk = DeskObservation.model_validate(desk_fields(surprise=1))
    assert (desk.wait_time_hours, desk.task_difficulty) == (30.0, "easy")


def test_an_observation_of_another_form_is_refused_by_field() -> None:
    with pytest.raises(ValidationError, match="task_difficulty"):
        DeskObservation.model_validate(desk_fields(task_difficulty="brutal"))
    with pytest.raises(ValidationError, match="total_tickets"):
        QueueObservation.model_validate({k: v for k, v in queue_fields().items() if k != "total_tickets"})


def test_a_sealed_queue_has_no_figures() -> None:
    sealed = queue_fields(1, stats=None, last_result=None)
    assert QueueObservation.model_validate(sealed).stats is None
    partly = queue_fields(1, last_result={"ticket_id": "TKT-1", "reward": None, "correct": None, "parts": []})
    last = QueueObservation.model_validate(partly).last_result
    assert last is not None
    assert (last.reward, last.correct, last.parts) == (None, None, [])


def test_a_blank_state_has_neither_task_nor_observation() -> None:
    blank = {
        "episode_id": None,
        "step_count": 0,
        "track": "",
        "task": "",
        "split": "",
        "done": False,
        "observation": None,
    }
    state = TriageState.model_validate(blank)
    assert (state.track, state.task, state.split, state.observation, state.seed) == (None, None, None, None, None)
