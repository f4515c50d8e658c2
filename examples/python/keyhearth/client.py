"""Queries and submissions."""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from .errors import (
    ActivityError,
    ActivityFailed,
    ConsensusNeeded,
    InvalidBaseUrl,
    Reason,
    Refused,
    Rejected,
    Unfinished,
    Unreachable,
    UnexpectedAnswer,
)
from .stamp import Stamper

_MAX_RETRIES = 3
_MAX_RETRY_SECONDS = 10
_MAX_ANSWER_BYTES = 32 << 20
_VOTES = ("ACTIVITY_TYPE_APPROVE_ACTIVITY", "ACTIVITY_TYPE_REJECT_ACTIVITY")


@dataclass(frozen=True)
class Activity:
    """What became of a submission."""

    id: str
    organization_id: str
    # Such as ACTIVITY_STATUS_COMPLETED, the only status that has a result.
    status: str
    # "sha256:" and the SHA-256 of the request's body in hex. Approvers name the activity by it.
    fingerprint: str
    # Everything that the service answered about the activity.
    json: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Submitted:
    """A completed activity and the fields of its result."""

    activity: Activity
    result: dict[str, Any]


class Client:
    """Acts with one credential in one organization.

    One request may wait `timeout` seconds for each part of its answer. Activities that outlive their
    request are read every `poll_interval` seconds, for `poll_timeout` seconds.
    """

    def __init__(
        self,
        base_url: str,
        organization_id: str,
        stamper: Stamper,
        *,
        timeout: float = 30,
        poll_interval: float = 0.5,
        poll_timeout: float = 60,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise InvalidBaseUrl(f"the base URL must be like https://keys.example.com: got {base_url!r}")
        self.organization_id = organization_id
        # Some clients of this API want its path as part of the address.
        self._base_url = base_url.rstrip("/").removesuffix("/public/v1")
        self._stamper = stamper
        self._timeout = timeout
        self._poll_interval = poll_interval
        self._poll_timeout = poll_timeout
        self._opener = urllib.request.build_opener(_NoRedirects)

    def query(self, name: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
        """Asks the endpoint `name`, such as `whoami`, and returns its answer."""
        body = {"organizationId": self.organization_id, **(parameters or {})}
        return self._post(f"/public/v1/query/{name}", _encode(body))

    def submit(self, name: str, activity_type: str, parameters: dict[str, Any]) -> Submitted:
        """Asks for an activity of the given type at the endpoint `name`, and waits until it ends.

        Raises an `ActivityError` if it ends, or stops, without a result.
        """
        path = f"/public/v1/submit/{name}"
        body = _encode(
            {
                "type": activity_type,
                "timestampMs": str(time.time_ns() // 1_000_000),
                "organizationId": self.organization_id,
                "parameters": parameters,
            }
        )
        activity = self._activity(path, body)
        # The answer must be about these bytes. The answer to a vote is about the activity that was voted on.
        is_vote = activity_type in _VOTES
        expected = parameters.get("fingerprint") if is_vote else f"sha256:{hashlib.sha256(body).hexdigest()}"
        if activity.fingerprint != expected:
            raise self._unexpected(path, "the activity of another request")
        activity = self._poll(activity)
        if activity.status != "ACTIVITY_STATUS_COMPLETED":
            raise self._activity_error(activity)
        return Submitted(activity, self._result(path, activity))

    def _poll(self, activity: Activity) -> Activity:
        """Reads the activity until it ends, or time is up."""
        path = "/public/v1/query/get_activity"
        give_up_at = time.monotonic() + self._poll_timeout
        while (
            activity.status in ("ACTIVITY_STATUS_CREATED", "ACTIVITY_STATUS_PENDING")
            and time.monotonic() + self._poll_interval <= give_up_at
        ):
            time.sleep(self._poll_interval)
            body = {"organizationId": activity.organization_id, "activityId": activity.id}
            answer = self._activity(path, _encode(body))
            if (answer.id, answer.fingerprint) != (activity.id, activity.fingerprint):
                raise self._unexpected(path, "another activity")
            activity = answer
        return activity

    def _activity(self, path: str, body: bytes) -> Activity:
        activity = self._post(path, body).get("activity")
        names = ("id", "organizationId", "status", "fingerprint")
        if not isinstance(activity, dict) or not all(isinstance(activity.get(name), str) for name in names):
            raise self._unexpected(path, "no activity")
        return Activity(*(activity[name] for name in names), activity)

    def _result(self, path: str, activity: Activity) -> dict[str, Any]:
        """The only member of the result, which is named after the type."""
        result = activity.json.get("result")
        members = list(result.values()) if isinstance(result, dict) else []
        if len(members) != 1 or not isinstance(members[0], dict):
            raise self._unexpected(path, "a completed activity without a result")
        return members[0]

    def _activity_error(self, activity: Activity) -> ActivityError:
        if activity.status == "ACTIVITY_STATUS_CONSENSUS_NEEDED":
            return ConsensusNeeded(activity)
        if activity.status == "ACTIVITY_STATUS_REJECTED":
            return Rejected(activity)
        if activity.status == "ACTIVITY_STATUS_FAILED":
            reason = Reason.parse(activity.json.get("failure"), self._base_url) or Reason("no reason given")
            return ActivityFailed(activity, reason)
        return Unfinished(activity)

    def _post(self, path: str, body: bytes) -> dict[str, Any]:
        """Stamps the body once. If the service is busy and says when to come back, it sends the same bytes
        again: they are the same activity, which the service executes once."""
        header, stamp = self._stamper.stamp(body)
        headers = {"Content-Type": "application/json", header: stamp}
        for retries in range(_MAX_RETRIES + 1):
            status, retry_after, text = self._send(path, body, headers)
            answer = _decode(text)
            if status == 200:
                if isinstance(answer, dict):
                    return answer
                raise self._unexpected(path, "not a JSON object")
            delay = _retry_seconds(status, retry_after)
            if delay is None or retries == _MAX_RETRIES:
                break
            time.sleep(delay)
        reason = Reason.parse(answer, self._base_url)
        if reason is None:
            raise self._unexpected(path, f"status {status} without an error message")
        raise Refused(status, reason)

    def _send(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, str | None, bytes]:
        request = urllib.request.Request(self._base_url + path, body, headers, method="POST")
        try:
            try:
                response = self._opener.open(request, timeout=self._timeout)
            except urllib.error.HTTPError as error:
                # To urllib, a status other than success is an exception that is also the answer.
                response = error
            with response:
                text = response.read(_MAX_ANSWER_BYTES + 1)
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"cannot reach {self._base_url}: {error}") from error
        if len(text) > _MAX_ANSWER_BYTES:
            raise self._unexpected(path, "more than 32 MiB")
        return response.status, response.headers.get("Retry-After"), text

    def _unexpected(self, path: str, reason: str) -> UnexpectedAnswer:
        return UnexpectedAnswer(self._base_url + path, reason)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The API never redirects. Following one would show the stamped request to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _encode(body: dict[str, Any]) -> bytes:
    return json.dumps(body, allow_nan=False).encode()


def _decode(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _retry_seconds(status: int, retry_after: str | None) -> int | None:
    if status not in (429, 503) or retry_after is None or not re.fullmatch("[0-9]{1,5}", retry_after):
        return None
    seconds = int(retry_after)
    return seconds if seconds <= _MAX_RETRY_SECONDS else None
