import { readRecord } from "@keyhearth/engine/records/record";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addUser,
  ask,
  bytesOf,
  commit,
  documentOf,
  edit,
  expectRefused,
  knock,
  makeAccount,
  newPrivateKey,
  newVictim,
  newWallet,
  perform,
  proposalFor,
  putBack,
  recordOf,
  resultOf,
  rowsOf,
  send,
  sign,
  stampOf,
  startAttackedServer,
  type Victim,
  writtenBy,
} from "./attacker.ts";

// The document lists wallets and private keys, and remembers deleted accounts. A host that keeps the
// records of what was deleted can bring them again, but they are not bound to the document.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

const notFound = { status: 404, reason: "NOT_FOUND" };
const keyTables = [
  "wallets",
  "wallet_accounts",
  "wallet_account_names",
  "private_keys",
  "private_key_addresses",
];

function deletion(noun: "wallet" | "private_key" | "wallet_account", ids: string[]): Ask {
  const camel = noun.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return {
    endpoint: `delete_${noun}s`,
    type: `ACTIVITY_TYPE_DELETE_${noun.toUpperCase()}S`,
    parameters: { [`${camel}Ids`]: ids, deleteWithoutExport: true },
  };
}

/** A wallet with a second account, which a request of its own created. */
async function newAccount(victim: Victim) {
  const { walletId, address: kept } = await newWallet(server, victim);
  const { body, ...reply } = await perform(server, victim, makeAccount(walletId));
  const [address = ""] = resultOf(reply, "createWalletAccountsResult").addresses as string[];
  const record = await recordOf(
    server,
    "SELECT record FROM wallet_accounts WHERE organization_id = $1::uuid AND address = $2::text",
    [victim.organizationId, address],
  );
  return { walletId, kept, address, body, record, walletAccountId: readRecord(record).header.id };
}

/** Deletes with the host's help, and brings all rows of keys back afterwards. */
async function deleteAndPutBack(victim: Victim, what: Ask) {
  const saved = await rowsOf(server, victim.organizationId, keyTables);
  await perform(server, victim, what);
  for (const table of keyTables) await putBack(server, victim.organizationId, table, saved);
}

describe("what was deleted, and comes back in the database,", () => {
  test("a wallet signs nothing, gets no accounts and is not listed", async () => {
    const victim = await newVictim(server);
    const { walletId, address } = await newWallet(server, victim);
    await perform(server, victim, sign(address));
    await deleteAndPutBack(victim, deletion("wallet", [walletId]));
    for (const what of [sign(address), makeAccount(walletId), deletion("wallet", [walletId])]) {
      const attack = () => ask(server, victim, what);
      await expectRefused(server, [victim.organizationId], attack, notFound);
    }
    const rename: Ask = {
      endpoint: "update_wallet",
      type: "ACTIVITY_TYPE_UPDATE_WALLET",
      parameters: { walletId, walletName: "again" },
    };
    const attack = () => ask(server, victim, rename);
    await expectRefused(server, [victim.organizationId], attack, notFound);
  });

  test("a private key signs nothing, by its id or its address", async () => {
    const victim = await newVictim(server);
    const { privateKeyId, address } = await newPrivateKey(server, victim);
    await perform(server, victim, sign(address));
    await deleteAndPutBack(victim, deletion("private_key", [privateKeyId]));
    for (const signWith of [privateKeyId, address]) {
      const attack = () => ask(server, victim, sign(signWith));
      await expectRefused(server, [victim.organizationId], attack, notFound);
    }
  });

  test("an account signs nothing, and the other accounts of its wallet do", async () => {
    const victim = await newVictim(server);
    const { address, kept, walletAccountId } = await newAccount(victim);
    await perform(server, victim, sign(address));
    await deleteAndPutBack(victim, deletion("wallet_account", [walletAccountId]));
    for (const what of [sign(address), deletion("wallet_account", [walletAccountId])]) {
      const attack = () => ask(server, victim, what);
      await expectRefused(server, [victim.organizationId], attack, notFound);
    }
    await perform(server, victim, sign(kept));
  });
});

describe("a deleted account", () => {
  test("does not come back by the bytes that created it", async () => {
    const victim = await newVictim(server);
    const { address, body, walletId, walletAccountId } = await newAccount(victim);
    await perform(server, victim, deletion("wallet_account", [walletAccountId]));
    const { organizationId, people } = victim;
    const wallet = await recordOf(
      server,
      "SELECT record FROM wallets WHERE organization_id = $1::uuid AND wallet_id = $2::uuid",
      [organizationId, walletId],
    );
    const records = [await documentOf(server, organizationId), wallet];
    const { key } = people[0];
    const answer = knock(server, { endpoint: "create_wallet_accounts", body, key, records });
    expect(answer).toMatchObject({ kind: "error", error: { reason: "TIMESTAMP_OUT_OF_RANGE" } });
    const attack = () => ask(server, victim, sign(address));
    await expectRefused(server, [organizationId], attack, notFound);
  });

  test("does not come back by the bytes that created it if the clock of who deletes it is behind", async () => {
    const victim = await newVictim(server);
    const { organizationId, people } = victim;
    const { walletId, address, body, walletAccountId } = await newAccount(victim);
    const wallet = await recordOf(
      server,
      "SELECT record FROM wallets WHERE organization_id = $1::uuid AND wallet_id = $2::uuid",
      [organizationId, walletId],
    );
    const { key } = people[0];
    const removeSlowly = async (id: string) => {
      const what = deletion("wallet_account", [id]);
      const late = JSON.parse(bytesOf(server, organizationId, what)) as { timestampMs: string };
      late.timestampMs = String(Number(late.timestampMs) - 120_000);
      const text = JSON.stringify(late);
      const reply = await send(server, what.endpoint, text, stampOf(key, text));
      expect(reply).toMatchObject({ status: 200 });
    };
    const replay = async (text: string) => {
      const records = [await documentOf(server, organizationId), wallet];
      return knock(server, { endpoint: "create_wallet_accounts", body: text, key, records });
    };
    const refused = { kind: "error", error: { reason: "TIMESTAMP_OUT_OF_RANGE" } };
    await removeSlowly(walletAccountId);
    expect(await replay(body)).toMatchObject(refused);

    // A later deletion of the place does not forget the earlier one.
    server.clock.offsetMs += 5 * 60_000 + 1;
    const again = await perform(server, victim, makeAccount(walletId));
    const record = await recordOf(
      server,
      "SELECT record FROM wallet_accounts WHERE organization_id = $1::uuid AND address = $2::text",
      [organizationId, address],
    );
    server.clock.offsetMs += 1000;
    await removeSlowly(readRecord(record).header.id);
    for (const text of [body, again.body]) expect(await replay(text)).toMatchObject(refused);
  });

  test("does not come back by the bytes that created it if the clock of who created it is ahead", async () => {
    const victim = await newVictim(server);
    const { organizationId, people } = victim;
    const { walletId } = await newWallet(server, victim);
    const wallet = await recordOf(
      server,
      "SELECT record FROM wallets WHERE organization_id = $1::uuid AND wallet_id = $2::uuid",
      [organizationId, walletId],
    );
    const { endpoint, ...what } = makeAccount(walletId);
    const early = JSON.parse(bytesOf(server, organizationId, what)) as { timestampMs: string };
    early.timestampMs = String(Number(early.timestampMs) + 120_000);
    const body = JSON.stringify(early);
    const { key } = people[0];
    const created = await send(server, endpoint, body, stampOf(key, body));
    const [address] = resultOf(created, "createWalletAccountsResult").addresses as string[];
    const record = await recordOf(
      server,
      "SELECT record FROM wallet_accounts WHERE organization_id = $1::uuid AND address = $2::text",
      [organizationId, address],
    );
    await perform(server, victim, deletion("wallet_account", [readRecord(record).header.id]));
    const records = [await documentOf(server, organizationId), wallet];
    const answer = knock(server, { endpoint, body, key, records });
    expect(answer).toMatchObject({ kind: "error", error: { reason: "TIMESTAMP_OUT_OF_RANGE" } });
  });

  test("does not come back by a request that was held back, or executed for a hidden account", async () => {
    const victim = await newVictim(server);
    const { organizationId, people } = victim;
    const { walletId, address, walletAccountId } = await newAccount(victim);
    const wallet = await recordOf(
      server,
      "SELECT record FROM wallets WHERE organization_id = $1::uuid AND wallet_id = $2::uuid",
      [organizationId, walletId],
    );
    const { endpoint, ...what } = makeAccount(walletId);
    const heldBack = bytesOf(server, organizationId, what);
    server.clock.offsetMs += 1000;
    await perform(server, victim, deletion("wallet_account", [walletAccountId]));
    server.clock.offsetMs += 1000;
    const records = [await documentOf(server, organizationId), wallet];
    const answer = knock(server, { endpoint, body: heldBack, key: people[0].key, records });
    expect(answer).toMatchObject({ kind: "error", error: { reason: "TIMESTAMP_OUT_OF_RANGE" } });
    const attack = () => ask(server, victim, sign(address));
    await expectRefused(server, [organizationId], attack, notFound);
    server.clock.offsetMs += 5 * 60_000;
    await perform(server, victim, makeAccount(walletId));
    await perform(server, victim, sign(address));
  });

  test("does not sign by another record of its place, which was never committed", async () => {
    const victim = await newVictim(server);
    const { organizationId, people } = victim;
    const { walletId, address, walletAccountId } = await newAccount(victim);
    const wallet = await recordOf(
      server,
      "SELECT record FROM wallets WHERE organization_id = $1::uuid AND wallet_id = $2::uuid",
      [organizationId, walletId],
    );
    // A client that got no answer asked again, and the host left out the account that exists.
    server.clock.offsetMs += 1;
    const again = await proposalFor(server, victim, makeAccount(walletId), { records: [wallet] });
    const other = writtenBy(again, "wallet-account");
    expect(readRecord(other)).toMatchObject({ body: { address } });
    expect(readRecord(other).header.id).not.toBe(walletAccountId);

    const signAs = async () => {
      const what = sign(address);
      const body = bytesOf(server, organizationId, what);
      const records = [await documentOf(server, organizationId), other, wallet];
      return knock(server, { endpoint: what.endpoint, body, key: people[0].key, records });
    };
    expect(await signAs()).toMatchObject({ kind: "proposal" });
    await perform(server, victim, deletion("wallet_account", [walletAccountId]));
    expect(await signAs()).toMatchObject({ kind: "error", error: { reason: "NOT_FOUND" } });

    // The account that is created again signs, and the old records still do not.
    server.clock.offsetMs += 5 * 60_000 + 1;
    await perform(server, victim, makeAccount(walletId));
    await perform(server, victim, sign(address));
    expect(await signAs()).toMatchObject({ kind: "error", error: { reason: "NOT_FOUND" } });
  });

  test("does not sign by a record that was made while the host held its deletion back", async () => {
    const victim = await newVictim(server);
    const { organizationId, people } = victim;
    const { walletId, address, body, walletAccountId, record } = await newAccount(victim);
    const wallet = await recordOf(
      server,
      "SELECT record FROM wallets WHERE organization_id = $1::uuid AND wallet_id = $2::uuid",
      [organizationId, walletId],
    );
    const deleted = deletion("wallet_account", [walletAccountId]);
    const proposal = await proposalFor(server, victim, deleted, { records: [record] });
    // The old document is still in force, so the bytes that created the account do so again.
    server.clock.offsetMs += 1000;
    const again = await proposalFor(server, victim, makeAccount(walletId), {
      body,
      records: [wallet],
    });
    const later = writtenBy(again, "wallet-account");
    await commit(server, proposal);
    const what = sign(address);
    const asked = bytesOf(server, organizationId, what);
    const records = [await documentOf(server, organizationId), later, wallet];
    const answer = knock(server, {
      endpoint: what.endpoint,
      body: asked,
      key: people[0].key,
      records,
    });
    expect(answer).toMatchObject({ kind: "error", error: { reason: "NOT_FOUND" } });
  });

  test("signs no more once the deletion is in force, even from a proposal of the same instant", async () => {
    const victim = await newVictim(server);
    const { organizationId, people } = victim;
    const { walletId, address, walletAccountId, record } = await newAccount(victim);
    const deleted = deletion("wallet_account", [walletAccountId]);
    const proposal = await proposalFor(server, victim, deleted, { records: [record] });
    await commit(server, proposal);
    const wallet = await recordOf(
      server,
      "SELECT record FROM wallets WHERE organization_id = $1::uuid AND wallet_id = $2::uuid",
      [organizationId, walletId],
    );
    const what = sign(address);
    const body = bytesOf(server, organizationId, what);
    const records = [await documentOf(server, organizationId), record, wallet];
    const answer = knock(server, { endpoint: what.endpoint, body, key: people[0].key, records });
    expect(answer).toMatchObject({ kind: "error", error: { reason: "NOT_FOUND" } });
  });
});

describe("deleting", () => {
  test("takes no record of another organization, and none that nobody asked for", async () => {
    const victim = await newVictim(server);
    const own = await newAccount(victim);
    const theirs = await newAccount(await newVictim(server));
    const { organizationId, people } = victim;
    for (const [ids, brought, message] of [
      [[theirs.walletAccountId], theirs.record, /another organization/],
      [[theirs.walletAccountId], own.record, /unrequested/],
    ] as const) {
      const what = deletion("wallet_account", [...ids]);
      const body = bytesOf(server, organizationId, what);
      const records = [await documentOf(server, organizationId), brought];
      const answer = knock(server, { endpoint: what.endpoint, body, key: people[0].key, records });
      expect(answer).toMatchObject({
        kind: "error",
        error: { reason: "RECORD_REFUSED", message: expect.stringMatching(message) },
      });
    }
  });

  test("is denied to a user without a permission, for keys, accounts and tags", async () => {
    const victim = await newVictim(server);
    const { walletId, walletAccountId } = await newAccount(victim);
    const { privateKeyId } = await newPrivateKey(server, victim);
    const tag = await perform(server, victim, {
      endpoint: "create_private_key_tag",
      type: "ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG",
      parameters: { privateKeyTagName: "cold", privateKeyIds: [privateKeyId] },
    });
    const { privateKeyTagId } = resultOf(tag, "createPrivateKeyTagResult");
    const clerk = await addUser(server, victim);
    for (const what of [
      deletion("wallet", [walletId]),
      deletion("wallet_account", [walletAccountId]),
      deletion("private_key", [privateKeyId]),
      {
        endpoint: "update_private_key_tag",
        type: "ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG",
        parameters: { privateKeyTagId, addPrivateKeyIds: [], removePrivateKeyIds: [privateKeyId] },
      },
      {
        endpoint: "delete_private_key_tags",
        type: "ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS",
        parameters: { privateKeyTagIds: [privateKeyTagId] },
      },
    ]) {
      const attack = () => ask(server, victim, what, clerk.key);
      await expectRefused(server, [victim.organizationId], attack, {
        status: 403,
        reason: "POLICY_DENIED",
      });
    }
  });
});

test("rows of keys that the host deletes only make the service refuse requests", async () => {
  const victim = await newVictim(server);
  const { walletId, address } = await newAccount(victim);
  await edit(server, "DELETE FROM wallet_accounts WHERE organization_id = $1::uuid", [
    victim.organizationId,
  ]);
  const attack = () => ask(server, victim, sign(address));
  await expectRefused(server, [victim.organizationId], attack, notFound);
  await perform(server, victim, makeAccount(walletId));
  await perform(server, victim, sign(address));
});
