import { sealSegments } from "@keyhearth/api/jobs/seal-segments";
import {
  clientOf,
  newKey,
  newOrganization,
  startTestServer,
  type TestClient,
  type TestServer,
} from "@keyhearth/api/testing";
import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { leafHash } from "@keyhearth/crypto/receipts/merkle";
import type { Answer, Attest } from "@keyhearth/engine/core/protocol";
import type { Leaf } from "@keyhearth/engine/receipts/receipts";
import { ConsensusNeeded } from "@keyhearth/sdk";
import {
  compareReceipts,
  exportReceipts,
  verifyAppProof,
  verifyReceipts,
  verifyReceiptsExcerpt,
} from "@keyhearth/sdk/crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

let server: TestServer;
let quorumPublicKey: string;

beforeAll(async () => {
  server = await startTestServer();
  const answer = server.signer.handle({ call: "describe" });
  if (answer.kind !== "description") throw new Error(`unexpected answer: ${answer.kind}`);
  quorumPublicKey = answer.quorumPublicKey;
});

afterAll(() => server.stop());

const ethereum = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const;

describe("an organization that has signed, changed its document and voted", () => {
  let organizationId: string;
  let ada: TestClient;
  let bob: TestClient;
  let agreedActivityId: string;

  beforeAll(async () => {
    ({ organizationId, ada, bob } = await newPair());
    const { addresses } = await agree(ada, bob, (client) =>
      client.createWallet({ walletName: "treasury", accounts: [ethereum] }),
    );
    const [signWith = ""] = addresses;
    await seal();
    await Promise.all(["one", "two", "three"].map((text) => sign(ada, bob, signWith, text)));
    await agree(ada, bob, (client) => client.createUserTag({ userTagName: "ops", userIds: [] }));
    await seal();
    const waiting = await caught(ada.createUserTag({ userTagName: "late", userIds: [] }));
    agreedActivityId = waiting.activity.id;
    await seal();
    await bob.approve(agreedActivityId, () => true);
    await sign(ada, bob, signWith, "four");
    await seal();
  });

  test("exports a file that verifies offline, with every leaf", async () => {
    const file = await exportReceipts(ada);
    const report = verifyReceipts(JSON.parse(JSON.stringify(file)), quorumPublicKey);
    expect(report).toMatchObject({
      valid: true,
      problems: [],
      organizationId,
      segments: 4,
      receipts: 14,
      leavesNotShown: 0,
      firstSegment: { number: 1 },
      lastSegment: { number: 4 },
    });
    // Seven activities were completed; the versions that waited are proven by their hashes.
    const { activities } = await ada.listActivities({ paginationOptions: { limit: "100" } });
    const shown = activities.map(({ id, status, fingerprint }) => ({ id, status, fingerprint }));
    const proven = report.statements.map(({ activityId, status, fingerprint }) => ({
      id: activityId,
      status,
      fingerprint,
    }));
    expect(new Set(proven)).toEqual(new Set(shown));
    expect(proven).toHaveLength(7);
  });

  test("is exported page by page, and each page follows the previous one", async () => {
    const first = await ada.getReceipts({ limit: "1" });
    expect([first.hasMore, first.receiptsFile.segments.length]).toEqual([true, 1]);
    const from = verifyReceipts(first.receiptsFile, quorumPublicKey).lastSegment?.digest ?? "";
    const rest = await ada.getReceipts({ afterSegment: "1", limit: "100" });
    expect([rest.hasMore, rest.receiptsFile.segments.length, rest.unsealed]).toEqual([false, 3, 0]);
    expect(verifyReceipts(rest.receiptsFile, quorumPublicKey, { from }).valid).toBe(true);
    expect(verifyReceipts(rest.receiptsFile, quorumPublicKey).valid).toBe(false);
    const whole = await exportReceipts(ada);
    expect(compareReceipts(first.receiptsFile, whole, quorumPublicKey)).toMatchObject({
      valid: true,
      compared: 1,
    });
  });

  test("proves one activity, with a hash for the version that waited for consensus", async () => {
    const { receiptsFile, hasMore, unsealed } = await ada.getReceipts({
      activityId: agreedActivityId,
    });
    expect([hasMore, unsealed, receiptsFile.segments.length]).toEqual([false, 0, 2]);
    expect(receiptsFile.receipts.map((entry) => Object.keys(entry).sort()[1])).toEqual([
      "leafHash",
      "path",
    ]);
    const report = verifyReceiptsExcerpt(receiptsFile, quorumPublicKey);
    expect(report).toMatchObject({ valid: true, receipts: 2 });
    expect(report.statements).toMatchObject([
      { activityId: agreedActivityId, activityVersion: 2, status: "ACTIVITY_STATUS_COMPLETED" },
    ]);
  });
});

describe("signed statements in an answer", () => {
  test("an activity includes a signed outcome if the request asks for it", async () => {
    const { root, organizationId } = await newOrganization(server);
    const { activity } = await root.createUserTag(
      { userTagName: "proven", userIds: [] },
      { generateAppProofs: true },
    );
    const [proof, ...others] = activity.appProofs ?? [];
    expect(others).toEqual([]);
    expect(verifyAppProof(proof, quorumPublicKey)).toBe(true);
    expect(JSON.parse(proof?.proofPayload ?? "")).toMatchObject({
      type: "APP_PROOF_TYPE_POLICY_OUTCOME",
      policyOutcomeProof: {
        organizationId,
        activityId: activity.id,
        fingerprint: activity.fingerprint,
        outcome: "ACTIVITY_STATUS_COMPLETED",
      },
    });
    const changed = {
      ...proof,
      proofPayload: proof?.proofPayload.replace("COMPLETED", "REJECTED!"),
    };
    expect(verifyAppProof(changed, quorumPublicKey)).toBe(false);
    const { activity: plain } = await root.createUserTag({ userTagName: "not", userIds: [] });
    expect(plain.appProofs).toEqual([]);
  });

  test("addresses of wallets and private keys have proofs", async () => {
    const { root, organizationId } = await newOrganization(server);
    const { walletId, addresses } = await root.createWallet({
      walletName: "proven",
      accounts: [ethereum],
    });
    const { accounts } = await root.listWalletAccounts({ walletId });
    const { privateKeyIds } = await root.createPrivateKeys(
      {
        privateKeys: [
          {
            privateKeyName: "cold",
            curve: "CURVE_ED25519",
            privateKeyTags: [],
            addressFormats: ["ADDRESS_FORMAT_SOLANA"],
          },
        ],
      },
      { type: "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS" },
    );
    const { privateKey } = await root.getPrivateKey({ privateKeyId: privateKeyIds[0] ?? "" });
    const proofs = [accounts[0]?.proof, privateKey.addresses[0]?.proof];
    expect(proofs.map((proof) => verifyAppProof(proof, quorumPublicKey))).toEqual([true, true]);
    expect(JSON.parse(proofs[0]?.proofPayload ?? "")).toMatchObject({
      type: "APP_PROOF_TYPE_ADDRESS_DERIVATION",
      addressDerivationProof: { organizationId, walletId, address: addresses[0] },
    });
    for (const proof of proofs) {
      const [first = ""] = proof?.signature ?? "";
      const signature = `${first === "0" ? "1" : "0"}${proof?.signature.slice(1)}`;
      expect(verifyAppProof({ ...proof, signature }, quorumPublicKey)).toBe(false);
    }
  });
});

describe("a database that was edited", () => {
  let organizationId: string;
  let root: TestClient;

  beforeEach(async () => {
    ({ organizationId, root } = await newOrganization(server));
    for (const tag of ["a", "b", "c"]) {
      await root.createUserTag({ userTagName: `${tag}1`, userIds: [] });
      await root.createUserTag({ userTagName: `${tag}2`, userIds: [] });
      await seal();
    }
    expect(await problems(root)).toEqual([]);
  });

  test("without one of its segments is found out", async () => {
    await run("DELETE FROM segments WHERE organization_id = $1 AND number = 2", organizationId);
    await run(
      "DELETE FROM segment_leaves WHERE organization_id = $1 AND number = 2",
      organizationId,
    );
    expect(await problems(root)).toEqual(["SEGMENT_MISSING"]);
  });

  test("without its first segment is found out", async () => {
    await run("DELETE FROM segments WHERE organization_id = $1 AND number = 1", organizationId);
    expect(await problems(root)).toEqual(["START_UNEXPECTED"]);
  });

  test("with its segments renumbered is found out", async () => {
    for (const table of ["segments", "segment_leaves"]) {
      await run(
        `UPDATE ${table} SET number = 100 - number WHERE organization_id = $1`,
        organizationId,
      );
    }
    expect(await problems(root)).toContain("SEGMENTS_REORDERED");
  });

  test("with the same segment under two numbers is found out", async () => {
    await run(
      `INSERT INTO segments SELECT organization_id, 4, document_version, document_digest, digest, payload, signature
       FROM segments WHERE organization_id = $1 AND number = 3`,
      organizationId,
    );
    expect(await problems(root)).toEqual(["SEGMENT_REPEATED"]);
  });

  test("with a leaf changed, cut or moved within a segment is found out", async () => {
    const at = "WHERE organization_id = $1 AND number = 2";
    const hash = encodeHex(leafHash(encodeUtf8("made up")));
    await run(`UPDATE segment_leaves SET hash = '${hash}' ${at} AND position = 0`, organizationId);
    expect(await problems(root)).toContain("RECEIPT_PATH_INVALID");
    await run(`DELETE FROM segment_leaves ${at} AND position = 0`, organizationId);
    expect(await problems(root)).toEqual(["RECEIPT_PATH_INVALID"]);
    await run(`UPDATE segment_leaves SET position = 0 ${at}`, organizationId);
    expect(await problems(root)).toEqual(["RECEIPT_PATH_INVALID"]);
  });

  test("without the leaves of a segment shows how many are missing", async () => {
    await run(
      "DELETE FROM segment_leaves WHERE organization_id = $1 AND number = 2",
      organizationId,
    );
    const report = verifyReceipts(await exportReceipts(root), quorumPublicKey);
    expect(report).toMatchObject({ valid: true, leavesNotShown: 2 });
  });

  test("with an activity's record changed is found out", async () => {
    // Two records of one organization, swapped: both are real, but each belongs to the other activity.
    const { activities } = await root.listActivities();
    const [first, second] = activities.map(({ id }) => id);
    await run(
      `UPDATE activities SET record = (
         SELECT other.record FROM activities other
         WHERE other.organization_id = $1 AND other.activity_id = $2)
       WHERE organization_id = $1 AND activity_id = $3`,
      organizationId,
      first,
      second,
    );
    expect(await problems(root)).toEqual(["RECEIPT_PATH_INVALID"]);
  });

  test("gets no leaf of another organization sealed", async () => {
    const other = await newOrganization(server);
    await other.root.createUserTag({ userTagName: "theirs", userIds: [] });
    await root.createUserTag({ userTagName: "ours", userIds: [] });
    await run("DELETE FROM leaves WHERE organization_id = $1", organizationId);
    await run(
      `UPDATE leaves SET organization_id = $1 WHERE organization_id = $2`,
      organizationId,
      other.organizationId,
    );
    server.events.length = 0;
    await seal();
    expect(server.events).toMatchObject([{ event: "refused", reason: "RECORD_REFUSED" }]);
    const [open, ...more] = await run(
      "SELECT number, signature FROM segments WHERE organization_id = $1 AND number > 3",
      organizationId,
    );
    expect([open, more]).toMatchObject([{ signature: null }, []]);
    // Sealed segments can still be proven, and open ones are not shown.
    expect(await problems(root)).toEqual([]);
    await dropOpenSegments(organizationId);
  });

  test("gets no leaf sealed that was changed before sealing", async () => {
    await root.createUserTag({ userTagName: "ours", userIds: [] });
    const hash = encodeHex(leafHash(encodeUtf8("made up")));
    await run(`UPDATE leaves SET hash = '${hash}' WHERE organization_id = $1`, organizationId);
    server.events.length = 0;
    await seal();
    expect(server.events).toMatchObject([{ event: "refused", reason: "RECORD_REFUSED" }]);
    await dropOpenSegments(organizationId);
  });

  test("gets no second segment with the same number, even after a restart of the signer", async () => {
    // The newest segment is removed, and all but one of its leaves wait to be sealed again.
    await run(
      `INSERT INTO leaves SELECT organization_id, activity_id, version, hash, tag
       FROM segment_leaves WHERE organization_id = $1 AND number = 3 AND position = 0`,
      organizationId,
    );
    await run(
      "DELETE FROM segment_leaves WHERE organization_id = $1 AND number = 3",
      organizationId,
    );
    await run("DELETE FROM segments WHERE organization_id = $1 AND number = 3", organizationId);
    server.events.length = 0;
    await seal();
    server.signer.restart();
    await seal();
    const refused = { event: "refused", reason: "STALE_RECORD" };
    const alarms = server.events.filter(({ event }) => event !== "signer started");
    expect(alarms).toMatchObject([refused, refused]);
    expect(await run(openSegments, organizationId)).toMatchObject([{ number: 3 }]);
    await dropOpenSegments(organizationId);
  });

  test("gets no new segment after an older one", async () => {
    await run(
      "DELETE FROM segment_leaves WHERE organization_id = $1 AND number > 1",
      organizationId,
    );
    await run("DELETE FROM segments WHERE organization_id = $1 AND number > 1", organizationId);
    await root.createUserTag({ userTagName: "after the cut", userIds: [] });
    server.events.length = 0;
    await seal();
    expect(server.events).toMatchObject([{ event: "refused", reason: "STALE_RECORD" }]);
    await dropOpenSegments(organizationId);
  });

  test("with one refused segment does not hold up other organizations", async () => {
    const other = await newOrganization(server);
    await root.createUserTag({ userTagName: "ours", userIds: [] });
    await run("UPDATE leaves SET tag = '' WHERE organization_id = $1", organizationId);
    await seal();
    await root.createUserTag({ userTagName: "more", userIds: [] });
    await other.root.createUserTag({ userTagName: "theirs", userIds: [] });
    await seal();
    expect(await run(openSegments, organizationId)).toMatchObject([{ number: 4 }]);
    expect(await problems(other.root)).toEqual([]);
    expect((await other.root.getReceipts()).unsealed).toBe(0);
    expect((await root.getReceipts()).unsealed).toBe(2);
    await dropOpenSegments(organizationId);
  });
});

describe("sealing", () => {
  test("a segment that was claimed but not signed is signed in the next round", async () => {
    const { root, organizationId } = await newOrganization(server);
    await root.createUserTag({ userTagName: "before", userIds: [] });
    const { askSigner } = server.host;
    let signed: Answer | undefined;
    // The process ends after the signer has answered and before the answer is written.
    server.host.askSigner = async (request) => {
      const answer = await askSigner(request);
      if (request.call !== "attest" || request.organizationId !== organizationId) return answer;
      signed = answer;
      throw new Error("the process ended here");
    };
    try {
      await expect(sealSegments(server.host)).rejects.toThrow("the process ended here");
    } finally {
      server.host.askSigner = askSigner;
    }
    await root.createUserTag({ userTagName: "after", userIds: [] });
    expect(await root.getReceipts()).toMatchObject({ unsealed: 3, receiptsFile: { segments: [] } });
    server.signer.restart();
    await seal();
    await seal();
    const file = await exportReceipts(root);
    if (signed?.kind !== "segment") throw new Error("nothing was signed");
    expect(file.segments[0]).toEqual(signed.segment);
    expect(verifyReceipts(file, quorumPublicKey)).toMatchObject({
      valid: true,
      segments: 2,
      receipts: 3,
    });
  });

  test("two sealers at once make one chain", async () => {
    const { root } = await newOrganization(server);
    for (let round = 0; round < 5; round++) {
      const made = ["a", "b"].map((tag) =>
        root.createUserTag({ userTagName: `${tag}${round}`, userIds: [] }),
      );
      await Promise.all([sealSegments(server.host), sealSegments(server.host), ...made]);
    }
    await Promise.all([sealSegments(server.host), sealSegments(server.host)]);
    await seal();
    const report = verifyReceipts(await exportReceipts(root), quorumPublicKey);
    expect(report).toMatchObject({ valid: true, problems: [], receipts: 11, leavesNotShown: 0 });
  });
});

describe("a hostile host that talks to the signer", () => {
  let organizationId: string;
  let leaf: Leaf;

  beforeEach(async () => {
    const { root, ...organization } = await newOrganization(server);
    organizationId = organization.organizationId;
    await root.createUserTag({ userTagName: "a", userIds: [] });
    const [row] = await run(
      "SELECT hash, tag FROM leaves WHERE organization_id = $1",
      organizationId,
    );
    leaf = { hash: String(row?.hash), tag: String(row?.tag) };
  });

  const digest = "0".repeat(64);
  function attest(changes: Partial<Attest> = {}) {
    const document = { documentVersion: 1, documentDigest: digest };
    return server.signer.handle({
      call: "attest",
      organizationId,
      previous: null,
      leaves: [leaf],
      ...document,
      ...changes,
    });
  }

  test("gets nothing signed that is not a segment", () => {
    for (const changes of [
      { leaves: [] },
      { leaves: [leaf, leaf] },
      { previous: { payload: "{}", signature: digest + digest } },
      { organizationId: "none" },
      { documentVersion: 0 },
      { documentVersion: Number.NaN },
      { documentDigest: "" },
    ]) {
      expect(attest(changes)).toMatchObject({ kind: "error", error: { reason: "RECORD_REFUSED" } });
    }
    // None of these attempts changed the signer's mark.
    expect(attest()).toMatchObject({ kind: "segment", number: 1 });
  });

  test("gets the same segment twice, and no other one with its number", () => {
    const first = attest();
    expect(attest()).toEqual(first);
    const stale = { kind: "error", error: { reason: "STALE_RECORD" } };
    expect(attest({ documentVersion: 2 })).toMatchObject(stale);
    if (first.kind !== "segment") throw new Error(`unexpected answer: ${first.kind}`);
    server.signer.restart();
    expect(attest({ documentVersion: 2 })).toMatchObject(stale);
    expect(attest()).toEqual(first);
    const second = attest({ previous: first.segment });
    expect(second).toMatchObject({ kind: "segment", number: 2 });
    expect(attest()).toMatchObject(stale);
  });
});

const openSegments = "SELECT number FROM segments WHERE organization_id = $1 AND signature IS NULL";

async function seal() {
  await sealSegments(server.host);
}

async function problems(client: TestClient): Promise<string[]> {
  const report = verifyReceipts(await exportReceipts(client), quorumPublicKey);
  return report.problems.map(({ code }) => code);
}

let statements = 0;

/** Runs a statement as somebody who controls the database could. */
function run(text: string, ...parameters: unknown[]) {
  statements += 1;
  return server.store.run(`edit-${statements}`, text, parameters);
}

async function dropOpenSegments(organizationId: string) {
  await run(
    "DELETE FROM segments WHERE organization_id = $1 AND signature IS NULL",
    organizationId,
  );
  await run("DELETE FROM leaves WHERE organization_id = $1", organizationId);
}

/** A sub-organization in which ada and bob must agree. */
async function newPair() {
  const { root } = await newOrganization(server);
  const keys = { ada: newKey(), bob: newKey() };
  const { subOrganizationId: organizationId } = await root.createSubOrganization({
    subOrganizationName: "pair",
    rootQuorumThreshold: 2,
    rootUsers: Object.entries(keys).map(([userName, { publicKey }]) => ({
      userName,
      apiKeys: [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" as const }],
      authenticators: [],
      oauthProviders: [],
    })),
  });
  return {
    organizationId,
    ada: clientOf(server, organizationId, keys.ada),
    bob: clientOf(server, organizationId, keys.bob),
  };
}

/** Runs an activity that ada requests and bob approves. */
async function agree<T>(
  ada: TestClient,
  bob: TestClient,
  ask: (client: TestClient) => Promise<unknown> & Promise<T>,
): Promise<T> {
  const { activity } = await caught(ask(ada));
  const { result } = await bob.approve(activity.id, () => true);
  // The contract defines the result of the activity; `ask` names its type.
  return result as T;
}

function sign(ada: TestClient, bob: TestClient, signWith: string, payload: string) {
  return agree(ada, bob, (client) =>
    client.signRawPayload({
      signWith,
      payload,
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_KECCAK256",
    }),
  );
}

async function caught(promise: Promise<unknown>): Promise<ConsensusNeeded> {
  const error = await promise.then(
    () => new Error("the activity did not wait for consensus"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ConsensusNeeded) return error;
  throw error;
}
