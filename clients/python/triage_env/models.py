"""Actions, observations and state of both tracks, as they travel.

Actions refuse what the server would refuse: an unknown word, a number out of range, an unknown field; the error names
the field, the value and what is allowed. Observations ignore fields that they do not know, so that a newer server stays
usable.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, TypedDict

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, ConfigDict, Field, field_validator

Track: TypeAlias = Literal["queue", "desk"]
Difficulty: TypeAlias = Literal["easy", "medium", "hard"]
Split: TypeAlias = Literal["train", "test"]
Route: TypeAlias = Literal["billing", "technical", "feature", "feedback", "spam"]
Urgency: TypeAlias = Literal["low", "medium", "high", "critical"]
Resolution: TypeAlias = Literal["easy", "medium", "hard"]
Tier: TypeAlias = Literal["free", "pro", "business", "enterprise"]
Category: TypeAlias = Literal["Bug", "FeatureRequest", "Question"]
Priority: TypeAlias = Literal["Low", "Medium", "High", "Critical"]
Department: TypeAlias = Literal["Engineering", "Product", "Support", "Management"]
Rewards: TypeAlias = Literal["dense", "ticket", "episode"]
OnInvalid: TypeAlias = Literal["error", "empty"]
Ended: TypeAlias = Literal["complete", "truncated"]

Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]

MAX_RECOMMENDATION = 2000
"""The longest recommendation that is accepted, in characters."""


class QueueAction(Action):
    """The answer to a queue ticket. A field may be left out: that costs what it is worth, never more."""

    route_category: Route | None = Field(default=None, description="The team that the ticket belongs to.")
    urgency_assessment: Urgency | None = Field(default=None, description="How soon the ticket needs a person.")
    resolution_difficulty: Resolution | None = Field(default=None, description="How much work settling it takes.")
    priority_score: Annotated[int, Field(ge=0, le=100)] | None = Field(
        default=None, description="The handbook's priority score, 0 to 100."
    )
    confidence: Share | dict[str, Share] | None = Field(
        default=None, description="How sure the agent is, 0 to 1, of the whole answer or by field. It is never graded."
    )


class DeskAction(Action):
    """The answer to a desk ticket, or a part of it: later submissions add to earlier ones and replace their values."""

    category: Category | None = Field(default=None, description="The kind of ticket.")
    priority: Priority | None = Field(default=None, description="Its rank.")
    urgency_days: Annotated[int, Field(ge=1, le=7)] | None = Field(
        default=None, description="Within how many days it must be settled, 1 to 7."
    )
    department: Department | None = Field(default=None, description="Who has to act.")
    recommendation: Annotated[str, Field(max_length=MAX_RECOMMENDATION)] | None = Field(
        default=None, description="What to do next about this ticket, at most 2,000 characters."
    )
    confidence: Share | dict[str, Share] | None = Field(
        default=None, description="How sure the agent is, 0 to 1, of the whole answer or by field. It is never graded."
    )


class _Part(BaseModel):
    """A piece of an observation."""

    model_config = ConfigDict(extra="ignore")


class TicketMetadata(_Part):
    """What a help desk knows about a queue ticket beside its text."""

    channel: str
    """email, web_form, chat or phone_note; decides nothing."""
    customer_tier: Tier
    wait_time_hours: float
    is_escalated: bool
    previous_contacts: int
    selected_category: Route | Literal[""]
    """What the customer picked in the web form, or empty. It may be wrong."""
    language: str
    attachments: int


class QueueTicket(_Part):
    """A ticket as the queue track shows it."""

    ticket_id: str
    subject: str
    description: str
    metadata: TicketMetadata


class QueueStats(_Part):
    """Running figures over the tickets processed so far. A sealed server shows none of them."""

    processed: int = 0
    mean_reward: float | None = None
    route_accuracy: float | None = None
    efficiency: float | None = None


class GradedPart(_Part):
    """One graded aspect of an answer: its own merit, 0..1, and its share of the ticket's reward."""

    name: str
    value: float
    weight: float


class QueueResult(_Part):
    """How the last answer was graded."""

    ticket_id: str
    reward: float | None = None
    """The ticket's own reward, 0..1, whatever part of it the step paid."""
    correct: bool | None = None
    parts: list[GradedPart] = Field(default_factory=list)


class QueueObservation(Observation):
    """What an agent sees on the queue track."""

    model_config = ConfigDict(extra="ignore")

    task: str
    ticket: QueueTicket | None = None
    """The ticket to answer; None after the last."""
    position: int
    total_tickets: int
    remaining: int
    stats: QueueStats | None = None
    last_result: QueueResult | None = None
    """None before the first step."""
    message: str


class DeskObservation(Observation):
    """What an agent sees on the desk track."""

    model_config = ConfigDict(extra="ignore")

    ticket_id: str
    customer_name: str
    issue_text: str
    """Subject, an empty line, body."""
    issue_type: str
    """A placeholder that never tells the category."""
    sentiment_score: float
    wait_time_hours: float
    is_escalated: bool
    step_count: int
    task_difficulty: Difficulty
    message: str
    """What the task asks for, or what is missing; never what is wrong."""


TriageAction: TypeAlias = QueueAction | DeskAction
TriageObservation: TypeAlias = QueueObservation | DeskObservation


class TriageState(State):
    """A running episode without its labels."""

    track: Track | None = None
    task: str | None = None
    split: Split | None = None
    done: bool = False
    observation: QueueObservation | DeskObservation | None = None
    """What the agent sees now; None before a reset."""
    seed: int | None = None
    """Only if the client gave it."""

    @field_validator("track", "task", "split", mode="before")
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        return None if value == "" else value


class ResetOptions(TypedDict, total=False):
    """Options of a reset beside its seed."""

    episode_id: str
    difficulty: Difficulty
    split: Split
    index: int
    """A task of the split by its index, which says difficulty and seed."""
    tickets: int
    """Queue only: fewer tickets than the task has."""
    rewards: Rewards
    """Queue only: dense (they sum to the score), ticket (each ticket's own), episode (all of it at the end)."""
    on_invalid: OnInvalid
    """error: a wrong value is refused; empty: it counts as the empty action."""
    handbook: bool
    """The first info then has the handbook, as Markdown."""
