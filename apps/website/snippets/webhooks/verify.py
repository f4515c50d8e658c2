import base64
import hashlib
import json
import re
import sys
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def verify_webhook(headers, body, jwks, is_ours, now_ms=None):
    """Returns the activity, or raises ValueError. `headers` has lower-case names, `body` is bytes,
    `is_ours` says whether an organization is yours. Handle each activity's id with its status once."""
    read = lambda name: headers.get(f"x-turnkey-{name}", "")
    key_id, timestamp, event_id = (read(n) for n in ("signature-key-id", "timestamp", "event-id"))
    if read("signature-version") != "v1" or read("signature-algorithm") != "ed25519":
        raise ValueError("unknown form of signature")
    if not re.fullmatch(r"[1-9]\d{0,15}", timestamp):
        raise ValueError("not a timestamp")
    key = next((key for key in jwks["keys"] if key.get("kid") == key_id), None)
    if key is None or key.get("crv") != "Ed25519":
        raise ValueError("not a key of the signer")
    public_key = base64.urlsafe_b64decode(key["x"] + "=")
    # The id is the first half of the key's digest, so a pinned id pins the key.
    if hashlib.sha256(public_key).hexdigest()[:32] != key_id:
        raise ValueError("not a key of the signer")
    signed = f"v1.ed25519.{key_id}.{timestamp}.{event_id}.".encode() + body
    try:
        signature = bytes.fromhex(read("signature"))
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, signed)
    except InvalidSignature:
        raise ValueError("not signed by this key") from None
    now_ms = time.time() * 1000 if now_ms is None else now_ms
    if abs(now_ms - int(timestamp)) > 300_000:
        raise ValueError("older than five minutes")
    activity = json.loads(body)
    # Other tenants can have their events sent to your URL, signed with the same key.
    if not is_ours(activity["organizationId"]):
        raise ValueError("not one of our organizations")
    return activity


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        delivery = json.load(file)
    activity = verify_webhook(
        delivery["headers"],
        delivery["body"].encode(),
        delivery["jwks"],
        is_ours=lambda id: id in delivery["organizationIds"],
        now_ms=delivery.get("nowMs"),
    )
    print(f"{activity['type']}: {activity['status']}")
