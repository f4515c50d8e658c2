import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey } from "@keyhearth/crypto/keys/keys";
import { encryptToBundle, openImportBundle } from "@keyhearth/crypto/sealing/open-bundle";
import type { Answer, Proposal } from "@keyhearth/engine/core/protocol";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { organization } from "@keyhearth/engine/records/organization";
import { readRecord } from "@keyhearth/engine/records/record";
import {
  createTargetKey,
  decryptPrivateKeyBundle,
  decryptWalletBundle,
} from "@keyhearth/sdk/crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addUser,
  ask,
  bytesOf,
  documentOf,
  edit,
  editDocument,
  expectRefused,
  forge,
  knock,
  makePolicy,
  newPrivateKey,
  newVictim,
  newWallet,
  type Person,
  perform,
  proposalFor,
  putBack,
  type Reply,
  recordOf,
  resultOf,
  rowsOf,
  send,
  stampOf,
  startAttackedServer,
  type Victim,
  writtenBy,
} from "./attacker.ts";

// Secrets travel encrypted, past a host that stores and delivers everything. The attacker wants to read
// one, to import twice or for somebody else, or to have an export that nobody can see afterwards.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

const initImport = ({ userId }: Person): Ask => ({
  endpoint: "init_import_private_key",
  type: "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY",
  parameters: { userId },
});

const importKey = (
  { userId }: Person,
  encryptedBundle: string,
  privateKeyName = "imported",
): Ask => ({
  endpoint: "import_private_key",
  type: "ACTIVITY_TYPE_IMPORT_PRIVATE_KEY",
  parameters: {
    userId,
    privateKeyName,
    encryptedBundle,
    curve: "CURVE_SECP256K1",
    addressFormats: [],
  },
});

const exportWallet = (walletId: string, targetPublicKey: string): Ask => ({
  endpoint: "export_wallet",
  type: "ACTIVITY_TYPE_EXPORT_WALLET",
  parameters: { walletId, targetPublicKey },
});

const exportKey = (privateKeyId: string, targetPublicKey: string): Ask => ({
  endpoint: "export_private_key",
  type: "ACTIVITY_TYPE_EXPORT_PRIVATE_KEY",
  parameters: { privateKeyId, targetPublicKey },
});

const newKey = () => generatePrivateKey("CURVE_SECP256K1");

/** A user opens an import and encrypts a key to it. */
async function encryptedBy(victim: Victim, person: Person, key = newKey()): Promise<string> {
  const reply = await perform(server, victim, initImport(person), person.key);
  const { importBundle } = resultOf(reply, "initImportPrivateKeyResult");
  return encryptTo(String(importBundle), key);
}

function encryptTo(importBundle: string, key: Uint8Array): string {
  return encryptToBundle(key, openImportBundle(importBundle, signerPublicKey()).targetPublic);
}

function signerPublicKey(): string {
  const answer = server.signer.handle({ call: "describe" });
  if (answer.kind !== "description") throw new Error("no description");
  return answer.signerPublicKey;
}

const notOpen = { status: 400, reason: "IMPORT_NOT_OPEN" };
const otherKey = { status: 400, reason: "BUNDLE_INVALID" };

describe("an import", () => {
  test("does not happen twice, even if the host hides the first one", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const what = importKey(root, await encryptedBy(victim, root));
    const { body } = await perform(server, victim, what);
    for (const table of ["activities", "leaves"]) {
      const text = `DELETE FROM ${table} WHERE organization_id = $1::uuid`;
      await edit(server, text, [victim.organizationId]);
    }
    const again = () => send(server, what.endpoint, body, stampOf(root.key, body));
    await expectRefused(server, [victim.organizationId], again, {
      status: 409,
      reason: "ACTIVITY_ALREADY_EXECUTED",
    });
  });

  test("does not happen with a key that an older document has as unused", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const encrypted = await encryptedBy(victim, root);
    const unused = await rowsOf(server, victim.organizationId);
    await perform(server, victim, importKey(root, encrypted));
    const again = () => ask(server, victim, importKey(root, encrypted, "again"));
    await expectRefused(server, [victim.organizationId], again, notOpen);
    for (const table of ["organizations", "organization_documents"]) {
      await putBack(server, victim.organizationId, table, unused);
    }
    await expectRefused(server, [victim.organizationId], again, {
      status: 503,
      reason: "STALE_RECORD",
      signerLog: /older than version/,
    });
  });

  test("does not happen with a key that was revived or prolonged in the document", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const encrypted = await encryptedBy(victim, root);
    await editDocument(server, victim.organizationId, ({ imports }) => {
      for (const line of imports) line.expiresAtMs += 86_400_000;
    });
    const attack = () => ask(server, victim, importKey(root, encrypted));
    await expectRefused(server, [victim.organizationId], attack, {
      status: 500,
      reason: "INTERNAL",
      signerLog: /notarization/,
    });
  });

  test("is not opened by a proposal that was never committed", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const proposal = await proposalFor(server, victim, initImport(root));
    const { importBundle } = shownResult(proposal) as { importBundle: string };
    const encrypted = encryptTo(importBundle, newKey());
    const attack = () => ask(server, victim, importKey(root, encrypted));
    await expectRefused(server, [victim.organizationId], attack, notOpen);
    // The core neither believes the proposed document, nor takes its line into the current one.
    const what = importKey(root, encrypted);
    const asked = (records: Uint8Array[]) =>
      knock(server, {
        endpoint: what.endpoint,
        body: bytesOf(server, victim.organizationId, what),
        key: root.key,
        records,
      });
    expect(asked([writtenBy(proposal, "organization")])).toEqual({ kind: "unconfirmed" });
    await perform(server, victim, initImport(root));
    expect(asked([writtenBy(proposal, "organization")])).toMatchObject({
      error: { reason: "STALE_RECORD" },
    });
    await expectRefused(server, [victim.organizationId], attack, otherKey);
  });

  test("of a bundle that another user encrypted imports nothing", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const thief = await addUser(server, victim);
    const mayImport = "activity.action == 'IMPORT'";
    const consensus = `approvers.any(user, user.id == '${thief.userId}')`;
    await perform(
      server,
      victim,
      makePolicy("imports", "EFFECT_ALLOW", { condition: mayImport, consensus }),
    );
    const stolen = await encryptedBy(victim, root);
    const attacks: [Ask, typeof notOpen][] = [
      [importKey(thief, stolen), notOpen],
      [importKey(root, stolen), { status: 403, reason: "REQUEST_NOT_AUTHORIZED" }],
      [initImport(root), { status: 403, reason: "REQUEST_NOT_AUTHORIZED" }],
    ];
    for (const [what, refusal] of attacks) {
      const attack = () => ask(server, victim, what, thief.key);
      await expectRefused(server, [victim.organizationId], attack, refusal);
    }
    await perform(server, victim, initImport(thief), thief.key);
    const attack = () => ask(server, victim, importKey(thief, stolen), thief.key);
    await expectRefused(server, [victim.organizationId], attack, otherKey);
    await perform(server, victim, importKey(root, stolen));
  });

  test("does not move to another organization, with its document or its bundle", async () => {
    const [victim, other] = [await newVictim(server), await newVictim(server)];
    const [root] = victim.people;
    const [stranger] = other.people;
    const encrypted = await encryptedBy(victim, root);
    await perform(server, other, initImport(stranger));
    const ids = [victim.organizationId, other.organizationId];
    const attack = () => ask(server, other, importKey(stranger, encrypted));
    await expectRefused(server, ids, attack, otherKey);
    const what = importKey(root, encrypted);
    const answer = knock(server, {
      endpoint: what.endpoint,
      body: bytesOf(server, victim.organizationId, what),
      key: root.key,
      records: [await documentOf(server, other.organizationId)],
    });
    expect(answer).toMatchObject({ error: { reason: "RECORD_REFUSED" } });
  });

  test("by a user whom no policy allows it is denied", async () => {
    const victim = await newVictim(server);
    const user = await addUser(server, victim);
    const attack = () => ask(server, victim, initImport(user), user.key);
    await expectRefused(server, [victim.organizationId], attack, {
      status: 403,
      reason: "POLICY_DENIED",
    });
  });
});

describe("an export", () => {
  test("is released only with the document that records it", async () => {
    const victim = await newVictim(server);
    const { walletId } = await newWallet(server, victim);
    const { targetPublicKey, targetPrivateKey } = createTargetKey();
    const old = await documentOf(server, victim.organizationId);
    const what = exportWallet(walletId, targetPublicKey);
    const records = [
      await recordOf(server, "SELECT record FROM wallets WHERE wallet_id = $1::uuid", [walletId]),
    ];
    const proposal = await proposalFor(server, victim, what, { records });
    const { body } = proposal;
    const other = await proposalFor(server, victim, what, { records, body });
    expect(shownResult(proposal)).toBeNull();
    for (const each of proposal.attachments) {
      expect(Buffer.from(each).includes("encappedPublic")).toBe(false);
    }
    const [activity, document] = partsOf(proposal);
    const [otherActivity, otherDocument] = partsOf(other);
    const forged = forge<ActivityRecord>(activity, ({ body }) => {
      if (body.sealedResult) body.sealedResult.documentDigest = "00".repeat(32);
    });
    for (const brought of [[activity], [old, activity], [otherDocument, activity], [forged]]) {
      expect(confirm(...brought)).toMatchObject({ kind: "error" });
    }
    // None of these confirmed anything. Either document records an export: there is no other way.
    expect([document, otherDocument].map(exportedIn)).toEqual([true, true]);
    const released = confirm(document, activity);
    expect(confirm(otherDocument, otherActivity)).toMatchObject({ kind: "error" });
    const result = released.kind === "confirmed" ? released.result : undefined;
    const exportBundle = String(result?.exportBundle);
    const origin = { signerPublicKey: signerPublicKey(), organizationId: victim.organizationId };
    expect(decryptWalletBundle({ exportBundle, targetPrivateKey, ...origin }).mnemonic).toMatch(
      /^[a-z]+( [a-z]+){11}$/,
    );
  });

  test("goes to nobody but the key in the stamped request", async () => {
    const victim = await newVictim(server);
    const { walletId } = await newWallet(server, victim);
    const [mine, thief] = [createTargetKey(), createTargetKey()];
    const what = exportWallet(walletId, mine.targetPublicKey);
    const body = bytesOf(server, victim.organizationId, what);
    const [root] = victim.people;
    const swapped = body.replace(mine.targetPublicKey, thief.targetPublicKey);
    const attack = () => send(server, what.endpoint, swapped, stampOf(root.key, body));
    await expectRefused(server, [victim.organizationId], attack, {
      status: 401,
      reason: "STAMP_INVALID",
    });
    const reply = await send(server, what.endpoint, body, stampOf(root.key, body));
    const exportBundle = bundleOf(reply, "exportWalletResult");
    const origin = { signerPublicKey: signerPublicKey(), organizationId: victim.organizationId };
    const open = ({ targetPrivateKey }: typeof mine, changed = {}) =>
      decryptWalletBundle({ exportBundle, targetPrivateKey, ...origin, ...changed });
    expect(open(mine).mnemonic).toMatch(/^[a-z]+ /);
    expect(() => open(thief)).toThrow("decryption failed");
    // The client notices a bundle of another organization, and one that another signer made.
    expect(() => open(mine, { organizationId: thief.targetPublicKey })).toThrow();
    expect(() => open(mine, { signerPublicKey: thief.targetPublicKey })).toThrow();
  });

  test("of a key of another organization, or one that the host swapped, is refused", async () => {
    const [victim, other] = [await newVictim(server), await newVictim(server)];
    const mine = await newPrivateKey(server, victim);
    const theirs = await newPrivateKey(server, other);
    const { targetPublicKey, targetPrivateKey } = createTargetKey();
    const recordOfKey = (organizationId: string) =>
      recordOf(server, "SELECT record FROM private_keys WHERE organization_id = $1::uuid", [
        organizationId,
      ]);
    const asked = async (privateKeyId: string, record: Uint8Array) => {
      const what = exportKey(privateKeyId, targetPublicKey);
      return knock(server, {
        endpoint: what.endpoint,
        body: bytesOf(server, victim.organizationId, what),
        key: victim.people[0].key,
        records: [await documentOf(server, victim.organizationId), record],
      });
    };
    const foreign = await recordOfKey(other.organizationId);
    expect(await asked(theirs.privateKeyId, foreign)).toMatchObject({ kind: "error" });
    expect(await asked(mine.privateKeyId, foreign)).toMatchObject({
      error: { reason: "RECORD_REFUSED" },
    });
    const spliced = forge(await recordOfKey(victim.organizationId), (record) => {
      Object.assign(record, { body: readRecord(foreign).body });
    });
    expect(await asked(mine.privateKeyId, spliced)).toMatchObject({
      error: { reason: "RECORD_REFUSED" },
    });
    const reply = await perform(server, victim, exportKey(mine.privateKeyId, targetPublicKey));
    const exported = decryptPrivateKeyBundle({
      exportBundle: bundleOf(reply, "exportPrivateKeyResult"),
      targetPrivateKey,
      signerPublicKey: signerPublicKey(),
      organizationId: victim.organizationId,
    });
    expect(exported).toMatch(/^[0-9a-f]{64}$/);
  });

  test("that was executed is not released again for another key", async () => {
    const victim = await newVictim(server);
    const { walletId } = await newWallet(server, victim);
    const { targetPublicKey } = createTargetKey();
    const what = exportWallet(walletId, targetPublicKey);
    const first = await perform(server, victim, what);
    await edit(server, "UPDATE activities SET released = NULL WHERE organization_id = $1::uuid", [
      victim.organizationId,
    ]);
    const [root] = victim.people;
    const again = await send(server, what.endpoint, first.body, stampOf(root.key, first.body));
    expect(bundleOf(again, "exportWalletResult")).toBe(bundleOf(first, "exportWalletResult"));
  });

  test("writes no part of a secret into any record, log line or answer", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const key = newKey();
    const encrypted = await encryptedBy(victim, root, key);
    const reply = await perform(server, victim, importKey(root, encrypted));
    const { privateKeyId } = resultOf(reply, "importPrivateKeyResult");
    const { targetPublicKey } = createTargetKey();
    await perform(server, victim, exportKey(String(privateKeyId), targetPublicKey));
    const rows = await rowsOf(server, victim.organizationId);
    const records = Object.values(rows)
      .flat()
      .flatMap((row) => Object.values(row))
      .filter((value) => value instanceof Uint8Array)
      .map((value) => Buffer.from(value));
    const secrets = [Buffer.from(key), Buffer.from(encodeUtf8(encodeHex(key)))];
    secrets.push(Buffer.from(Buffer.from(key).toString("base64url")));
    for (const secret of secrets) {
      expect(records.some((record) => record.includes(secret))).toBe(false);
    }
    const said = JSON.stringify([rows, server.events, server.lines]);
    expect(said).not.toContain(encodeHex(key));
  });
});

function confirm(...attachments: Uint8Array[]): Answer {
  return server.signer.handle({ call: "confirm", attachments });
}

function partsOf(proposal: Proposal): [activity: Uint8Array, document: Uint8Array] {
  return [writtenBy(proposal, "activity"), writtenBy(proposal, "organization")];
}

function shownResult(proposal: Proposal): unknown {
  return (readRecord(writtenBy(proposal, "activity")).body as ActivityRecord).result;
}

function exportedIn(document: Uint8Array): boolean {
  return upcast(organization, readRecord(document)).wallets.every(({ exported }) => exported);
}

function bundleOf(reply: Reply, resultKey: string): string {
  return String(resultOf(reply, resultKey).exportBundle);
}
