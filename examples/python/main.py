"""Asks who it is, finds or creates a wallet with one Ethereum account, and signs a message that any
Ethereum library verifies."""

import os
import re
import sys

from keyhearth import Client, KeyFile, KeyhearthError

WALLET_NAME = "Python example"


def main() -> None:
    client = connect()

    me = client.query("whoami")
    print(f"Signed in as {me['username']} of {me['organizationName']}")

    address = ethereum_address(client)
    print(f"Address: {address}")

    message = "Hello from Python"
    print(f"Message: {message}")
    print(f"Signature: {sign_message(client, address, message)}")


def connect() -> Client:
    key = KeyFile.read(os.environ.get("KEYHEARTH_ROOT_KEY") or "../../data/root-api-key.json")
    base_url = os.environ.get("KEYHEARTH_URL") or "http://localhost:3000"
    organization_id = os.environ.get("KEYHEARTH_ORGANIZATION_ID") or key.organization_id
    return Client(base_url, organization_id, key.api_key)


def ethereum_address(client: Client) -> str:
    """Finds the account of this example's wallet, or creates the wallet."""
    for wallet in client.query("list_wallets")["wallets"]:
        if wallet["walletName"] == WALLET_NAME:
            listed = client.query("list_wallet_accounts", {"walletId": wallet["walletId"]})
            return next(
                account["address"]
                for account in listed["accounts"]
                if account["addressFormat"] == "ADDRESS_FORMAT_ETHEREUM"
            )

    created = client.submit(
        "create_wallet",
        "ACTIVITY_TYPE_CREATE_WALLET",
        {
            "walletName": WALLET_NAME,
            "accounts": [
                {
                    "curve": "CURVE_SECP256K1",
                    "pathFormat": "PATH_FORMAT_BIP32",
                    "path": "m/44'/60'/0'/0/0",
                    "addressFormat": "ADDRESS_FORMAT_ETHEREUM",
                }
            ],
        },
    )
    return created.result["addresses"][0]


def sign_message(client: Client, address: str, message: str) -> str:
    """Signs as Ethereum wallets do (EIP-191) and returns the 65 bytes that libraries expect."""
    text = message.encode()
    payload = b"\x19Ethereum Signed Message:\n%d%s" % (len(text), text)
    signed = client.submit(
        "sign_raw_payload",
        "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
        {
            "signWith": address,
            "payload": payload.hex(),
            "encoding": "PAYLOAD_ENCODING_HEXADECIMAL",
            "hashFunction": "HASH_FUNCTION_KECCAK256",
        },
    )
    r, s, v = (signed.result[name] for name in ("r", "s", "v"))
    if not re.fullmatch(r"[0-9a-f]{128}0[01]", r + s + v):
        raise ValueError("a signature of an unknown form")
    # The service says 00 or 01; Ethereum adds 27.
    return f"0x{r}{s}{27 + int(v):x}"


if __name__ == "__main__":
    try:
        main()
    except KeyhearthError as error:
        sys.exit(str(error))
