import { randomUUID } from "node:crypto";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey } from "@keyhearth/crypto/keys/keys";
import { encryptToBundle, openImportBundle } from "@keyhearth/crypto/sealing/open-bundle";
import { secretBytes } from "@keyhearth/crypto/secret-bytes";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import { beforeEach, expect, test } from "vitest";
import {
  createTestCore,
  documentWith,
  newPerson,
  proposed,
  type TestCore,
  type TestPerson,
  userOf,
} from "../core/core.testing.ts";
import { frozenKeyring } from "../records/frozen.testing.ts";
import type { OrganizationDocument } from "../records/organization.ts";
import { deriveSeedDigest } from "../vault/ids.ts";
import { signerPublicKey } from "../vault/quorum-key.ts";

// The core alone: what each document allows, at which time, and for whom.

const hour = 60 * 60 * 1000;

let core: TestCore;
let ada: TestPerson;
let grace: TestPerson;
let document: OrganizationDocument;

beforeEach(() => {
  core = createTestCore();
  // Ids are those of requests, so they have the form of UUIDs.
  [ada, grace] = [newPerson(randomUUID()), newPerson(randomUUID())];
  document = documentFor([ada, grace], 1);
});

function documentFor(people: TestPerson[], threshold: number): OrganizationDocument {
  const userIds = people.map(({ userId }) => userId);
  return documentWith({
    users: people.map((each) => userOf(each)),
    rootQuorum: { threshold, userIds },
  });
}

function initImport({ userId }: TestPerson) {
  const type = "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY";
  return {
    endpoint: "init_import_private_key",
    body: core.bodyOf({ type, parameters: { userId } }),
  };
}

function importKey({ userId }: TestPerson, encryptedBundle: string, privateKeyName = "key") {
  const parameters = {
    userId,
    privateKeyName,
    encryptedBundle,
    curve: "CURVE_SECP256K1",
    addressFormats: [],
  };
  const type = "ACTIVITY_TYPE_IMPORT_PRIVATE_KEY";
  return { endpoint: "import_private_key", body: core.bodyOf({ type, parameters }) };
}

type Asked = ReturnType<typeof initImport>;

/** Asks with the current document, and makes the proposed one the current one. */
function perform(by: TestPerson, asked: Asked) {
  const { activity, document: next } = proposed(core.ask(by, asked, [core.notarized(document)]));
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  if (next) document = next;
  return activity;
}

function encryptedBy(person: TestPerson): string {
  const { result } = perform(person, initImport(person));
  const pinned = signerPublicKey(frozenKeyring);
  const { targetPublic } = openImportBundle(String(result?.importBundle), pinned);
  return encryptToBundle(generatePrivateKey("CURVE_SECP256K1"), targetPublic);
}

const refused = (reason: string) => ({
  kind: "error",
  error: expect.objectContaining({ reason }),
});

test("a target key works until an hour has passed, to the millisecond", () => {
  const encrypted = encryptedBy(ada);
  core.clock.nowMs += hour - 1;
  const asked = importKey(ada, encrypted);
  const bytes = [core.notarized(document)];
  expect(proposed(core.ask(ada, asked, bytes)).activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  core.clock.nowMs += 1;
  expect(core.ask(ada, asked, bytes)).toEqual(refused("IMPORT_NOT_OPEN"));
});

test("the commit of an import uses its target key up, and no other one", () => {
  const [mine, theirs] = [encryptedBy(ada), encryptedBy(grace)];
  perform(ada, importKey(ada, mine));
  const [used, unused] = document.imports;
  expect(used).toMatchObject({ userId: ada.userId, sealedKey: null });
  expect(unused).toMatchObject({ userId: grace.userId, sealedKey: expect.anything() });
  const again = importKey(ada, mine, "again");
  expect(core.ask(ada, again, [core.notarized(document)])).toEqual(refused("IMPORT_NOT_OPEN"));
  perform(grace, importKey(grace, theirs, "hers"));
});

test("a new target key takes expired ones out of the document, and those of deleted users", () => {
  encryptedBy(ada);
  core.clock.nowMs += hour;
  encryptedBy(grace);
  expect(document.imports.map(({ userId }) => userId)).toEqual([grace.userId]);
  const alan = newPerson(randomUUID());
  document = { ...documentFor([ada, alan], 1), imports: document.imports };
  encryptedBy(ada);
  expect(document.imports.map(({ userId }) => userId)).toEqual([ada.userId]);
});

test("an import of a user who was deleted is completed for nobody", () => {
  const alan = newPerson(randomUUID());
  for (const make of [initImport, (by: TestPerson) => importKey(by, encryptedBy(by))]) {
    document = documentFor([ada, grace, alan], 1);
    const asked = make(ada);
    const { imports } = document;
    document = { ...documentFor([ada, grace, alan], 2), imports };
    const { record } = proposed(core.ask(ada, asked, [core.notarized(document)]));
    document = { ...documentFor([grace, alan], 2), imports };
    const parameters = { fingerprint: fingerprint(encodeUtf8(asked.body)) };
    const body = core.bodyOf({ type: "ACTIVITY_TYPE_APPROVE_ACTIVITY", parameters });
    const vote = { endpoint: "approve_activity", body };
    expect(core.ask(grace, vote, [core.notarized(document), record])).toMatchObject({
      kind: "error",
      error: { reason: "ACTIVITY_NOT_PENDING", message: expect.stringContaining("the user") },
    });
  }
});

test("a digest recognizes a seed in one organization", () => {
  const seed = secretBytes(new Uint8Array(64).fill(7));
  const digest = deriveSeedDigest(frozenKeyring, "a", seed);
  expect(digest).toMatch(/^[A-Za-z0-9_-]{22}$/);
  expect(deriveSeedDigest(frozenKeyring, "a", seed)).toBe(digest);
  const others = [
    deriveSeedDigest(frozenKeyring, "b", seed),
    deriveSeedDigest(frozenKeyring, "a", secretBytes(seed.slice(1))),
    deriveSeedDigest(
      { ...frozenKeyring, derivationKey: secretBytes(seed.slice(0, 32)) },
      "a",
      seed,
    ),
  ];
  expect(new Set([digest, ...others]).size).toBe(4);
});

test("the key in a bundle is the one in the document, and sealed there", () => {
  const { result } = perform(ada, initImport(ada));
  const pinned = signerPublicKey(frozenKeyring);
  const { targetPublic } = openImportBundle(String(result?.importBundle), pinned);
  const [line] = document.imports;
  expect(line?.targetPublicKey).toBe(targetPublic);
  // 32 bytes and a tag of 16, in base64url.
  expect(line?.sealedKey?.ciphertext).toHaveLength(64);
});
