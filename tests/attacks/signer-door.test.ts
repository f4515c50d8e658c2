import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newKey } from "@keyhearth/api/testing";
import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { signP256Raw } from "@keyhearth/crypto/keys/keys";
import type { Answer, Attest, Request } from "@keyhearth/engine/core/protocol";
import { solanaAccount } from "@keyhearth/engine/organization.testing";
import { APPROVAL_WINDOW_MS, FOUND_TYPE } from "@keyhearth/engine/records/activity";
import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import { acceptRestoredDatabase, openSigner } from "@keyhearth/signer/signer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addUser,
  apiKey,
  approve,
  bytesOf,
  commit,
  documentOf,
  edit,
  expectLogged,
  forge,
  knock,
  makeAccount,
  makeSubOrganization,
  makeWallet,
  newPrivateKey,
  newVictim,
  newWallet,
  perform,
  proposalFor,
  recordOf,
  resultOf,
  sign,
  stampOf,
  startAttackedServer,
  type Victim,
  writtenBy,
} from "./attacker.ts";
import {
  exchangedAbi,
  friend,
  interfaceRecord,
  newClerk,
  newInterface,
  pay,
  thief,
} from "./contract-calls.ts";

// An attacker who controls the API talks to the signer directly, with any records and messages.

let server: Attacked;
let victim: Victim;
let document: Uint8Array;
let wallet: { walletId: string; address: string };
let records: { account: Uint8Array; wallet: Uint8Array };

beforeAll(async () => {
  server = await startAttackedServer();
  victim = await newVictim(server);
  wallet = await newWallet(server, victim);
  document = await documentOf(server, victim.organizationId);
  records = await walletRecords(victim);
});

afterAll(() => server?.stop());

describe("a request", () => {
  test("without a stamp is refused", () => {
    const body = bytesOf(server, victim.organizationId, sign(wallet.address));
    refused(() => knock(server, { endpoint: "sign_raw_payload", body, records: all() }), {
      reason: "STAMP_MISSING",
    });
  });

  test("with the stamp of other bytes is refused", () => {
    const { key } = victim.people[0];
    const body = bytesOf(server, victim.organizationId, sign(wallet.address, "mine"));
    const stamp = stampOf(key, bytesOf(server, victim.organizationId, sign(wallet.address)));
    for (const changed of [body, `${body} `, body.replace("mine", "m\\u0069ne")]) {
      const attack = () =>
        knock(server, { endpoint: "sign_raw_payload", body: changed, records: all(), stamp });
      refused(attack, { reason: "STAMP_INVALID" });
    }
  });

  test("with a stamp header of another kind or shape is refused", () => {
    const body = bytesOf(server, victim.organizationId, sign(wallet.address));
    const { value } = stampOf(victim.people[0].key, body);
    for (const stamp of [
      { name: "X-Stamp-Webauthn", value },
      { name: "X-Stamp", value: "" },
      { name: "X-Stamp", value: `${value}AAAA` },
      { name: "X-Stamp", value: Buffer.from("{}").toString("base64url") },
    ]) {
      const attack = () =>
        knock(server, { endpoint: "sign_raw_payload", body, records: all(), stamp });
      refused(attack, { reason: "STAMP_MALFORMED" });
    }
  });

  test("that names its key by an address with 0X is refused", () => {
    // Policies compare addresses in any case, but 0X does not begin one: a DENY would not match.
    const { address } = wallet;
    for (const signWith of [`0X${address.slice(2)}`, address.toUpperCase()]) {
      refused(() => ofVictim(sign(signWith), { records: all() }), { reason: "NOT_FOUND" });
    }
  });

  test("that names its key by an address in base58 in another case is refused", async () => {
    const owner = await newVictim(server);
    const made = await perform(server, owner, {
      ...makeWallet(),
      parameters: { walletName: "solana", accounts: [solanaAccount] },
    });
    const { address, records } = await soleAccountOf(owner, resultOf(made, "createWalletResult"));
    const asking = (signWith: string) => {
      const { parameters, ...what } = sign(signWith, "pay");
      const hashFunction = "HASH_FUNCTION_NOT_APPLICABLE";
      const body = bytesOf(server, owner.organizationId, {
        ...what,
        parameters: { ...parameters, hashFunction },
      });
      return knock(server, { endpoint: what.endpoint, body, key: owner.people[0].key, records });
    };
    expect(asking(address)).toMatchObject({ kind: "proposal" });
    for (const signWith of [address.toLowerCase(), address.toUpperCase()]) {
      refused(() => asking(signWith), { reason: "NOT_FOUND" });
    }
  });

  test("at an endpoint that its type does not belong to is refused", () => {
    for (const endpoint of ["create_users", "approve_activity", "sign_raw_payloads"]) {
      const attack = () => ofVictim(sign(wallet.address), { endpoint, records: all() });
      refused(attack, { reason: "ACTIVITY_TYPE_INVALID" });
    }
    for (const endpoint of ["constructor", "__proto__", "", "whoami"]) {
      const attack = () => ofVictim(sign(wallet.address), { endpoint, records: all() });
      refused(attack, { reason: "FIELD_INVALID" });
    }
  });

  test("with a member name that every object inherits is refused", () => {
    for (const type of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      const attack = () => ofVictim({ ...sign(wallet.address), type }, { records: all() });
      refused(attack, { reason: "ACTIVITY_TYPE_INVALID" });
    }
    const { timestampMs, parameters } = JSON.parse(
      bytesOf(server, victim.organizationId, sign(wallet.address)),
    );
    for (const body of [
      withMembers(parameters, timestampMs, '"__proto__": {"threshold": 1}'),
      withMembers({ ...parameters, constructor: 1 }, timestampMs, '"a": 1'),
    ]) {
      refused(() => bytesAtDoor("sign_raw_payload", body, all()), { reason: /BAD_|UNKNOWN/ });
    }
  });

  test("that is ambiguous is refused", () => {
    const body = bytesOf(server, victim.organizationId, sign(wallet.address, "small payment"));
    for (const twice of [
      body.replace('"payload"', '"payload":"all the money","payload"'),
      body.replace('"payload"', '"payload":"all the money","p\\u0061yload"'),
      body.replace('"organizationId"', `"organizationId":"${randomUUID()}","organizationId"`),
      body.replace("small payment", "\\ud800"),
      `\ufeff${body}`,
      `${body}{}`,
    ]) {
      refused(() => bytesAtDoor("sign_raw_payload", twice, all()), { reason: "BAD_REQUEST_BODY" });
    }
  });

  test("that is an hour old, or dated ahead, is refused by the signer's clock", () => {
    const body = bytesOf(server, victim.organizationId, sign(wallet.address));
    const { timestampMs } = JSON.parse(body);
    for (const offsetMs of [-3_600_000, -APPROVAL_WINDOW_MS, 301_000]) {
      const dated = body.replace(timestampMs, String(Number(timestampMs) + offsetMs));
      refused(() => bytesAtDoor("sign_raw_payload", dated, all()), {
        reason: "TIMESTAMP_OUT_OF_RANGE",
      });
    }
    for (const odd of ["-1", "1e13", "0x1", " 1", "NaN", ""]) {
      const dated = body.replace(timestampMs, odd);
      refused(() => bytesAtDoor("sign_raw_payload", dated, all()), { reason: "BAD_REQUEST_BODY" });
    }
  });
});

describe("records", () => {
  test("the document of another organization is refused", async () => {
    const attacker = await newVictim(server);
    const own = await documentOf(server, attacker.organizationId);
    // The victim's bytes with the attacker's document, and the reverse.
    refused(() => ofVictim(makeWallet("x"), { records: [own] }), alarm(/another organization/));
    const body = bytesOf(server, victim.organizationId, sign(wallet.address));
    const attack = () =>
      knock(server, {
        endpoint: "sign_raw_payload",
        body,
        key: attacker.people[0].key,
        records: [own, records.account, records.wallet],
      });
    refused(attack, alarm(/another organization/));
  });

  test("records of another organization are refused", async () => {
    const attacker = await newVictim(server);
    const own = await documentOf(server, attacker.organizationId);
    for (const [what, brought] of [
      [sign(wallet.address), [records.account, records.wallet]],
      [makeAccount(wallet.walletId), [records.wallet]],
    ] as const) {
      const body = bytesOf(server, attacker.organizationId, what);
      const attack = () =>
        knock(server, {
          endpoint: what.endpoint,
          body,
          key: attacker.people[0].key,
          records: [own, ...brought],
        });
      refused(attack, alarm(/another organization/));
    }
  });

  test("records that nobody asked for are refused", async () => {
    const other = await newWallet(server, victim, "other");
    document = await documentOf(server, victim.organizationId);
    const { privateKeyId } = await newPrivateKey(server, victim);
    document = await documentOf(server, victim.organizationId);
    const key = await recordOf(
      server,
      "SELECT record FROM private_keys WHERE organization_id = $1::uuid",
      [victim.organizationId],
    );
    const activity = await recordOf(
      server,
      "SELECT record FROM activities WHERE organization_id = $1::uuid LIMIT 1",
      [victim.organizationId],
    );
    for (const [what, brought] of [
      [makeWallet("new"), [records.wallet]],
      [makeWallet("new"), [document]],
      [makeWallet("new"), [key]],
      [makeAccount(other.walletId), [records.wallet]],
    ] as const) {
      refused(() => ofVictim(what, { records: [document, ...brought] }), alarm(/unrequested/));
    }
    refused(
      () => ofVictim(sign(privateKeyId), { records: [document, key, activity] }),
      alarm(/a different activity/),
    );
  });

  test("a missing document, another record in its place, or a forged document is refused", () => {
    refused(() => ofVictim(sign(wallet.address), { records: [] }), alarm(/document first/));
    refused(
      () => ofVictim(sign(wallet.address), { records: [records.wallet, document] }),
      alarm(/document first/),
    );
    const forged = forge<OrganizationDocument>(document, ({ body }) => {
      body.rootQuorum.threshold = 0;
    });
    refused(() => ofVictim(makeWallet("x"), { records: [forged] }), alarm(/notarization/));
    for (const cut of [1, 4, 16, 40, document.length - 1]) {
      const attack = () => ofVictim(makeWallet("x"), { records: [document.slice(0, cut)] });
      refused(attack, alarm(/record/));
    }
  });

  test("a record with any byte changed is refused", () => {
    for (let at = 0; at < records.wallet.length; at += 37) {
      const changed = records.wallet.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      const attack = () => ofVictim(makeAccount(wallet.walletId), { records: [document, changed] });
      refused(attack, alarm(/record/));
    }
  });

  test("a digest that names other bytes does not smuggle them in", () => {
    const forged = forge<OrganizationDocument>(document, ({ body }) => {
      body.rootQuorum.threshold = 0;
    });
    const body = bytesOf(server, victim.organizationId, makeWallet("x"));
    const answer = call({
      call: "submit",
      endpoint: "create_wallet",
      body: encodeUtf8(body),
      stamp: stampOf(victim.people[0].key, body),
      records: [recordDigest(forged)],
      attachments: [document],
    });
    expect(answer).toEqual({ kind: "need", digests: [recordDigest(forged)] });
  });

  test("an account whose wallet the document does not list signs nothing", async () => {
    const early = await newVictim(server);
    const own = await documentOf(server, early.organizationId);
    const proposal = await proposalFor(server, early, makeWallet());
    const account = writtenBy(proposal, "wallet-account");
    const { address } = readRecord(account).body as { address: string };
    const what = sign(address);
    const attack = () =>
      knock(server, {
        endpoint: what.endpoint,
        body: bytesOf(server, early.organizationId, what),
        key: early.people[0].key,
        records: [own, account, writtenBy(proposal, "wallet")],
      });
    refused(attack, { reason: "NOT_FOUND" });
  });

  test("the interface of a called contract can be neither left out nor exchanged", async () => {
    const { victim: bound, clerk, address, smartContractInterfaceId } = await newClerk(server);
    const exchanged = await newInterface(server, bound, exchangedAbi, {
      label: "exchanged",
      smartContractAddress: friend,
    });
    const own = await documentOf(server, bound.organizationId);
    const { account, wallet } = await walletRecords(bound);
    const authentic = await interfaceRecord(server, smartContractInterfaceId);
    const other = await interfaceRecord(server, exchanged);
    const knockFor = (recipient: typeof friend | typeof thief, interfaces: Uint8Array[]) => {
      const what = pay(address, recipient);
      return knock(server, {
        endpoint: what.endpoint,
        body: bytesOf(server, bound.organizationId, what),
        key: clerk.key,
        records: [own, account, wallet, ...interfaces],
      });
    };
    for (const recipient of [friend, thief] as const) {
      refused(() => knockFor(recipient, []), alarm(/did not bring smart contract interface/));
      refused(() => knockFor(recipient, [other]), alarm(/unrequested record/));
      refused(() => knockFor(recipient, [authentic, other]), alarm(/unrequested record/));
    }
    refused(() => knockFor(thief, [authentic]), { reason: "POLICY_DENIED" });
    expect(knockFor(friend, [authentic])).toMatchObject({ kind: "proposal" });
  });

  test("votes do not count without the interface of the called contract", async () => {
    const { victim: bound, clerk, ...rest } = await newClerk(server, { approvals: 2 });
    const colleague = await addUser(server, bound);
    const waiting = await perform(server, bound, pay(rest.address, friend), clerk.key);
    expect(waiting.activity).toMatchObject({ status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" });
    const own = await documentOf(server, bound.organizationId);
    const activity = await recordOf(
      server,
      "SELECT record FROM activities WHERE organization_id = $1::uuid AND fingerprint = $2::text",
      [bound.organizationId, waiting.activity?.fingerprint],
    );
    const { account, wallet } = await walletRecords(bound);
    const what = approve(waiting.activity?.fingerprint ?? "");
    const vote = (interfaces: Uint8Array[]) =>
      knock(server, {
        endpoint: what.endpoint,
        body: bytesOf(server, bound.organizationId, what),
        key: colleague.key,
        records: [own, account, wallet, ...interfaces, activity],
      });
    refused(() => vote([]), alarm(/did not bring smart contract interface/));
    const authentic = await interfaceRecord(server, rest.smartContractInterfaceId);
    expect(vote([authentic])).toMatchObject({ kind: "proposal" });
  });

  test("an activity with another fingerprint is not approved", async () => {
    const council = await newVictim(server, { rootUsers: 2, threshold: 2 });
    const asked = await perform(server, council, makeWallet("asked for"));
    const other = await perform(server, council, makeWallet("not asked for"));
    const own = await documentOf(server, council.organizationId);
    const record = await recordOf(
      server,
      "SELECT record FROM activities WHERE organization_id = $1::uuid AND fingerprint = $2::text",
      [council.organizationId, other.activity?.fingerprint],
    );
    const what = approve(asked.activity?.fingerprint ?? "");
    const body = bytesOf(server, council.organizationId, what);
    const key = council.people[1]?.key;
    const atDoor = { endpoint: what.endpoint, body, key };
    refused(
      () => knock(server, { ...atDoor, records: [own, record] }),
      alarm(/a different activity/),
    );
    refused(() => knock(server, { ...atDoor, records: [own] }), { reason: "ACTIVITY_NOT_FOUND" });
  });

  test("a forged record, or a document, is not notarized again", () => {
    const forged = forge<Record<string, unknown>>(records.wallet, ({ header }) => {
      header.organizationId = randomUUID();
    });
    refused(() => call({ call: "renew", attachments: [forged] }), alarm(/notarization/));
    refused(() => call({ call: "renew", attachments: [document] }), alarm(/its next change/));
    refused(() => call({ call: "renew", attachments: [new Uint8Array(200)] }), alarm(/record/));
    const answer = call({ call: "renew", attachments: [records.wallet] });
    // In the same epoch the record stays the same.
    expect(answer).toEqual({ kind: "renewed", attachments: [records.wallet] });
  });
});

describe("tickets", () => {
  test("an unknown ticket, or a used one, moves no mark", async () => {
    const other = await newVictim(server);
    const proposal = await proposalFor(server, other, makeWallet());
    for (const ticket of ["1", "0", "", "constructor", `${proposal.ticket}0`]) {
      refused(() => call({ call: "confirm", ticket }), alarm(/does not know this ticket/));
    }
    await commit(server, proposal);
    const twice = () => call({ call: "confirm", ticket: proposal.ticket ?? "" });
    refused(twice, alarm(/does not know this ticket/));
    await perform(server, other, makeWallet("still works"));
  });

  test("a proposal whose base has changed is not confirmed", async () => {
    const other = await newVictim(server);
    const late = await proposalFor(server, other, makeWallet("late"));
    const first = await proposalFor(server, other, makeWallet("first"));
    await commit(server, first);
    const confirm = () => call({ call: "confirm", ticket: late.ticket ?? "" });
    refused(confirm, { reason: "STALE_RECORD", log: /the history was forked/ });
    const before = await proposalFor(server, other, makeWallet("second"));
    await perform(server, other, makeWallet("third"));
    await perform(server, other, makeWallet("fourth"));
    const confirmBefore = () => call({ call: "confirm", ticket: before.ticket ?? "" });
    refused(confirmBefore, { reason: "STALE_RECORD", log: /older than version/ });
    await perform(server, other, makeWallet("still works"));
  });

  test("a ticket is worth nothing after the signer has restarted", async () => {
    const other = await newVictim(server);
    const old: string[] = [];
    for (const name of ["a", "b", "c"]) {
      old.push((await proposalFor(server, other, makeWallet(name))).ticket ?? "");
    }
    server.signer.restart();
    for (const name of ["d", "e", "f"]) await proposalFor(server, other, makeWallet(name));
    for (const ticket of old) {
      refused(() => call({ call: "confirm", ticket }), alarm(/does not know this ticket/));
    }
    await perform(server, other, makeWallet("still works"));
  });

  test("no second set of keys is handed out for a sub-organization that exists", async () => {
    const what = makeSubOrganization(newKey());
    const parent = await newVictim(server);
    const first = await proposalFor(server, parent, what);
    const second = await proposalFor(server, parent, what, { body: first.body });
    await commit(server, first);
    // It was proposed before the first was committed, and names the same organization.
    refused(() => call({ call: "confirm", ticket: second.ticket ?? "" }), {
      reason: "STALE_RECORD",
      log: /forked/,
    });
    const [, other] = second.attachments;
    if (!other) throw new Error("a proposal of one record");
    await expect(proposalFor(server, parent, what, { body: first.body })).rejects.toThrow(
      "ACTIVITY_ALREADY_EXECUTED",
    );
    const forked = writtenBy(second, "organization");
    const { organizationId } = readRecord(forked).header;
    const atDoor = () =>
      knock(server, {
        endpoint: "create_wallet",
        body: bytesOf(server, organizationId, makeWallet()),
        key: parent.people[0].key,
        records: [forked],
      });
    refused(atDoor, { reason: "STALE_RECORD", log: /forked/ });
  });
});

describe("founding", () => {
  test("an organization that exists is not founded again", () => {
    const attacker = newKey();
    const of = (organizationId: string) => {
      const body = founding(organizationId, attacker.publicKey);
      return proposed(
        knock(server, { endpoint: "create_organization", body, key: attacker, records: [] }),
      );
    };
    // The id in the envelope says nothing: the core makes another one of the bytes.
    expect(of(victim.organizationId).organizationId).not.toBe(victim.organizationId);
    const id = randomUUID();
    expect(of(id).organizationId).not.toBe(id);

    const body = founding(id, attacker.publicKey);
    const again = () =>
      knock(server, { endpoint: "create_organization", body, key: attacker, records: [] });
    confirm(proposed(again()));
    refused(again, { reason: "ACTIVITY_ALREADY_EXECUTED" });
  });

  test("an organization is not founded twice at once", () => {
    const key = newKey();
    const body = founding(randomUUID(), key.publicKey);
    const of = () => knock(server, { endpoint: "create_organization", body, key, records: [] });
    const one = proposed(of());
    server.clock.offsetMs += 1;
    const two = proposed(of());
    expect(two.documentDigest).not.toBe(one.documentDigest);
    confirm(one);
    const second = () => server.signer.handle({ call: "confirm", ticket: two.ticket ?? "" });
    refused(second, { reason: "STALE_RECORD", log: /forked/ });
  });

  test("a founding stamped with a key other than the registered one is refused", () => {
    const [registered, other] = [newKey(), newKey()];
    const body = founding(randomUUID(), registered.publicKey);
    const at = { endpoint: "create_organization", body, records: [] };
    refused(() => knock(server, { ...at, key: other }), { reason: "STAMP_INVALID" });
    refused(() => knock(server, at), { reason: "STAMP_MISSING" });
  });

  test("no other endpoint accepts the founding type, and founding accepts no other type", () => {
    const { key } = victim.people[0];
    const body = founding(victim.organizationId, key.publicKey);
    for (const endpoint of ["create_sub_organization", "create_users"]) {
      refused(() => knock(server, { endpoint, body, key, records: [document] }), {
        reason: "ACTIVITY_TYPE_INVALID",
      });
    }
    const other = body.replace(FOUND_TYPE, "ACTIVITY_TYPE_CREATE_WALLET");
    refused(
      () => knock(server, { endpoint: "create_organization", body: other, key, records: [] }),
      { reason: "ACTIVITY_TYPE_INVALID" },
    );
  });
});

describe("receipts", () => {
  test("an invented leaf, or one of another organization, is not sealed", async () => {
    const other = await newVictim(server);
    const [theirs] = await leavesOf(victim);
    const [own] = await leavesOf(other);
    if (!theirs || !own) throw new Error("organizations without leaves");
    const base = await attestOf(other);
    for (const leaf of [theirs, { ...own, hash: "b".repeat(64) }, { hash: own.hash, tag: "00" }]) {
      const attack = () => call({ ...base, leaves: [own, leaf] });
      refused(attack, alarm(/a leaf of the log was not made by the signer/));
    }
    refused(() => call({ ...base, leaves: [] }), { reason: "RECORD_REFUSED" });
  });

  test("a chain of segments can be neither forked nor skipped, even after a restart", async () => {
    const other = await newVictim(server);
    for (const name of ["a", "b", "c"]) await perform(server, other, makeWallet(name));
    const [a, b, c] = await leavesOf(other);
    if (!a || !b || !c) throw new Error("three activities have three leaves");
    const base = await attestOf(other);
    const first = sealed(call({ ...base, leaves: [a] }));
    expect(call({ ...base, leaves: [a] })).toEqual(first);
    const fork = { reason: "STALE_RECORD", log: /does not follow/ };
    refused(() => call({ ...base, leaves: [b] }), fork);
    server.signer.restart();
    refused(() => call({ ...base, leaves: [b] }), fork);
    const second = sealed(call({ ...base, previous: first.segment, leaves: [b] }));
    expect(second.number).toBe(2);
    const attacks: Request[] = [
      { ...base, leaves: [c] },
      { ...base, previous: first.segment, leaves: [c] },
      { ...base, previous: first.segment, leaves: [b, c] },
    ];
    for (const attack of attacks) refused(() => call(attack), fork);
    server.signer.restart();
    for (const attack of attacks) refused(() => call(attack), fork);
    const third = sealed(call({ ...base, previous: second.segment, leaves: [c] }));
    expect(JSON.parse(third.segment.payload)).toMatchObject({
      number: 3,
      previousDigest: second.digest,
    });
  });

  test("a chain begins at segment 1, whatever predecessor the host invents", async () => {
    const [other, accomplice] = [await newVictim(server), await newVictim(server)];
    const [leaf] = await leavesOf(other);
    const [theirs] = await leavesOf(accomplice);
    if (!leaf || !theirs) throw new Error("organizations without leaves");
    const base = { ...(await attestOf(other)), leaves: [leaf] };
    const description = call({ call: "describe" });
    if (description.kind !== "description") throw new Error("the signer describes itself");
    const { payload, signature } = description.receiptKey;
    const own = sealed(call({ ...(await attestOf(accomplice)), leaves: [theirs] })).segment;
    const text = own.payload.replace(accomplice.organizationId, other.organizationId);
    const forged = encodeHex(signP256Raw(encodeUtf8(text), decodeHex(newKey().privateKey)));
    const attacks: [unknown, RegExp][] = [
      [{ number: 7, digest: "c".repeat(64) }, /is malformed/],
      [{ number: 2 ** 53 - 2, digest: "c".repeat(64) }, /is malformed/],
      [undefined, /is malformed/],
      [{ ...own, number: 7 }, /is malformed/],
      [{ ...own, signature: "00" }, /is malformed/],
      [{ ...own, payload: text }, /not sealed by this signer/],
      [{ ...own, payload: `${own.payload} ` }, /not sealed by this signer/],
      [{ ...own, signature: "0".repeat(128) }, /not sealed by this signer/],
      [{ payload: text, signature: forged }, /not sealed by this signer/],
      // The quorum key signed this, and it is not a segment.
      [{ payload, signature }, /not sealed by this signer/],
      [own, /another organization/],
    ];
    for (const [previous, log] of attacks) {
      refused(() => call({ ...base, previous } as Request), alarm(log));
    }
    const first = sealed(call(base));
    expect(JSON.parse(first.segment.payload)).toMatchObject({ number: 1, previousDigest: null });
  });

  test("without the marks, a chain goes on only from a segment that the signer sealed", async () => {
    const other = await newVictim(server);
    await perform(server, other, makeWallet("a"));
    const [a, b] = await leavesOf(other);
    if (!a || !b) throw new Error("two activities have two leaves");
    const base = await attestOf(other);
    const { segment, digest } = sealed(call({ ...base, leaves: [a] }));
    const stateDirectory = mkdtempSync(join(tmpdir(), "keyhearth-attack-"));
    cpSync(server.signer.stateDirectory, stateDirectory, { recursive: true });
    acceptRestoredDatabase(stateDirectory);
    const signer = openSigner({ stateDirectory, mayCreate: false, log() {} });
    try {
      const later = segment.payload.replace('"number":1', '"number":7');
      for (const previous of [
        { number: 7, digest },
        { ...segment, payload: later },
      ]) {
        const request = { ...base, previous, leaves: [b] } as Request;
        expect(signer.handle(request)).toMatchObject({ error: { reason: "RECORD_REFUSED" } });
      }
      const request = { ...base, previous: segment, leaves: [b] };
      expect(signer.handle(request)).toEqual({ kind: "unconfirmed" });
      signer.handle({
        call: "confirm",
        attachments: [await documentOf(server, other.organizationId)],
      });
      const next = sealed(signer.handle(request));
      expect(JSON.parse(next.segment.payload)).toMatchObject({ number: 2, previousDigest: digest });
    } finally {
      signer.close();
      rmSync(stateDirectory, { recursive: true });
    }
  });

  test("a segment names no document that was not confirmed, and none before that of the segment before", async () => {
    const other = await newVictim(server);
    await perform(server, other, makeWallet("a"));
    const [a, b] = await leavesOf(other);
    if (!a || !b) throw new Error("two activities have two leaves");
    const base = { ...(await attestOf(other)), leaves: [a] };
    const { documentVersion } = base;
    // No later segment could name an older document, so this would end the receipts for good.
    for (const version of [documentVersion + 1, Number.MAX_SAFE_INTEGER]) {
      expect(call({ ...base, documentVersion: version })).toEqual({ kind: "unconfirmed" });
    }
    refused(() => call({ ...base, documentDigest: "a".repeat(64) }), {
      reason: "STALE_RECORD",
      log: /forked/,
    });
    const { segment: previous } = sealed(call(base));
    const next = { ...base, previous, leaves: [b] };
    refused(() => call({ ...next, documentVersion: documentVersion - 1 }), alarm(/newer document/));
    expect(JSON.parse(sealed(call(next)).segment.payload)).toMatchObject({ documentVersion });
  });

  test("a leaf is counted once in a segment, however often the host lists it", async () => {
    const other = await newVictim(server);
    await perform(server, other, makeWallet("a"));
    const [a, b] = await leavesOf(other);
    if (!a || !b) throw new Error("two activities have two leaves");
    const base = await attestOf(other);
    const shouted = { hash: a.hash.toUpperCase(), tag: a.tag.toUpperCase() };
    for (const leaves of [
      [a, a],
      [a, b, a],
      [a, b, shouted],
    ]) {
      refused(() => call({ ...base, leaves }), alarm(/repeated within one segment/));
    }
    const { segment } = sealed(call({ ...base, leaves: [a, b] }));
    expect(JSON.parse(segment.payload)).toMatchObject({ number: 1, size: 2 });
  });
});

test("a message outside the protocol gets an error", () => {
  for (const message of [
    { call: "export" },
    { call: "__proto__" },
    {},
    { call: "submit" },
    { call: "confirm" },
    { call: "attest", organizationId: victim.organizationId },
    { call: "renew" },
    { call: "renew", attachments: ["text"] },
    { call: "sign-webhooks" },
    { call: "sign-webhooks", events: [null], attachments: [document] },
    { call: "sign-webhooks", events: [{}, {}], attachments: [document] },
    { call: "submit", endpoint: "create_wallet", body: 5, records: [], attachments: [] },
    {
      call: "submit",
      endpoint: "create_wallet",
      body: encodeUtf8("{}"),
      records: 7,
      attachments: [],
    },
    {
      call: "submit",
      endpoint: "create_wallet",
      body: encodeUtf8("{}"),
      records: [{}],
      attachments: [null],
    },
    ...[undefined, "{}", [123, 125], { length: 2 }].map((body) => ({
      call: "submit",
      endpoint: "create_wallet",
      body,
      records: [recordDigest(document)],
      attachments: [document],
    })),
  ]) {
    expect(call(message as unknown as Request)).toMatchObject({ kind: "error" });
  }
  expect(call({ call: "describe" })).toMatchObject({ kind: "description" });
});

/** The first segment of an organization, still without leaves. */
async function attestOf({ organizationId }: Victim): Promise<{ call: "attest" } & Attest> {
  const bytes = await documentOf(server, organizationId);
  return {
    call: "attest",
    organizationId,
    previous: null,
    leaves: [],
    documentVersion: readRecord(bytes).header.version,
    documentDigest: recordDigest(bytes),
  };
}

function sealed(answer: Answer) {
  if (answer.kind !== "segment") throw new Error(`no segment: ${JSON.stringify(answer)}`);
  return answer;
}

function all() {
  return [document, records.account, records.wallet];
}

function call(request: Request): Answer {
  return server.signer.handle(request);
}

/** A request that the victim's root user stamped, with the records that the host supplies. */
/** The address of a wallet's one account, and the records that the signer needs to sign with it. */
async function soleAccountOf({ organizationId }: Victim, result: Record<string, unknown>) {
  const { walletId, addresses } = result as { walletId: string; addresses: [string] };
  const rows = ["wallet_accounts", "wallets"].map((table) => {
    const text = `SELECT record FROM ${table} WHERE organization_id = $1::uuid AND wallet_id = $2::uuid`;
    return recordOf(server, text, [organizationId, walletId]);
  });
  const document = await documentOf(server, organizationId);
  return { address: addresses[0], records: [document, ...(await Promise.all(rows))] };
}

function ofVictim(
  what: Ask,
  { records, endpoint = what.endpoint }: { records: Uint8Array[]; endpoint?: string },
) {
  return bytesAtDoor(endpoint, bytesOf(server, victim.organizationId, what), records);
}

function bytesAtDoor(endpoint: string, body: string, records: Uint8Array[]) {
  return knock(server, { endpoint, body, key: victim.people[0].key, records });
}

function withMembers(parameters: unknown, timestampMs: string, members: string) {
  const { type } = sign("");
  const head = JSON.stringify({ type, timestampMs, organizationId: victim.organizationId });
  return `${head.slice(0, -1)},"parameters":${JSON.stringify(parameters)},${members}}`;
}

function alarm(log: RegExp) {
  return { reason: /RECORD_REFUSED|CONFLICT/, log };
}

/** Expects an error as the answer, and an alarm in the signer's log. */
function refused(attack: () => Answer, { reason, log }: { reason: string | RegExp; log?: RegExp }) {
  const logged = server.events.length;
  const answer = attack();
  const expected = typeof reason === "string" ? reason : expect.stringMatching(reason);
  expect(answer).toEqual({ kind: "error", error: expect.objectContaining({ reason: expected }) });
  if (log) expectLogged(server, logged, log);
}

function proposed(answer: Answer) {
  if (answer.kind !== "proposal") throw new Error(`no proposal: ${JSON.stringify(answer)}`);
  return answer;
}

function confirm({ ticket }: { ticket: string | null }) {
  const answer = server.signer.handle({ call: "confirm", ticket: ticket ?? "" });
  expect(answer).toEqual({ kind: "confirmed" });
}

function founding(organizationId: string, publicKey: string): string {
  return bytesOf(server, organizationId, {
    type: FOUND_TYPE,
    parameters: {
      organizationName: "attacker's",
      rootUserName: "attacker",
      apiKey: apiKey({ publicKey, privateKey: "" }),
    },
  });
}

async function walletRecords({ organizationId }: Victim) {
  const account = await recordOf(
    server,
    "SELECT record FROM wallet_accounts WHERE organization_id = $1::uuid",
    [organizationId],
  );
  const wallet = await recordOf(
    server,
    "SELECT record FROM wallets WHERE organization_id = $1::uuid",
    [organizationId],
  );
  return { account, wallet };
}

async function leavesOf({ organizationId }: Victim) {
  const rows = await edit(
    server,
    "SELECT hash, tag FROM leaves WHERE organization_id = $1::uuid ORDER BY activity_id",
    [organizationId],
  );
  return rows.map(({ hash, tag }) => ({ hash: String(hash), tag: String(tag) }));
}
