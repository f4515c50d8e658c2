"""Everything that can go wrong, as one tree of exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

if TYPE_CHECKING:
    from .client import Activity


class KeyhearthError(Exception):
    """The base of all errors of this package."""


class InvalidCredential(KeyhearthError):
    """The API key cannot be used. The message never shows it."""


class InvalidBaseUrl(KeyhearthError, ValueError):
    """The address of the service is no address."""


class Unreachable(KeyhearthError):
    """There was no answer, or not in time."""


class UnexpectedAnswer(KeyhearthError):
    """What answered does not speak this API, or answered something else than it was asked."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"unexpected answer from {url}: {reason}; check the base URL")


@dataclass(frozen=True)
class Reason:
    """Why the service refused a request, or why an activity failed."""

    message: str
    # Stable, such as FIELD_INVALID. Empty if the service gave none.
    code: str = ""
    # The path of the wrong field, such as parameters.accounts[0].curve.
    field: str | None = None
    # The page that explains the code, at the service that answered.
    docs: str | None = None

    def __str__(self) -> str:
        text = f"{self.code}: {self.message}" if self.code else self.message
        if self.field and self.field not in self.message:
            text += f" (field {self.field})"
        return f"{text}; see {self.docs}" if self.docs else text

    @classmethod
    def parse(cls, status: Any, base_url: str) -> Reason | None:
        """Reads the shape that answers and failures share. Without a message it is none."""
        if not isinstance(status, dict) or not isinstance(status.get("message"), str):
            return None
        details = status.get("details")
        entries = [each for each in details if isinstance(each, dict)] if isinstance(details, list) else []
        # The first detail with a code is for programs. Details of other forms may come before it.
        entry = next((each for each in entries if isinstance(each.get("code"), str)), {})
        docs = _text(entry, "docs")
        page = None if docs is None else urljoin(f"{base_url}/", docs)
        return cls(status["message"], entry.get("code", ""), _text(entry, "field"), page)


class Refused(KeyhearthError):
    """The service refused the request. Branch on `code`."""

    def __init__(self, http_status: int, reason: Reason) -> None:
        super().__init__(f"the service answered {http_status} {reason}")
        self.http_status = http_status
        self.code = reason.code
        self.field = reason.field
        self.docs = reason.docs
        self.message = reason.message


class ActivityError(KeyhearthError):
    """An activity did not complete. `activity` is how it stands."""

    def __init__(self, message: str, activity: Activity) -> None:
        super().__init__(f"activity {activity.id} {message}")
        self.activity = activity


class ConsensusNeeded(ActivityError):
    """Others must approve the activity. Give them its fingerprint."""

    def __init__(self, activity: Activity) -> None:
        super().__init__(f"needs more approvals of fingerprint {activity.fingerprint}", activity)


class Rejected(ActivityError):
    """Somebody whose vote counts rejected the activity."""

    def __init__(self, activity: Activity) -> None:
        super().__init__("was rejected", activity)


class ActivityFailed(ActivityError):
    """The activity was allowed, but could not be done. Branch on `code`."""

    def __init__(self, activity: Activity, reason: Reason) -> None:
        super().__init__(f"failed {reason}", activity)
        self.code = reason.code
        self.field = reason.field
        self.docs = reason.docs
        self.message = reason.message


class Unfinished(ActivityError):
    """The activity did not end in time, or stopped at a status that is not known here."""

    def __init__(self, activity: Activity) -> None:
        super().__init__(f"stopped at {activity.status}: read it again with get_activity", activity)


def _text(entry: dict[str, Any], name: str) -> str | None:
    value = entry.get(name)
    return value if isinstance(value, str) else None
