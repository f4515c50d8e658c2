import hashlib
import http.server
import json
import socket
import threading
import unittest
from typing import Any

from keyhearth import (
    ActivityFailed,
    Client,
    ConsensusNeeded,
    InvalidBaseUrl,
    Refused,
    Rejected,
    Submitted,
    Unfinished,
    Unreachable,
    UnexpectedAnswer,
)

COMPLETED = {"result": {"createWalletResult": {"walletId": "w1"}}}
BUSY = json.dumps({"code": 14, "message": "busy", "details": []})


class Marker:
    def stamp(self, body: bytes) -> tuple[str, str]:
        return "X-Stamp", f"stamp of {len(body)} bytes"


def activity(status: str, more: dict[str, Any], fingerprint: str = "FINGERPRINT") -> str:
    first = {"id": "a", "organizationId": "org", "fingerprint": fingerprint}
    return json.dumps({"activity": {**first, "status": f"ACTIVITY_STATUS_{status}", **more}})


class ClientTest(unittest.TestCase):
    def serve(self, *answers: tuple[int, dict[str, str], str], **options: float) -> Client:
        """Gives the answers in order, and repeats the last one. In an answer, FINGERPRINT stands for the
        fingerprint of the first request."""
        received: list[tuple[str, str | None, bytes]] = []
        self.received = received

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.append((self.path, self.headers["X-Stamp"], body))
                status, headers, text = answers[min(len(received), len(answers)) - 1]
                fingerprint = f"sha256:{hashlib.sha256(received[0][2]).hexdigest()}"
                answer = text.replace("FINGERPRINT", fingerprint).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(answer))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"
        # The form with the path of the API, which other clients of it want, means the same.
        return Client(f"{self.url}/public/v1/", "org", Marker(), **{"poll_interval": 0.001, **options})

    def submit(self, client: Client) -> Submitted:
        return client.submit("create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", {"walletName": "w"})

    def test_a_submission_waits_until_its_activity_ends(self) -> None:
        client = self.serve(
            (200, {}, activity("CREATED", {"result": {}})),
            (200, {}, activity("PENDING", {"result": {}})),
            (200, {}, activity("COMPLETED", COMPLETED)),
        )
        self.assertEqual(self.submit(client).result, {"walletId": "w1"})
        paths = [path for path, _, _ in self.received]
        self.assertEqual(paths, ["/public/v1/submit/create_wallet"] + ["/public/v1/query/get_activity"] * 2)
        envelope = json.loads(self.received[0][2])
        self.assertRegex(envelope.pop("timestampMs"), r"^\d{13}$")
        expected = {"type": "ACTIVITY_TYPE_CREATE_WALLET", "organizationId": "org", "parameters": {"walletName": "w"}}
        self.assertEqual(envelope, expected)
        self.assertEqual(json.loads(self.received[2][2]), {"organizationId": "org", "activityId": "a"})

    def test_an_activity_that_stays_pending_is_given_up(self) -> None:
        client = self.serve((200, {}, activity("PENDING", {"result": {}})), poll_timeout=0.02)
        with self.assertRaises(Unfinished):
            self.submit(client)

    def test_an_activity_without_a_result_is_a_typed_error(self) -> None:
        for status, error in (
            ("REJECTED", Rejected),
            ("CONSENSUS_NEEDED", ConsensusNeeded),
            ("AUTHENTICATORS_NEEDED", Unfinished),
            ("SOMETHING_NEW", Unfinished),
        ):
            client = self.serve((200, {}, activity(status, {"result": {}})))
            with self.subTest(status), self.assertRaises(error) as raised:
                self.submit(client)
            self.assertEqual(raised.exception.activity.id, "a")

    def test_a_failed_activity_tells_why(self) -> None:
        entry = {"code": "DIGEST_INVALID", "field": "parameters.payload", "docs": "/errors#digest-invalid"}
        failure = {"code": 3, "message": "no", "details": [{"@type": "other"}, entry]}
        client = self.serve((200, {}, activity("FAILED", {"result": {}, "failure": failure})))
        with self.assertRaises(ActivityFailed) as raised:
            self.submit(client)
        error = raised.exception
        self.assertEqual((error.code, error.field), (entry["code"], entry["field"]))
        self.assertEqual(error.docs, self.url + entry["docs"])
        self.assertEqual(error.message, "no")

    def test_the_answer_must_be_about_the_request(self) -> None:
        for text in (
            activity("COMPLETED", COMPLETED, "sha256:00"),
            activity("COMPLETED", {"result": {}}),
            activity("COMPLETED", {"result": {"createWalletResult": "w1"}}),
            "{}",
            "[]",
            "",
            "<!doctype html>",
            "[" * 100_000,
        ):
            with self.subTest(text[:80]), self.assertRaises(UnexpectedAnswer):
                self.submit(self.serve((200, {}, text)))

    def test_a_vote_returns_the_activity_that_it_is_about(self) -> None:
        client = self.serve((200, {}, activity("COMPLETED", COMPLETED, "sha256:11")))

        def vote(fingerprint: str) -> Submitted:
            parameters = {"fingerprint": fingerprint}
            return client.submit("approve_activity", "ACTIVITY_TYPE_APPROVE_ACTIVITY", parameters)

        self.assertEqual(vote("sha256:11").activity.fingerprint, "sha256:11")
        with self.assertRaises(UnexpectedAnswer):
            vote("sha256:22")

    def test_a_busy_service_gets_the_same_bytes_again(self) -> None:
        client = self.serve(
            (503, {"Retry-After": "0"}, BUSY),
            (429, {"Retry-After": "0"}, BUSY),
            (200, {}, activity("COMPLETED", COMPLETED)),
        )
        self.submit(client)
        self.assertEqual(self.received, [self.received[0]] * 3)

    def test_a_busy_service_is_not_asked_forever(self) -> None:
        for status, headers, requests in (
            (503, {"Retry-After": "0"}, 4),
            (503, {"Retry-After": "3600"}, 1),
            (503, {"Retry-After": "-1"}, 1),
            (503, {"Retry-After": "soon"}, 1),
            (503, {}, 1),
            (500, {"Retry-After": "0"}, 1),
        ):
            with self.subTest(headers), self.assertRaises(Refused):
                self.submit(self.serve((status, headers, BUSY)))
            self.assertEqual(len(self.received), requests)

    def test_an_error_answer_is_typed(self) -> None:
        entry = {"code": "FIELD_INVALID", "field": "organizationId", "docs": "/errors#field-invalid"}
        text = json.dumps({"code": 3, "message": "must be a UUID", "details": [entry]})
        with self.assertRaises(Refused) as raised:
            self.serve((400, {}, text)).query("whoami")
        error = raised.exception
        self.assertEqual((error.http_status, error.message), (400, "must be a UUID"))
        self.assertEqual((error.code, error.field), (entry["code"], entry["field"]))
        self.assertEqual(error.docs, self.url + entry["docs"])

    def test_a_redirect_is_not_followed(self) -> None:
        client = self.serve((307, {"Location": "/elsewhere"}, ""))
        with self.assertRaises(UnexpectedAnswer):
            client.query("whoami")
        self.assertEqual(len(self.received), 1)

    def test_a_service_that_does_not_answer_is_unreachable(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            with self.assertRaises(Unreachable):
                Client(url, "org", Marker(), timeout=0.05).query("whoami")
        with self.assertRaises(Unreachable):
            Client(url, "org", Marker()).query("whoami")

    def test_a_base_url_must_be_complete(self) -> None:
        for base_url in ("", "localhost:3000", "/public", "ftp://localhost", "http://"):
            with self.subTest(base_url), self.assertRaises(InvalidBaseUrl):
                Client(base_url, "org", Marker())


if __name__ == "__main__":
    unittest.main()
