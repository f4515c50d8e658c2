"""A small client of a Keyhearth service. It needs Python 3.9 or newer and `cryptography`."""

from .client import Activity, Client, Submitted
from .errors import (
    ActivityError,
    ActivityFailed,
    ConsensusNeeded,
    InvalidBaseUrl,
    InvalidCredential,
    KeyhearthError,
    Refused,
    Rejected,
    Unfinished,
    Unreachable,
    UnexpectedAnswer,
)
from .stamp import ApiKey, KeyFile, Stamper

__all__ = [
    "Activity",
    "ActivityError",
    "ActivityFailed",
    "ApiKey",
    "Client",
    "ConsensusNeeded",
    "InvalidBaseUrl",
    "InvalidCredential",
    "KeyFile",
    "KeyhearthError",
    "Refused",
    "Rejected",
    "Stamper",
    "Submitted",
    "Unfinished",
    "Unreachable",
    "UnexpectedAnswer",
]
