import { newKey } from "@keyhearth/api/testing";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import type { PrivateKey } from "@keyhearth/engine/records/private-key";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import type { SmartContractInterface } from "@keyhearth/engine/records/smart-contract-interface";
import type { Wallet } from "@keyhearth/engine/records/wallet";
import type { WalletAccount } from "@keyhearth/engine/records/wallet-account";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addKey,
  addUser,
  approve,
  ask,
  bytesOf,
  commit,
  deleteKey,
  documentOf,
  edit,
  editDocument,
  expectAlarm,
  expectRefused,
  forge,
  knock,
  makeAccount,
  makePolicy,
  makePrivateKey,
  makeSubOrganization,
  makeWallet,
  newPrivateKey,
  newVictim,
  newWallet,
  perform,
  proposalFor,
  putBack,
  putDocument,
  quorum,
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
import {
  authenticAbi,
  type Clerk,
  deleteInterface,
  exchangedAbi,
  friend,
  interfaceRecord,
  newClerk,
  newInterface,
  pay,
  thief,
} from "./contract-calls.ts";

// An attacker who controls the database can edit rows, but only the signer can make the records in
// them.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

const forged = { status: 500, reason: "INTERNAL", signerLog: /notarization/ };
const ofAnother = { status: 500, reason: "INTERNAL", signerLog: /another organization/ };
const stale = { status: 503, reason: "STALE_RECORD" };

describe("an edited document", () => {
  test("a credential added to a user opens nothing", async () => {
    const victim = await newVictim(server);
    const { address } = await newWallet(server, victim);
    const attacker = newKey();
    await editDocument(server, victim.organizationId, ({ users }) => {
      const [key] = users[0]?.apiKeys ?? [];
      if (key) users[0]?.apiKeys.push({ ...key, credential: { ...key.credential, ...attacker } });
    });
    for (const what of [sign(address), makeWallet("second")]) {
      const attack = () => ask(server, victim, what, attacker);
      await expectRefused(server, [victim.organizationId], attack, forged);
    }
  });

  test("a lowered threshold lets no single user decide", async () => {
    const victim = await newVictim(server, { rootUsers: 2, threshold: 2 });
    await editDocument(server, victim.organizationId, ({ rootQuorum }) => {
      rootQuorum.threshold = 1;
    });
    const attack = () => ask(server, victim, makeWallet());
    await expectRefused(server, [victim.organizationId], attack, forged);
  });

  test("a quorum with one more member does not count that member", async () => {
    const victim = await newVictim(server);
    const insider = await addUser(server, victim);
    await editDocument(server, victim.organizationId, ({ rootQuorum }) => {
      rootQuorum.userIds.push(insider.userId);
    });
    const attack = () => ask(server, victim, makeWallet(), insider.key);
    await expectRefused(server, [victim.organizationId], attack, forged);
  });

  test("another parent is refused, in the document and in the columns", async () => {
    const [parent, other] = [await newVictim(server), await newVictim(server)];
    const sub = await newSubOrganization(parent);
    for (const table of ["organizations", "lookups"]) {
      await edit(
        server,
        `UPDATE ${table} SET parent_organization_id = $2::uuid WHERE organization_id = $1::uuid`,
        [sub.organizationId, other.organizationId],
      );
    }
    const byColumn = () => ask(server, sub, makeWallet("new"), other.people[0].key);
    await expectRefused(server, [sub.organizationId], byColumn, {
      status: 401,
      reason: "CREDENTIAL_NOT_FOUND",
    });

    await editDocument(server, sub.organizationId, (document) => {
      document.parentOrganizationId = other.organizationId;
    });
    const attack = () => ask(server, sub, makeWallet("new"));
    await expectRefused(server, [sub.organizationId], attack, forged);
  });

  test("another key epoch in an authentic document is refused", async () => {
    const victim = await newVictim(server);
    const document = await documentOf(server, victim.organizationId);
    const renamed = forge(document, ({ header }) => {
      header.keyEpoch = 2;
    });
    await putDocument(server, victim.organizationId, renamed);
    const attack = () => ask(server, victim, makeWallet());
    await expectRefused(server, [victim.organizationId], attack, {
      ...forged,
      signerLog: /key epoch 2/,
    });
  });

  test("the document of another organization does not replace the organization's own", async () => {
    const [victim, attacker] = [await newVictim(server), await newVictim(server)];
    const { address } = await newWallet(server, victim);
    await putDocument(
      server,
      victim.organizationId,
      await documentOf(server, attacker.organizationId),
    );
    const attack = () => ask(server, victim, sign(address), attacker.people[0].key);
    await expectRefused(server, [victim.organizationId], attack, ofAnother);
  });

  test("raised version columns change nothing: only the record is read", async () => {
    const victim = await newVictim(server);
    const { address } = await newWallet(server, victim);
    const before = resultOf(
      await perform(server, victim, sign(address, "hello")),
      "signRawPayloadResult",
    );
    for (const table of ["organizations", "organization_documents"]) {
      await edit(
        server,
        `UPDATE ${table} SET version = version + 40 WHERE organization_id = $1::uuid`,
        [victim.organizationId],
      );
    }
    const attack = () => ask(server, victim, makeWallet("second"));
    await expectRefused(server, [victim.organizationId], attack, {
      status: 503,
      reason: "CONFLICT",
    });
    const signing = await proposalFor(server, victim, sign(address, "hello"), {
      records: await signingRecords(victim, address),
    });
    expect(signing.documentVersion).toBe(2);
    expect(new TextDecoder().decode(signing.attachments[0])).toContain(String(before.r));
  });
});

describe("policies", () => {
  /** An insider who may create wallets, unless a policy forbids it. */
  async function newInsider() {
    const victim = await newVictim(server);
    const insider = await addUser(server, victim);
    const consensus = `approvers.any(u, u.id == '${insider.userId}')`;
    const condition = "activity.kind == 'CREATE_WALLET'";
    await perform(server, victim, makePolicy("wallets", "EFFECT_ALLOW", { condition, consensus }));
    return { victim, insider, condition };
  }

  test("a policy that was added to the document, or changed there, allows nothing", async () => {
    const { victim, insider } = await newInsider();
    const { address } = await newWallet(server, victim);
    const { organizationId } = victim;
    await editDocument(server, organizationId, ({ policies }) => {
      for (const policy of policies) policy.condition = null;
    });
    const attack = () => ask(server, victim, sign(address), insider.key);
    await expectRefused(server, [organizationId], attack, forged);
  });

  test("a DENY cannot be removed from the document", async () => {
    const { victim, insider, condition } = await newInsider();
    await perform(server, victim, makePolicy("stop", "EFFECT_DENY", { condition }));
    const { organizationId } = victim;
    const denied = await ask(server, victim, makeWallet(), insider.key);
    expect(denied).toMatchObject({ status: 403, reason: "POLICY_DENIED" });
    await editDocument(server, organizationId, ({ policies }) => void policies.pop());
    const attack = () => ask(server, victim, makeWallet("second"), insider.key);
    await expectRefused(server, [organizationId], attack, forged);
  });

  test("a document from before a DENY was created does not come back", async () => {
    const { victim, insider, condition } = await newInsider();
    const { organizationId } = victim;
    const old = await rowsOf(server, organizationId);
    await perform(server, victim, makePolicy("stop", "EFFECT_DENY", { condition }));
    for (const table of ["organizations", "organization_documents"]) {
      await putBack(server, organizationId, table, old);
    }
    const attack = () => ask(server, victim, makeWallet(), insider.key);
    await expectRefused(server, [organizationId], attack, {
      ...stale,
      signerLog: /older than version/,
    });
  });

  test("the vote of a user whom the policy no longer names completes nothing", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const first = await addUser(server, victim);
    const second = await addUser(server, victim);
    const policy = makePolicy("two of us", "EFFECT_ALLOW", {
      condition: "activity.kind == 'CREATE_WALLET'",
      consensus: `approvers.any(u, u.id == '${first.userId}') && approvers.any(u, u.id == '${second.userId}')`,
    });
    const made = await perform(server, victim, policy);
    const { policyId } = resultOf(made, "createPolicyResult");
    const waiting = await perform(server, victim, makeWallet(), first.key);
    await perform(server, victim, {
      endpoint: "update_policy",
      type: "ACTIVITY_TYPE_UPDATE_POLICY_V2",
      parameters: { policyId, policyConsensus: `approvers.any(u, u.id == '${root.userId}')` },
    });
    const vote = approve(waiting.activity?.fingerprint ?? "");
    const attack = () => ask(server, victim, vote, second.key);
    await expectRefused(server, [victim.organizationId], attack, {
      status: 403,
      reason: "REQUEST_NOT_AUTHORIZED",
    });
  });

  test("the host's notes about denials decide nothing", async () => {
    const { victim, insider } = await newInsider();
    const { address } = await newWallet(server, victim);
    const { organizationId } = victim;
    await ask(server, victim, sign(address), insider.key);
    await edit(
      server,
      "UPDATE denials SET error = '{}'::jsonb, body = NULL WHERE organization_id = $1::uuid",
      [organizationId],
    );
    const attack = () => ask(server, victim, sign(address, "again"), insider.key);
    const reply = await attack();
    expect(reply).toMatchObject({ status: 403, reason: "POLICY_DENIED", activity: undefined });
  });
});

describe("history", () => {
  test("a document older than the mark is refused, even after the signer restarts", async () => {
    const victim = await newVictim(server, { rootUsers: 2, threshold: 1 });
    const [root, thief] = victim.people;
    if (!thief) throw new Error("two users were made");
    const { address } = await newWallet(server, victim);
    const old = await rowsOf(server, victim.organizationId);
    await perform(server, victim, quorum(1, [root.userId]));
    for (const table of ["organizations", "organization_documents"]) {
      await putBack(server, victim.organizationId, table, old);
    }
    const attacks = [sign(address), makeWallet("second")];
    for (const what of attacks) {
      const attack = () => ask(server, victim, what, thief.key);
      await expectRefused(server, [victim.organizationId], attack, {
        ...stale,
        signerLog: /older than version/,
      });
    }
    expectAlarm(server, /ALARM.*older than the signer has seen/);
    server.signer.restart();
    for (const what of attacks) {
      const attack = () => ask(server, victim, what, thief.key);
      await expectRefused(server, [victim.organizationId], attack, {
        ...stale,
        signerLog: /older than version/,
      });
    }
  });

  test("of two proposals for one version, only the committed one counts", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const mine = await proposalFor(server, victim, makeWallet("mine"));
    const other = await proposalFor(server, victim, makeWallet("other"));
    await commit(server, mine);
    await putDocument(server, organizationId, writtenBy(other, "organization"));
    const attack = () => ask(server, victim, makeWallet("third"));
    const forked = { ...stale, signerLog: /the history was forked/ };
    await expectRefused(server, [organizationId], attack, forked);
    server.signer.restart();
    await expectRefused(server, [organizationId], attack, forked);
  });

  test("a wallet of a proposal that was never committed does not replace the committed one", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const mine = await proposalFor(server, victim, makeWallet());
    const other = await proposalFor(server, victim, makeWallet(), { body: mine.body });
    await commit(server, mine);
    const address = addressIn(writtenBy(other, "wallet-account"));
    const what = sign(address);
    const answer = knock(server, {
      endpoint: what.endpoint,
      body: bytesOf(server, organizationId, what),
      key: victim.people[0].key,
      records: [
        await documentOf(server, organizationId),
        writtenBy(other, "wallet-account"),
        writtenBy(other, "wallet"),
      ],
    });
    expect(answer).toMatchObject({ kind: "error", error: { reason: "NOT_FOUND" } });
  });

  test("a sessions record with a deleted key does not bring the key back", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const stolen = newKey();
    const reply = await perform(server, victim, addKey(root, stolen, "3600"));
    const [apiKeyId = ""] = resultOf(reply, "createApiKeysResult").apiKeyIds as string[];
    await perform(server, victim, makeWallet("by the key"), stolen);
    const old = await rowsOf(server, victim.organizationId);
    await perform(server, victim, deleteKey(root, apiKeyId));
    for (const table of ["sessions", "lookups"]) {
      await putBack(server, victim.organizationId, table, old);
    }
    const attack = () => ask(server, victim, makeWallet("stolen"), stolen);
    await expectRefused(server, [victim.organizationId], attack, {
      status: 401,
      reason: "CREDENTIAL_NOT_FOUND",
    });
  });

  test("a sessions record with a deleted key does not take it along when another key is deleted", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const [stolen, kept, spare] = [newKey(), newKey(), newKey()];
    const idOf = async (what: Ask) =>
      (
        resultOf(await perform(server, victim, what), "createApiKeysResult").apiKeyIds as [string]
      )[0];
    const spareId = await idOf(addKey(root, spare));
    const stolenId = await idOf(addKey(root, stolen, "3600"));
    const old = await rowsOf(server, victim.organizationId);
    await perform(server, victim, deleteKey(root, stolenId));
    await perform(server, victim, addKey(root, kept, "3600"));
    // The host brings the older record to the next deletion, which writes a new one from it.
    await putBack(server, victim.organizationId, "sessions", old);
    await perform(server, victim, deleteKey(root, spareId));
    await putBack(server, victim.organizationId, "lookups", old);
    const attack = () => ask(server, victim, makeWallet("stolen"), stolen);
    await expectRefused(server, [victim.organizationId], attack, {
      status: 401,
      reason: "CREDENTIAL_NOT_FOUND",
    });
  });
});

describe("keys", () => {
  test("sealed keys swapped between organizations do not open", async () => {
    const [victim, attacker] = [await newVictim(server), await newVictim(server)];
    const [theirs, mine] = [await newWallet(server, victim), await newWallet(server, attacker)];
    const authentic = await walletRecord(victim, theirs.walletId);
    const own = await walletRecord(attacker, mine.walletId);
    const { sealedSeed } = readRecord(authentic).body as Wallet;
    const spliced = forge<Wallet>(own, ({ body }) => {
      body.sealedSeed = sealedSeed;
    });
    const relabelled = forge<Wallet>(authentic, ({ header, body }) => {
      header.organizationId = attacker.organizationId;
      header.id = mine.walletId;
      body.walletId = mine.walletId;
    });
    const ids = [victim.organizationId, attacker.organizationId];
    for (const [record, refusal] of [
      [authentic, { ...ofAnother, signerLog: /another organization|unrequested record/ }],
      [spliced, forged],
      [relabelled, forged],
    ] as const) {
      await edit(
        server,
        "UPDATE wallets SET record = $3::bytea, digest = $4::text WHERE organization_id = $1::uuid AND wallet_id = $2::uuid",
        [attacker.organizationId, mine.walletId, record, recordDigest(record)],
      );
      for (const what of [sign(mine.address), makeAccount(mine.walletId)]) {
        await expectRefused(server, ids, () => ask(server, attacker, what), refusal);
      }
    }
  });

  test("a wallet moved to another organization signs nothing there", async () => {
    const [victim, attacker] = [await newVictim(server), await newVictim(server)];
    const { walletId, address } = await newWallet(server, victim);
    for (const table of ["wallets", "wallet_accounts"]) {
      await edit(
        server,
        `UPDATE ${table} SET organization_id = $2::uuid WHERE organization_id = $1::uuid`,
        [victim.organizationId, attacker.organizationId],
      );
    }
    const ids = [victim.organizationId, attacker.organizationId];
    await expectRefused(server, ids, () => ask(server, attacker, sign(address)), ofAnother);
    await expectRefused(server, ids, () => ask(server, attacker, makeAccount(walletId)), ofAnother);
  });

  test("a private key moved to another organization signs nothing there", async () => {
    const [victim, attacker] = [await newVictim(server), await newVictim(server)];
    const { privateKeyId, address } = await newPrivateKey(server, victim);
    for (const table of ["private_keys", "private_key_addresses"]) {
      await edit(
        server,
        `UPDATE ${table} SET organization_id = $2::uuid WHERE organization_id = $1::uuid`,
        [victim.organizationId, attacker.organizationId],
      );
    }
    const ids = [victim.organizationId, attacker.organizationId];
    for (const signWith of [privateKeyId, address]) {
      await expectRefused(server, ids, () => ask(server, attacker, sign(signWith)), ofAnother);
    }
  });

  test("an account of another organization, moved to a wallet of this one, signs nothing", async () => {
    const [victim, attacker] = [await newVictim(server), await newVictim(server)];
    const theirs = await newWallet(server, victim);
    const mine = await newWallet(server, attacker);
    await edit(
      server,
      `UPDATE wallet_accounts SET organization_id = $2::uuid, wallet_id = $3::uuid, place = 'elsewhere'
       WHERE organization_id = $1::uuid`,
      [victim.organizationId, attacker.organizationId, mine.walletId],
    );
    const ids = [victim.organizationId, attacker.organizationId];
    await expectRefused(server, ids, () => ask(server, attacker, sign(theirs.address)), ofAnother);
  });

  test("an account record with another public key, path or address is refused", async () => {
    const victim = await newVictim(server);
    const [one, two] = [
      await newWallet(server, victim, "one"),
      await newWallet(server, victim, "two"),
    ];
    const record = await recordOf(
      server,
      "SELECT record FROM wallet_accounts WHERE organization_id = $1::uuid AND address = $2::text",
      [victim.organizationId, one.address],
    );
    for (const change of [
      { publicKey: `02${"11".repeat(32)}` },
      { path: "m/44'/60'/0'/0/7" },
      { address: two.address },
      { walletId: two.walletId },
    ]) {
      const changed = forge<WalletAccount>(record, ({ body }) => void Object.assign(body, change));
      await edit(
        server,
        "UPDATE wallet_accounts SET record = $3::bytea, digest = $4::text WHERE organization_id = $1::uuid AND address = $2::text",
        [victim.organizationId, one.address, changed, recordDigest(changed)],
      );
      const attack = () => ask(server, victim, sign(one.address));
      await expectRefused(server, [victim.organizationId], attack, forged);
    }
  });

  test("an address column that names another account does not redirect a signature", async () => {
    const victim = await newVictim(server);
    const [one, two] = [
      await newWallet(server, victim, "one"),
      await newWallet(server, victim, "two"),
    ];
    const text =
      "UPDATE wallet_accounts SET address = $3::text WHERE organization_id = $1::uuid AND wallet_id = $2::uuid";
    await edit(server, text, [victim.organizationId, one.walletId, two.address]);
    await edit(server, text, [victim.organizationId, two.walletId, one.address]);
    const attack = () => ask(server, victim, sign(one.address));
    await expectRefused(server, [victim.organizationId], attack, {
      status: 404,
      reason: "NOT_FOUND",
    });
  });

  test("a private key record that is left out is an error, never unset", async () => {
    const victim = await newVictim(server);
    const { privateKeyId } = await newPrivateKey(server, victim);
    await edit(server, "DELETE FROM private_keys WHERE organization_id = $1::uuid", [
      victim.organizationId,
    ]);
    await expectRefused(
      server,
      [victim.organizationId],
      () => ask(server, victim, sign(privateKeyId)),
      { ...forged, signerLog: /did not bring private key/ },
    );
  });

  test("a wallet record that is left out is an error, never unset", async () => {
    const victim = await newVictim(server);
    const { walletId, address } = await newWallet(server, victim);
    await edit(server, "DELETE FROM wallets WHERE organization_id = $1::uuid", [
      victim.organizationId,
    ]);
    const ids = [victim.organizationId];
    await expectRefused(server, ids, () => ask(server, victim, makeAccount(walletId)), {
      ...forged,
      signerLog: /did not bring wallet/,
    });
    await expectRefused(server, ids, () => ask(server, victim, sign(address)), {
      status: 404,
      reason: "NOT_FOUND",
    });
  });

  test("a private key record with another sealed key is refused", async () => {
    const victim = await newVictim(server);
    await perform(server, victim, makePrivateKey("one"));
    const { privateKeyId } = await newPrivateKey(server, victim);
    const records = (await rowsOf(server, victim.organizationId, ["private_keys"])).private_keys;
    const other = records?.find((row) => row.private_key_id !== privateKeyId)?.record;
    const own = records?.find((row) => row.private_key_id === privateKeyId)?.record;
    if (!(other instanceof Uint8Array && own instanceof Uint8Array)) throw new Error("two keys");
    const { sealedKey } = readRecord(other).body as PrivateKey;
    const spliced = forge<PrivateKey>(own, ({ body }) => {
      body.sealedKey = sealedKey;
    });
    const text =
      "UPDATE private_keys SET record = $3::bytea, digest = $4::text WHERE organization_id = $1::uuid AND private_key_id = $2::uuid";
    const attack = () => ask(server, victim, sign(privateKeyId));
    await edit(server, text, [victim.organizationId, privateKeyId, spliced, recordDigest(spliced)]);
    await expectRefused(server, [victim.organizationId], attack, forged);
    // The authentic record of another key of the same organization.
    await edit(server, text, [victim.organizationId, privateKeyId, other, recordDigest(other)]);
    await expectRefused(server, [victim.organizationId], attack, {
      ...forged,
      signerLog: /did not bring private key/,
    });
  });
});

describe("interfaces of contracts", () => {
  async function expectPoliciesHold({ victim, clerk, address }: Clerk) {
    await perform(server, victim, pay(address, friend), clerk.key);
    const attack = () => ask(server, victim, pay(address, thief), clerk.key);
    const denied = { status: 403, reason: "POLICY_DENIED" };
    await expectRefused(server, [victim.organizationId], attack, denied);
  }

  /** Nothing is signed, not even a call that the real interface would allow. */
  async function expectNothingSigned({ victim, clerk, address }: Clerk, signerLog: RegExp) {
    for (const recipient of [friend, thief] as const) {
      const attack = () => ask(server, victim, pay(address, recipient), clerk.key);
      const refusal = { status: 500, reason: "INTERNAL", signerLog };
      await expectRefused(server, [victim.organizationId], attack, refusal);
    }
  }

  async function put(smartContractInterfaceId: string, record: Uint8Array) {
    await edit(
      server,
      "UPDATE smart_contract_interfaces SET record = $2::bytea, digest = $3::text WHERE smart_contract_interface_id = $1::uuid",
      [smartContractInterfaceId, record, recordDigest(record)],
    );
  }

  test("an interface that is left out is an error, never an unset argument", async () => {
    const attacked = await newClerk(server);
    await expectPoliciesHold(attacked);
    await edit(
      server,
      "DELETE FROM smart_contract_interfaces WHERE smart_contract_interface_id = $1::uuid",
      [attacked.smartContractInterfaceId],
    );
    await expectNothingSigned(attacked, /did not bring smart contract interface/);
  });

  test("an interface with another text is refused", async () => {
    const attacked = await newClerk(server);
    const id = attacked.smartContractInterfaceId;
    const authentic = await interfaceRecord(server, id);
    for (const text of [exchangedAbi, "[]", ""]) {
      const changed = forge<SmartContractInterface>(authentic, ({ body }) => {
        body.text = text;
      });
      await put(id, changed);
      await expectNothingSigned(attacked, /notarization/);
    }
    await put(id, authentic);
    await expectPoliciesHold(attacked);
  });

  test("a deleted interface, or that of another contract, does not replace the missing one", async () => {
    const attacked = await newClerk(server);
    const { victim } = attacked;
    const old = await newInterface(server, victim, exchangedAbi, {
      label: "old",
      smartContractAddress: friend,
    });
    const other = await newInterface(server, victim, exchangedAbi, {
      label: "other",
      smartContractAddress: thief,
    });
    await perform(server, victim, deleteInterface(old));
    const id = attacked.smartContractInterfaceId;
    const authentic = await interfaceRecord(server, id);
    for (const record of [
      await interfaceRecord(server, old),
      await interfaceRecord(server, other),
    ]) {
      await put(id, record);
      await expectNothingSigned(attacked, /unrequested record/);
    }
    await put(id, authentic);
    await expectPoliciesHold(attacked);
  });

  test("an interface that was replaced for its contract does not come back", async () => {
    const attacked = await newClerk(server);
    const { victim } = attacked;
    await perform(server, victim, deleteInterface(attacked.smartContractInterfaceId));
    const exchanged = await newInterface(server, victim, exchangedAbi);
    await perform(server, victim, deleteInterface(exchanged));
    const current = await newInterface(server, victim, authenticAbi);
    const authentic = await interfaceRecord(server, current);
    await put(current, await interfaceRecord(server, exchanged));
    await expectNothingSigned(attacked, /unrequested record/);
    await put(current, authentic);
    await expectPoliciesHold(attacked);
  });

  test("an interface of another organization decodes no call here", async () => {
    const attacked = await newClerk(server);
    const attacker = await newVictim(server);
    const theirs = await newInterface(server, attacker, exchangedAbi);
    const record = await interfaceRecord(server, theirs);
    await put(attacked.smartContractInterfaceId, record);
    await expectNothingSigned(attacked, /unrequested record|another organization/);
  });
});

describe("votes and rows", () => {
  test("a vote forged into an activity does not count", async () => {
    const victim = await newVictim(server, { rootUsers: 3, threshold: 3 });
    const [, second, third] = victim.people;
    if (!second || !third) throw new Error("three users were made");
    const waiting = await perform(server, victim, makeWallet());
    const fingerprint = waiting.activity?.fingerprint ?? "";
    const record = await recordOf(
      server,
      "SELECT record FROM activities WHERE organization_id = $1::uuid AND fingerprint = $2::text",
      [victim.organizationId, fingerprint],
    );
    const withVote = forge<ActivityRecord>(record, ({ body }) => {
      const [vote] = body.votes;
      if (vote) body.votes.push({ ...vote, userId: third.userId, publicKey: third.key.publicKey });
    });
    await edit(
      server,
      "UPDATE activities SET record = $3::bytea WHERE organization_id = $1::uuid AND fingerprint = $2::text",
      [victim.organizationId, fingerprint, withVote],
    );
    const ids = [victim.organizationId];
    await expectRefused(
      server,
      ids,
      () => ask(server, victim, approve(fingerprint), second.key),
      forged,
    );
  });

  test("an activity of another organization cannot be approved into execution here", async () => {
    const victim = await newVictim(server, { rootUsers: 2, threshold: 2 });
    const attacker = await newVictim(server, { rootUsers: 2, threshold: 2 });
    const waiting = await perform(server, attacker, makeWallet());
    await edit(
      server,
      "UPDATE activities SET organization_id = $2::uuid WHERE organization_id = $1::uuid AND status = 'ACTIVITY_STATUS_CONSENSUS_NEEDED'",
      [attacker.organizationId, victim.organizationId],
    );
    const attack = () => ask(server, victim, approve(waiting.activity?.fingerprint ?? ""));
    await expectRefused(server, [victim.organizationId, attacker.organizationId], attack, {
      ...ofAnother,
      signerLog: /a different activity/,
    });
  });

  test("a lookups row that names another organization's key opens nothing", async () => {
    const victim = await newVictim(server);
    const attacker = await newVictim(server);
    const stolen = newKey();
    await perform(server, attacker, addKey(attacker.people[0], stolen, "3600"));
    const { userId } = victim.people[0];
    await edit(
      server,
      `INSERT INTO lookups (organization_id, kind, value_hash, subject_id)
       SELECT $2::uuid, kind, value_hash, $3::uuid FROM lookups WHERE organization_id = $1::uuid
       ON CONFLICT DO NOTHING`,
      [attacker.organizationId, victim.organizationId, userId],
    );
    await edit(
      server,
      `INSERT INTO sessions (organization_id, user_id, version, digest, record)
       SELECT $2::uuid, $3::uuid, version, digest, record FROM sessions WHERE organization_id = $1::uuid`,
      [attacker.organizationId, victim.organizationId, userId],
    );
    for (const key of [attacker.people[0].key, stolen]) {
      const attack = () => ask(server, victim, makeWallet(), key);
      await expectRefused(server, [victim.organizationId], attack, {
        status: 401,
        reason: "CREDENTIAL_NOT_FOUND",
      });
    }
  });

  test("deleted rows only make the service refuse requests", async () => {
    const victim = await newVictim(server);
    const { address } = await newWallet(server, victim);
    const ids = [victim.organizationId];
    await edit(server, "DELETE FROM wallet_accounts WHERE organization_id = $1::uuid", ids);
    await expectRefused(server, ids, () => ask(server, victim, sign(address)), {
      status: 404,
      reason: "NOT_FOUND",
    });
    await edit(server, "DELETE FROM organization_documents WHERE organization_id = $1::uuid", ids);
    for (const what of [sign(address), makeWallet("second")]) {
      await expectRefused(server, ids, () => ask(server, victim, what), {
        status: 400,
        reason: "ORGANIZATION_NOT_FOUND",
      });
    }
  });

  test("a stamp is worth nothing on another path", async () => {
    const victim = await newVictim(server);
    const body = bytesOf(server, victim.organizationId, makeWallet());
    const stamp = stampOf(victim.people[0].key, body);
    for (const endpoint of ["create_users", "sign_raw_payload", "approve_activity"]) {
      const attack = () => send(server, endpoint, body, stamp);
      await expectRefused(server, [victim.organizationId], attack, {
        status: 400,
        reason: "ACTIVITY_TYPE_INVALID",
      });
    }
  });

  test("a stamp is worth nothing in another organization", async () => {
    const [victim, other] = [await newVictim(server), await newVictim(server)];
    const body = bytesOf(server, other.organizationId, makeWallet());
    const stamp = stampOf(victim.people[0].key, body);
    const readdressed = body.replace(other.organizationId, victim.organizationId);
    const ids = [victim.organizationId, other.organizationId];
    await expectRefused(server, ids, () => send(server, "create_wallet", body, stamp), {
      status: 401,
      reason: "CREDENTIAL_NOT_FOUND",
    });
    await expectRefused(server, ids, () => send(server, "create_wallet", readdressed, stamp), {
      status: 401,
      reason: "STAMP_INVALID",
    });
  });
});

async function newSubOrganization(parent: Victim): Promise<Victim> {
  const key = newKey();
  const reply = await perform(server, parent, makeSubOrganization(key));
  const result = resultOf(reply, "createSubOrganizationResultV7");
  const [userId = ""] = result.rootUserIds as string[];
  return { organizationId: String(result.subOrganizationId), people: [{ userId, key }] };
}

function walletRecord({ organizationId }: Victim, walletId: string) {
  return recordOf(
    server,
    "SELECT record FROM wallets WHERE organization_id = $1::uuid AND wallet_id = $2::uuid",
    [organizationId, walletId],
  );
}

async function signingRecords({ organizationId }: Victim, address: string) {
  const account = await recordOf(
    server,
    "SELECT record FROM wallet_accounts WHERE organization_id = $1::uuid AND address = $2::text",
    [organizationId, address],
  );
  const wallet = await recordOf(
    server,
    "SELECT record FROM wallets WHERE organization_id = $1::uuid",
    [organizationId],
  );
  return [account, wallet];
}

function addressIn(record: Uint8Array): string {
  const { address } = readRecord(record).body as WalletAccount;
  return address;
}
