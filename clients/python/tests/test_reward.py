from __future__ import annotations

import copy
import math
import pickle

import pytest

from triage_env import Reward


def test_a_reward_is_a_number() -> None:
    reward = Reward(0.25, {"route": 1.0})
    assert isinstance(reward, float)
    assert reward == 0.25
    assert sum([reward, reward]) == 0.5
    assert math.isclose(reward * 4, 1)
    assert f"{reward:.1f}" == "0.2"
    assert type(reward.value) is float
    assert reward.value == 0.25


def test_it_says_what_it_is_made_of_and_nobody_changes_that() -> None:
    parts = {"route": 1.0}
    reward = Reward(0.25, parts)
    parts["route"] = 0.0
    reward.breakdown["urgency"] = 1.0
    assert reward.breakdown == {"route": 1.0}
    assert Reward(1).breakdown == {}
    with pytest.raises(AttributeError):
        reward.value = 3.0  # type: ignore[misc]


def test_copies_and_pickles_keep_both() -> None:
    reward = Reward(0.5, {"route": 0.3})
    for twin in (copy.copy(reward), copy.deepcopy(reward), pickle.loads(pickle.dumps(reward))):
        assert (type(twin), twin.value, twin.breakdown) == (Reward, 0.5, {"route": 0.3})
    assert repr(reward) == "Reward(0.5, {'route': 0.3})"
