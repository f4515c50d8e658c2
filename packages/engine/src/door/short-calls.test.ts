import { randomBytes } from "@keyhearth/crypto/primitives";
import { expect, test } from "vitest";
import { testOrganizationId } from "../core/core.testing.ts";
import { MAX_STAMPED_BYTES, type Request } from "../core/protocol.ts";
import { createLeaf } from "../receipts/receipts.ts";
import { frozenKeyring } from "../records/frozen.testing.ts";
import { notarize } from "../records/notarize.ts";
import { createCore } from "./create-core.ts";

const organizationId = testOrganizationId;

const core = createCore({
  keyring: frozenKeyring,
  marks: {
    isConfirmed: () => true,
    move() {},
    newest: () => null,
    hasMovedLately: () => false,
    knows: () => false,
    reaches: () => true,
    isFromBefore: () => false,
    extend() {},
  },
  now: () => 1_767_225_600_000,
  random: randomBytes,
  log() {},
  courierKey: () => null,
});

const header = { type: "sessions", schema: 1, organizationId, id: "s", version: 1 };
const record = notarize(frozenKeyring, header, { text: "x".repeat(200) });
const large = notarize(frozenKeyring, header, { text: "x".repeat(1024 * 1024) });
const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

/** The documents of a call are of no importance here: what refuses it comes before them, or after all of it was read. */
const submitted = (change: Partial<Extract<Request, { call: "submit" }>>): Request => ({
  ...{ call: "submit", endpoint: "create_wallet", body: new Uint8Array(2), stamp: null },
  ...{ records: [], attachments: [] },
  ...change,
});

const attested = (count: number): Request => ({
  ...{ call: "attest", organizationId, previous: null },
  ...{ documentVersion: 1, documentDigest: "0".repeat(64) },
  leaves: Array.from({ length: count }, (_, i) =>
    createLeaf(frozenKeyring, organizationId, `${i}`),
  ),
});

test.each<[what: string, request: Request, refusal: string]>([
  ["records", submitted({ attachments: many(4097, record) }), "more than 4096 records"],
  ["names of records", submitted({ records: many(4097, "0".repeat(64)) }), "4096 names of records"],
  [
    "a body",
    submitted({ body: new Uint8Array(MAX_STAMPED_BYTES + 1) }),
    "larger than 1048576 bytes",
  ],
  [
    "a founding body",
    submitted({ endpoint: "create_organization", body: new Uint8Array(MAX_STAMPED_BYTES + 1) }),
    "larger than 1048576 bytes",
  ],
  ["documents", { call: "confirm", attachments: many(4097, record) }, "more than 4096 records"],
  [
    "records to renew",
    { call: "renew", attachments: many(4097, record) },
    "more than 4096 records",
  ],
  ["bytes to renew", { call: "renew", attachments: many(9, large) }, "more than 8388608 bytes"],
  ["records to own", { call: "describe", attachments: many(4097, record) }, "4096 records"],
  [
    "events",
    { call: "sign-webhooks", events: [], attachments: many(4097, record) },
    "more than 4096 records",
  ],
  ["leaves", attested(8193), "more than 8192 leaves"],
])("a call with so much that it would work for long is refused: %s", (_, request, refusal) => {
  expect(core(request)).toMatchObject({
    kind: "error",
    error: { message: expect.stringContaining(refusal) },
  });
});

test.each<[what: string, request: Request, answer: object]>([
  ["records to renew", { call: "renew", attachments: many(4096, record) }, { kind: "renewed" }],
  ["bytes to renew", { call: "renew", attachments: many(7, large) }, { kind: "renewed" }],
  ["names", submitted({ records: many(4096, "0".repeat(64)) }), { kind: "need" }],
  ["leaves", attested(8192), { kind: "segment" }],
])("a call with as much as it may have is answered: %s", (_, request, answer) => {
  expect(core(request)).toMatchObject(answer);
});
