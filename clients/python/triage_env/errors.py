"""What can go wrong, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict


class ErrorDetail(TypedDict, total=False):
    """One finding of the server about a frame or an action."""

    type: str
    loc: Sequence[str | int]
    msg: str
    input: object


class ServerError(RuntimeError):
    """The server answered with an error; the session goes on unless the code says otherwise.

    Attributes:
        code: INVALID_JSON, UNKNOWN_TYPE, VALIDATION_ERROR, EXECUTION_ERROR, SESSION_ERROR, CAPACITY_REACHED or
            FACTORY_ERROR.
        message: what the server said.
        errors: the findings of a VALIDATION_ERROR; empty elsewhere.
    """

    def __init__(self, message: str, code: str, errors: Sequence[ErrorDetail] = ()) -> None:
        self.code = code
        self.message = message
        self.errors = list(errors)
        text = f"Server error: {message} (code: {code})"
        if self.errors and ": " not in message:  # a server that says only "Invalid message"
            text += ": " + "; ".join(_describe(e) for e in self.errors)
        super().__init__(text)

    def __reduce__(self) -> tuple[type[ServerError], tuple[str, str, list[ErrorDetail]]]:
        return type(self), (self.message, self.code, self.errors)


class InvalidActionError(ServerError, ValueError):
    """The server refused an action: it held a wrong value. The state of the episode did not change."""


class ServerStartError(RuntimeError):
    """The triage binary could not be found or did not begin to serve."""


def server_error(data: Mapping[str, object], *, of_step: bool) -> ServerError:
    """Make the exception that fits the data of an error frame; of_step says that it answers a step."""
    code = str(data.get("code", "UNKNOWN"))
    message = str(data.get("message", "Unknown error"))
    found = data.get("errors")
    errors: list[ErrorDetail] = []
    if isinstance(found, list):
        for item in found:
            if isinstance(item, dict):
                errors.append(
                    ErrorDetail(
                        type=str(item.get("type", "")),
                        loc=tuple(item.get("loc") or ()),
                        msg=str(item.get("msg", "")),
                        input=item.get("input"),
                    )
                )
    kind = InvalidActionError if of_step and code == "VALIDATION_ERROR" else ServerError
    return kind(message, code, errors)


def _describe(error: ErrorDetail) -> str:
    """Name the field, what is allowed and the value."""
    where = ".".join(str(part) for part in error.get("loc", ())) or "action"
    value = repr(error.get("input"))
    if len(value) > 80:
        value = value[:80] + "…"
    return f"{where}: {error.get('msg', '')}, got {value}"
