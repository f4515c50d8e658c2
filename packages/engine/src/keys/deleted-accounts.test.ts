import { expect, test } from "vitest";
import { createTestCore, documentWith, newPerson, userOf } from "../door/core.testing.ts";
import { readRecord } from "../records/record.ts";

// The signer's clock repeats an instant after the machine's clock stepped back, for up to 30 seconds. So an
// account can be deleted, created again and deleted again while it stands still.

test("an account that is deleted twice within one instant is deleted", () => {
  const core = createTestCore();
  const root = newPerson();
  let document = core.notarized(
    documentWith({
      users: [userOf(root)],
      rootQuorum: { threshold: 1, userIds: [root.userId] },
    }),
  );
  let requests = 0;
  /** The records of a proposal, of which the next document replaces the one before. */
  function perform(endpoint: string, type: string, parameters: object, records: Uint8Array[]) {
    const timestampMs = core.clock.nowMs + requests++;
    const body = core.bodyOf({ type, parameters, timestampMs });
    const answer = core.ask(root, { endpoint, body }, [document, ...records]);
    if (answer.kind !== "proposal") return { answer, written: () => new Uint8Array() };
    const written = (wanted: string) =>
      answer.attachments.find((bytes) => readRecord(bytes).header.type === wanted);
    document = written("organization") ?? document;
    return { answer, written: (wanted: string) => written(wanted) ?? new Uint8Array() };
  }

  const accounts = [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
  ];
  const created = perform(
    "create_wallet",
    "ACTIVITY_TYPE_CREATE_WALLET",
    { walletName: "w", accounts },
    [],
  );
  const wallet = created.written("wallet");
  const walletId = readRecord(wallet).header.id;
  let account = created.written("wallet-account");
  const { address } = readRecord(account).body as { address: string };
  const sign = () =>
    perform(
      "sign_raw_payload",
      "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      {
        signWith: address,
        payload: "hello",
        encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
        hashFunction: "HASH_FUNCTION_KECCAK256",
      },
      [account, wallet],
    ).answer;

  for (let round = 0; round < 3; round++) {
    expect(sign()).toMatchObject({ kind: "proposal" });
    perform(
      "delete_wallet_accounts",
      "ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS",
      { walletAccountIds: [readRecord(account).header.id], deleteWithoutExport: true },
      [account],
    );
    expect(sign()).toMatchObject({ kind: "error", error: { reason: "NOT_FOUND" } });
    account = perform(
      "create_wallet_accounts",
      "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS",
      { walletId, accounts },
      [wallet],
    ).written("wallet-account");
  }
});
