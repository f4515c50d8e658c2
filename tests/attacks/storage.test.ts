import { createFamilyStorage } from "@keyhearth/api/host/family-storage";
import { sealSegments } from "@keyhearth/api/jobs/seal-segments";
import { newKey, type TestKey } from "@keyhearth/api/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addKey,
  addUser,
  ask,
  bytesOf,
  deleteKey,
  makeSubOrganization,
  makeWallet,
  newChild,
  newVictim,
  newWallet,
  type Person,
  perform,
  quorum,
  type Reply,
  reject,
  resultOf,
  send,
  sign,
  stampOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// The key of one end user stores as much as it can, for good.

const MB = 1024 * 1024;
const LIMIT = 20 * MB;

let server: Attacked;
/** A parent whose two root users decide together, and its end user. */
let parent: Victim;
let endUser: Victim;
/** More end users of the same parent. */
const others: { victim: Victim; address: string }[] = [];
let address: string;
let apiKeyId: string;
let toReject: string;
let toApprove: string;
let poll: string;
/** What the parent asks for while only its first end user is refused. */
let toWait: Reply;
let refused: Reply;
let refusedParent: Reply;

beforeAll(async () => {
  server = await startAttackedServer({ storageLimit: LIMIT });
  parent = await newVictim(server);
  endUser = await newChild(server, parent);
  for (let i = 0; i < 10; i++) {
    const victim = await newChild(server, parent);
    others.push({ victim, address: (await newWallet(server, victim)).address });
  }
  ({ address } = await newWallet(server, endUser, "savings"));
  const added = await perform(server, endUser, addKey(endUser.people[0], newKey()));
  [apiKeyId = ""] = resultOf(added, "createApiKeysResult").apiKeyIds as string[];

  const [first] = parent.people;
  const second = await addUser(server, parent);
  parent.people.push(second);
  await perform(server, parent, quorum(2, [first.userId, second.userId]));
  const rejected = await perform(server, parent, makeWallet("to be rejected"));
  toReject = rejected.activity?.fingerprint ?? "";
  ({ body: toApprove } = await perform(server, parent, makeWallet("to be approved")));

  ({ body: poll } = await perform(server, endUser, sign(address, "first")));
  refused = await fill(endUser, address);
  toWait = await ask(server, parent, makeSubOrganization(newKey()));
  for (const other of others) await fill(other.victim, other.address);
  refusedParent = await ask(server, parent, makeSubOrganization(newKey()));
}, 120_000);

afterAll(() => server?.stop());

/** Signs large texts until that is refused, while the service seals what it has stored. */
async function fill(victim: Victim, signWith: string): Promise<Reply> {
  for (let i = 0; i < 200; i++) {
    const reply = await ask(server, victim, sign(signWith, `${i} `.padEnd(0.5 * MB, "x")));
    if (reply.status !== 200) return reply;
    await sealSegments(server.host);
  }
  throw new Error("nothing was refused");
}

const full = { status: 429, reason: "LIMIT_EXCEEDED" };
const secondOf = ({ people: [, second] }: Victim) => (second as Person).key;

const logOut = ({ people: [{ userId }] }: Victim): Ask => ({
  endpoint: "log_out_everywhere",
  type: "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE",
  parameters: { userId },
});

const logIn = ({ publicKey }: TestKey): Ask => ({
  endpoint: "stamp_login",
  type: "ACTIVITY_TYPE_STAMP_LOGIN",
  parameters: { publicKey, expirationSeconds: "900" },
});

test("an end user who fills a tenth of what the family may store is refused alone", async () => {
  expect(refused).toMatchObject(full);
  expect(refused.message).toMatch(
    /^the users of this sub-organization may store 2MiB, a tenth of their family's limit, and store [\d.]+MiB: ask the operator to raise KEYHEARTH_STORAGE_LIMIT; /,
  );
  expect(toWait.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
});

describe("end users who fill what a family may store", () => {
  test("are refused with a sentence about the limit, and so is the rest of the family", async () => {
    expect(refusedParent).toMatchObject(full);
    expect(refusedParent.message).toMatch(
      /^this organization, its parent and its sub-organizations may store 20MiB together, and store [\d.]+MiB: ask the operator to raise KEYHEARTH_STORAGE_LIMIT; /,
    );
    expect(await ask(server, endUser, sign(address, "small"))).toMatchObject(full);
    const { organizationId: familyId } = parent;
    const lines = server.lines.filter((line) => line.familyId === familyId).map(({ msg }) => msg);
    expect(lines).toContain("a family has reached its storage limit");
    expect(lines.length).toBe(new Set(lines).size);
  });

  test("keep no other family from signing", async () => {
    const other = await newVictim(server);
    const wallet = await newWallet(server, other);
    await perform(server, other, sign(wallet.address));
  });

  test("keep nobody from voting, also by the bytes of the activity, and from reading an outcome", async () => {
    const second = secondOf(parent);
    const rejected = await perform(server, parent, reject(toReject), second);
    expect(rejected.activity?.status).toBe("ACTIVITY_STATUS_REJECTED");
    const approved = await send(server, "create_wallet", toApprove, stampOf(second, toApprove));
    expect(approved.activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
    const { key } = endUser.people[0];
    const polled = await send(server, "sign_raw_payload", poll, stampOf(key, poll));
    expect(polled.activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
  });

  test("cannot use up what others of the family, or a stranger what the user itself, may still do", async () => {
    const stranger = newKey();
    for (let i = 0; i < 25; i++) await ask(server, endUser, logOut(endUser), stranger);
    const text = bytesOf(server, endUser.organizationId, logOut(endUser));
    const padded = text.padEnd(MB, " ");
    const { key } = endUser.people[0];
    expect(await send(server, "log_out_everywhere", padded, stampOf(key, padded))).toMatchObject(
      full,
    );

    await perform(server, endUser, deleteKey(endUser.people[0], apiKeyId));
    await perform(server, endUser, logIn(newKey()));
    const replies: Reply[] = [];
    for (let i = 0; i < 20; i++) {
      server.clock.offsetMs += 1;
      replies.push(await ask(server, endUser, logOut(endUser)));
    }
    expect(replies.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 18 }, () => 200),
      429,
      429,
    ]);
    expect(replies.at(-1)).toMatchObject(full);
    await perform(server, parent, logOut(parent));
  });

  test("store more once the operator has raised the limit", async () => {
    server.host.storage = createFamilyStorage(server.store, 50 * LIMIT);
    await perform(server, endUser, sign(address, "after the limit was raised"));
  });
});

test("end users whose receipts are not sealed are refused as early as others", async () => {
  const family = await newVictim(server);
  const lagging = await newChild(server, family);
  const wallet = await newWallet(server, lagging);
  let nowMs = 0;
  server.host.storage = createFamilyStorage(server.store, LIMIT, () => nowMs);
  const SIZE = 0.2 * MB;
  let stored = 0;
  let reply: Reply;
  do {
    reply = await ask(server, lagging, sign(wallet.address, `${stored} `.padEnd(SIZE, "x")));
    if (reply.status === 200) stored += SIZE;
    nowMs += 2500;
  } while (reply.status === 200 && stored < 5 * MB);
  expect(reply).toMatchObject(full);
  // A tenth of the family's limit, and what came between two readings.
  expect(stored).toBeLessThan(2.5 * MB);
});
