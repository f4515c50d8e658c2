import base64
import json
import tempfile
import unittest
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from keyhearth import ApiKey, InvalidCredential, KeyFile

# A P-256 key, a body, and a stamp over it that another program made (packages/crypto/src/vectors).
PUBLIC_KEY = "028343586dc2b636d56d31ec9e14d4c6a8001eff7fba73a4d766bf56030a39b8b5"
PRIVATE_KEY = "4d9df9b0201b327a9914d70131ac889f36e8ada655fa409a876821b81a374ab9"
BODY = b'{"organizationId":"11111111-2222-4333-8444-555555555555"}'
SIGNATURE = (
    "3045022100ef84d393e9b1ff18ecba58a1fb8f75b58e1c87e15074f315094d964f87dc2094022038722e67dbaab4b7b84d1e"
    "55be4ab8f0f1f88ca4e09132517685f7b6c42bd87c"
)


def verify(signature: str, body: bytes) -> None:
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes.fromhex(PUBLIC_KEY))
    key.verify(bytes.fromhex(signature), body, ec.ECDSA(hashes.SHA256()))


class StampTest(unittest.TestCase):
    def test_a_stamp_verifies(self) -> None:
        name, value = ApiKey(PUBLIC_KEY, PRIVATE_KEY).stamp(BODY)
        self.assertEqual(name, "X-Stamp")
        self.assertRegex(value, r"^[A-Za-z0-9_-]+$")
        stamp = json.loads(base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)))
        self.assertEqual(stamp.keys(), {"publicKey", "scheme", "signature"})
        self.assertEqual(stamp["publicKey"], PUBLIC_KEY)
        self.assertEqual(stamp["scheme"], "SIGNATURE_SCHEME_TK_API_P256")
        for signature in (stamp["signature"], SIGNATURE):
            verify(signature, BODY)
            with self.assertRaises(InvalidSignature):
                verify(signature, BODY + b"\n")

    def test_a_key_must_be_one_p256_pair(self) -> None:
        order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
        for public_key, private_key in (
            ("03" + PUBLIC_KEY[2:], PRIVATE_KEY),
            (PUBLIC_KEY.upper(), PRIVATE_KEY),
            (PUBLIC_KEY, PRIVATE_KEY[2:]),
            (PUBLIC_KEY, "00" + PRIVATE_KEY),
            (PUBLIC_KEY, "0x" + PRIVATE_KEY[2:]),
            (PUBLIC_KEY, "0" * 64),
            (PUBLIC_KEY, order),
            (PUBLIC_KEY, "z" * 64),
        ):
            with self.subTest(private_key=private_key):
                with self.assertRaises(InvalidCredential) as raised:
                    ApiKey(public_key, private_key)
                self.assertNotIn(private_key, str(raised.exception))

    def test_a_key_file_is_read(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "key.json")
            with self.assertRaises(InvalidCredential):
                KeyFile.read(path)
            file = {"organizationId": "org", "apiPublicKey": PUBLIC_KEY, "apiPrivateKey": PRIVATE_KEY}
            path.write_text(json.dumps(file))
            self.assertEqual(KeyFile.read(path).organization_id, "org")
            for text in (PRIVATE_KEY, json.dumps([PRIVATE_KEY]), json.dumps({**file, "apiPublicKey": 1})):
                path.write_text(text)
                with self.assertRaises(InvalidCredential) as raised:
                    KeyFile.read(path)
                self.assertNotIn(PRIVATE_KEY, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
