"""Creates a wallet with one Ethereum account and signs a transaction with it."""

import os
import sys
from datetime import datetime, timezone

from keyhearth import Client, KeyFile, KeyhearthError

# 0.01 ETH on Sepolia, nonce 0, in RLP. A real program builds it with its Ethereum library.
UNSIGNED_TRANSACTION = (
    "02f283aa36a780843b9aca008504a817c80082520894"
    "d8da6bf26964af9d7eed9e03e53415d37aa96045872386f26fc1000080c0"
)


def main() -> None:
    key = KeyFile.read(os.environ.get("KEYHEARTH_ROOT_KEY") or "../../data/root-api-key.json")
    base_url = os.environ.get("KEYHEARTH_URL") or "http://localhost:3000"
    client = Client(base_url, key.organization_id, key.api_key)

    created = client.submit(
        "create_wallet",
        "ACTIVITY_TYPE_CREATE_WALLET",
        {
            "walletName": f"Payouts {datetime.now(timezone.utc).isoformat()}",
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
    (address,) = created.result["addresses"]
    print(f"Address: {address}")

    signed = client.submit(
        "sign_transaction",
        "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
        {
            "signWith": address,
            "type": "TRANSACTION_TYPE_ETHEREUM",
            "unsignedTransaction": UNSIGNED_TRANSACTION,
        },
    )
    print(f"Signed transaction: 0x{signed.result['signedTransaction']}")


if __name__ == "__main__":
    try:
        main()
    except KeyhearthError as error:
        sys.exit(str(error))
