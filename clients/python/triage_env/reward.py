"""A reward that is a number and says what it is made of."""

from __future__ import annotations

from collections.abc import Mapping


class Reward(float):
    """The reward of a step: a float with the scores of the parts.

    >>> r = Reward(0.625, {"route": 1.0, "urgency": 0.5})
    >>> r + 1, r.value, r.breakdown["urgency"]
    (1.625, 0.625, 0.5)
    """

    __slots__ = ("_breakdown",)
    _breakdown: dict[str, float]

    def __new__(cls, value: float = 0.0, breakdown: Mapping[str, float] | None = None) -> Reward:
        """Make a reward of a number and its parts."""
        self = super().__new__(cls, value)
        self._breakdown = dict(breakdown or {})
        return self

    @property
    def value(self) -> float:
        """The plain number."""
        return float(self)

    @property
    def breakdown(self) -> dict[str, float]:
        """Part name to score, 0..1. Queue: the parts of the ticket just answered. Desk: those of the episode, at its
        end. Empty where nothing was graded, and on a sealed server."""
        return dict(self._breakdown)

    def __getnewargs__(self) -> tuple[float, dict[str, float]]:  # type: ignore[override]
        """For copy and pickle."""
        return float(self), self._breakdown

    def __repr__(self) -> str:
        return f"Reward({float(self)!r}, {self._breakdown!r})"
