"""API keys, and the stamps that they put on requests."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from .errors import InvalidCredential


class Stamper(Protocol):
    """Puts a signature over a request's body into a header."""

    def stamp(self, body: bytes) -> tuple[str, str]:
        """The name and the value of the header."""


class ApiKey:
    """Stamps requests with a P-256 API key.

    It takes both halves in hex, as the key file has them: 66 characters of the compressed public key and
    64 of the private key.
    """

    def __init__(self, public_key: str, private_key: str) -> None:
        if not re.fullmatch(r"[0-9a-fA-F]{64}", private_key):
            raise InvalidCredential(
                "the private key must be 64 hex characters, as apiPrivateKey in the key file"
            )
        try:
            self._key = ec.derive_private_key(int(private_key, 16), ec.SECP256R1())
        except ValueError:
            raise InvalidCredential(
                "the private key is not a P-256 key: it is zero or too large"
            ) from None
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
        if public_key != point.hex():
            raise InvalidCredential(
                "the public key does not belong to the private key: give both halves of one P-256 API "
                "key, in lower-case hex"
            )
        self.public_key = public_key

    def stamp(self, body: bytes) -> tuple[str, str]:
        """Signs the SHA-256 of the body."""
        stamp = {
            "publicKey": self.public_key,
            "scheme": "SIGNATURE_SCHEME_TK_API_P256",
            "signature": self._key.sign(body, ec.ECDSA(hashes.SHA256())).hex(),
        }
        return "X-Stamp", base64.urlsafe_b64encode(json.dumps(stamp).encode()).rstrip(b"=").decode()


@dataclass(frozen=True)
class KeyFile:
    """What the first start of the service writes to data/root-api-key.json."""

    organization_id: str
    api_key: ApiKey

    @classmethod
    def read(cls, path: str | Path) -> KeyFile:
        """Reads an API key and the organization that it belongs to."""
        try:
            file = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise InvalidCredential(f"cannot read {path}: {error.strerror}") from error
        except ValueError:
            # The parser's error holds the file, and so the private key: do not chain it.
            raise InvalidCredential(f"{path} is not JSON") from None
        members = ["organizationId", "apiPublicKey", "apiPrivateKey"]
        if not isinstance(file, dict) or not all(isinstance(file.get(name), str) for name in members):
            raise InvalidCredential(f"{path} must have the members {', '.join(members)}, each a text")
        return cls(file["organizationId"], ApiKey(file["apiPublicKey"], file["apiPrivateKey"]))
