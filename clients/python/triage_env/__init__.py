"""Python client of the triage environments.

``TriageEnv`` is the typed client over the ``openenv`` package's own; ``create_env`` gives a plain Gymnasium-like
environment and starts the server where there is none.
"""

from .client import TriageEnv
from .errors import InvalidActionError, ServerError, ServerStartError
from .gym import GymEnv, Info, create_env
from .local import LocalServer, find_binary, shared_server, stop_servers
from .models import (
    DeskAction,
    DeskObservation,
    GradedPart,
    QueueAction,
    QueueObservation,
    QueueResult,
    QueueStats,
    QueueTicket,
    ResetOptions,
    TicketMetadata,
    TriageAction,
    TriageObservation,
    TriageState,
)
from .reward import Reward

__version__ = "0.1.0"

__all__ = [
    "DeskAction",
    "DeskObservation",
    "GradedPart",
    "GymEnv",
    "Info",
    "InvalidActionError",
    "LocalServer",
    "QueueAction",
    "QueueObservation",
    "QueueResult",
    "QueueStats",
    "QueueTicket",
    "ResetOptions",
    "Reward",
    "ServerError",
    "ServerStartError",
    "TicketMetadata",
    "TriageAction",
    "TriageEnv",
    "TriageObservation",
    "TriageState",
    "create_env",
    "find_binary",
    "shared_server",
    "stop_servers",
]
