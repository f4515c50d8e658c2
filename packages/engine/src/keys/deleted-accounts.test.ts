import { expect, test } from "vitest";
import { createTestCore, documentWith, newPerson, userOf } from "../core/core.testing.ts";
import { readRecord } from "../records/record.ts";

const MINUTE = 60_000;

// The signer's clock can be ahead until an operator sets it back. What a deletion remembers does not get less then.

test("after the clock was set back, an account comes back neither by its record nor by its first bytes", () => {
  const core = createTestCore();
  const root = newPerson();
  let document = core.notarized(
    documentWith({
      users: [userOf(root)],
      rootQuorum: { threshold: 1, userIds: [root.userId] },
    }),
  );
  const accounts = [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
  ];
  /** A proposal's records, of which the document replaces the one before. */
  function perform(endpoint: string, parameters: object, records: Uint8Array[], aheadMs = 0) {
    const version = endpoint === "sign_raw_payload" ? "_V2" : "";
    const type = `ACTIVITY_TYPE_${endpoint.toUpperCase()}${version}`;
    const body = core.bodyOf({ type, parameters, timestampMs: core.clock.nowMs + aheadMs });
    return { body, ...send(endpoint, body, records) };
  }
  function send(endpoint: string, body: string, records: Uint8Array[]) {
    const answer = core.ask(root, { endpoint, body }, [document, ...records]);
    const written = (wanted: string) =>
      (answer.kind === "proposal" ? answer.attachments : []).find(
        (bytes) => readRecord(bytes).header.type === wanted,
      ) ?? new Uint8Array();
    if (written("organization").length > 0) document = written("organization");
    return { answer, written };
  }

  const wallet = perform("create_wallet", { walletName: "w", accounts: [] }, []).written("wallet");
  const walletId = readRecord(wallet).header.id;
  const creation = { walletId, accounts };
  const made = perform("create_wallet_accounts", creation, [wallet], 4 * MINUTE);
  const account = made.written("wallet-account");
  const { address } = readRecord(account).body as { address: string };
  const payment = {
    signWith: address,
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  };
  const sign = () => perform("sign_raw_payload", payment, [account, wallet]).answer;
  expect(sign()).toMatchObject({ kind: "proposal" });

  core.clock.nowMs -= 60 * MINUTE;
  const deletion = {
    walletAccountIds: [readRecord(account).header.id],
    deleteWithoutExport: true,
  };
  expect(perform("delete_wallet_accounts", deletion, [account]).answer.kind).toBe("proposal");
  for (const minutes of [0, 57, 3, 4]) {
    core.clock.nowMs += minutes * MINUTE;
    expect(sign()).toMatchObject({ kind: "error", error: { reason: "NOT_FOUND" } });
    expect(send("create_wallet_accounts", made.body, [wallet]).answer).toMatchObject({
      kind: "error",
      error: { reason: "TIMESTAMP_OUT_OF_RANGE" },
    });
  }
  // Everybody's clock has passed what the deletion remembers.
  core.clock.nowMs += 2 * MINUTE;
  const again = perform("create_wallet_accounts", creation, [wallet]);
  expect(again.answer.kind).toBe("proposal");
  expect(readRecord(again.written("wallet-account")).body).toMatchObject({ address });
});
