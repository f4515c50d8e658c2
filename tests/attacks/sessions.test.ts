import { newKey, startTestServer, type TestKey } from "@keyhearth/api/testing";
import {
  decodeBase64Url,
  decodeUtf8,
  encodeBase64Url,
  encodeUtf8,
} from "@keyhearth/crypto/encoding/bytes";
import { signP256Raw } from "@keyhearth/crypto/keys/keys";
import {
  createReadOnlySession,
  type ReadOnlySession,
} from "@keyhearth/crypto/tokens/session-token";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addKey,
  addUser,
  approve,
  ask,
  bytesOf,
  deleteKey,
  documentOf,
  edit,
  expectRefused,
  knock,
  makePolicy,
  makeSubOrganization,
  makeWallet,
  newVictim,
  type Person,
  perform,
  proposalFor,
  putBack,
  recordOf,
  reject,
  resultOf,
  rowsOf,
  send,
  stampOf,
  startAttackedServer,
  type Victim,
  writtenBy,
} from "./attacker.ts";

// Nothing in the document remembers a login. The host can hide logins, hold them back and bring older
// sessions records, and must not revive a session that its user ended.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

const tooEarly = { status: 400, reason: "TIMESTAMP_OUT_OF_RANGE" };
const gone = { status: 401, reason: "CREDENTIAL_NOT_FOUND" };

describe("a login that was stamped before the user's sessions were ended", () => {
  test("starts no session, whether it was committed and hidden, proposed or held back", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const [root] = victim.people;
    const stolen = newKey();
    const committed = await perform(server, victim, logIn(stolen));
    const { body: proposed } = await proposalFor(server, victim, logIn(newKey()));
    const heldBack = bytesOf(server, organizationId, logIn(newKey()));
    await perform(server, victim, logOut(root));
    await edit(
      server,
      "DELETE FROM activities WHERE organization_id = $1::uuid AND type = 'ACTIVITY_TYPE_STAMP_LOGIN'",
      [organizationId],
    );
    for (const body of [committed.body, proposed, heldBack]) {
      const attack = () => send(server, "stamp_login", body, stampOf(root.key, body));
      await expectRefused(server, [organizationId], attack, tooEarly);
    }
    await expectRefused(
      server,
      [organizationId],
      () => ask(server, victim, makeWallet(), stolen),
      gone,
    );
    // The user may log in again at once.
    const next = newKey();
    await perform(server, victim, logIn(next));
    await perform(server, victim, makeWallet("by the next session"), next);
  });

  test("starts no session after another of the user's keys was deleted", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const [root] = victim.people;
    const reply = await perform(server, victim, addKey(root, newKey()));
    const { apiKeyIds } = resultOf(reply, "createApiKeysResult") as { apiKeyIds: [string] };
    const body = bytesOf(server, organizationId, logIn(newKey()));
    await perform(server, victim, deleteKey(root, apiKeyIds[0]));
    const attack = () => send(server, "stamp_login", body, stampOf(root.key, body));
    await expectRefused(server, [organizationId], attack, tooEarly);
  });

  test("registers no expiring key either, if the host said that it had and committed nothing", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const [root] = victim.people;
    for (const end of [logOut(root), logIn(newKey(), { invalidateExisting: true })]) {
      const what = addKey(root, newKey(), "3600");
      const { body: proposed } = await proposalFor(server, victim, what);
      const heldBack = bytesOf(server, organizationId, addKey(root, newKey(), "3600"));
      await perform(server, victim, end);
      for (const body of [proposed, heldBack]) {
        const attack = () => send(server, what.endpoint, body, stampOf(root.key, body));
        await expectRefused(server, [organizationId], attack, tooEarly);
      }
    }
    await perform(server, victim, addKey(root, newKey(), "3600"));
  });

  test("starts no session by the signer's own judgement either", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const [root] = victim.people;
    const asks = [logIn(newKey()), makeSession(), { ...logIn(newKey()), ...readOnly }];
    const bodies = asks.map((each) => bytesOf(server, organizationId, each));
    await perform(server, victim, logOut(root));
    const records = [await documentOf(server, organizationId)];
    for (const [index, { endpoint }] of asks.entries()) {
      const body = bodies[index] ?? "";
      expect(knock(server, { endpoint, body, key: root.key, records })).toMatchObject({
        kind: "error",
        error: { reason: "TIMESTAMP_OUT_OF_RANGE" },
      });
    }
  });
});

describe("an older sessions record", () => {
  test("does not bring back a session that a login ended", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const [ended, expiring] = [newKey(), newKey()];
    await perform(server, victim, logIn(ended));
    await perform(server, victim, addKey(victim.people[0], expiring, "3600"));
    const before = await rowsOf(server, organizationId, ["sessions"]);
    await perform(server, victim, logIn(newKey(), { invalidateExisting: true }));
    await putBack(server, organizationId, "sessions", before);
    for (const key of [ended, expiring]) {
      await expectRefused(
        server,
        [organizationId],
        () => ask(server, victim, makeWallet(), key),
        gone,
      );
    }
  });

  test("of a login that was never committed does not outlive the end of the sessions", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const [root] = victim.people;
    const stolen = newKey();
    const shadow = writtenBy(await proposalFor(server, victim, logIn(stolen)), "sessions");
    await perform(server, victim, logOut(root));
    const body = bytesOf(server, organizationId, makeWallet("stolen"));
    const records = [await documentOf(server, organizationId), shadow];
    expect(knock(server, { endpoint: "create_wallet", body, key: stolen, records })).toMatchObject({
      kind: "error",
      error: { reason: "CREDENTIAL_NOT_FOUND" },
    });
  });

  test("does not make a session last longer than its time", async () => {
    const own: Attacked = Object.assign(await startTestServer(), { lines: [] });
    try {
      const victim = await newVictim(own);
      const { organizationId } = victim;
      const session = newKey();
      const login = await perform(own, victim, logIn(session, { expirationSeconds: "60" }));
      const sessions = await sessionsOf(victim, victim.people[0], own);
      own.clock.offsetMs += 60_000;
      const body = bytesOf(own, organizationId, makeWallet("late"));
      const records = [await documentOf(own, organizationId), sessions];
      expect(knock(own, { endpoint: "create_wallet", body, key: session, records })).toMatchObject({
        error: { reason: "CREDENTIAL_EXPIRED" },
      });
      // The same bytes start no other session after their hour.
      own.clock.offsetMs += 3_600_000;
      const [{ key }] = victim.people;
      const again = { endpoint: "stamp_login", body: login.body, key, records };
      expect(knock(own, again)).toMatchObject({ error: { reason: "TIMESTAMP_OUT_OF_RANGE" } });
    } finally {
      await own.stop();
    }
  });
});

test("a session that was approved is not started again from an older record", async () => {
  const victim = await newVictim(server, { rootUsers: 3, threshold: 2 });
  const { organizationId } = victim;
  const [, second, third] = victim.people as [Person, Person, Person];
  const waiting = await ask(server, victim, makeSession(third.userId));
  expect(waiting.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  const before = await rowsOf(server, organizationId, ["activities"]);
  const approval = approve(waiting.activity?.fingerprint ?? "");
  await perform(server, victim, approval, second.key);
  await putBack(server, organizationId, "activities", before);
  const attack = () => ask(server, victim, approval, second.key);
  await expectRefused(server, [organizationId], attack, {
    status: 503,
    reason: "STALE_RECORD",
  });
});

test("a session whose approval was never committed does not begin, if the activity is rejected", async () => {
  const victim = await newVictim(server);
  const { organizationId } = victim;
  const clerk = await addUser(server, victim);
  await perform(server, victim, twoForLogins);
  const stolen = newKey();
  const waiting = await perform(server, victim, logIn(stolen), clerk.key);
  const { fingerprint = "" } = waiting.activity ?? {};
  expect(waiting.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  const activity = await recordOf(
    server,
    "SELECT record FROM activities WHERE organization_id = $1::uuid AND fingerprint = $2::text",
    [organizationId, fingerprint],
  );
  const hidden = await proposalFor(server, victim, approve(fingerprint), { records: [activity] });
  expect(hidden.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  const shadow = writtenBy(hidden, "sessions");
  await perform(server, victim, reject(fingerprint));
  const body = bytesOf(server, organizationId, makeWallet("stolen"));
  const records = [await documentOf(server, organizationId), shadow];
  expect(knock(server, { endpoint: "create_wallet", body, key: stolen, records })).toMatchObject({
    error: { reason: "CREDENTIAL_NOT_FOUND" },
  });
  // Once it is approved and committed, it begins, and the user's other sessions go on.
  const [before, session] = [newKey(), newKey()];
  for (const key of [before, session]) {
    const login = await perform(server, victim, logIn(key), clerk.key);
    await perform(server, victim, approve(login.activity?.fingerprint ?? ""));
  }
  for (const key of [before, session]) {
    expect(await ask(server, victim, makeWallet(), key)).toMatchObject({ reason: "POLICY_DENIED" });
  }
});

test("a login that waited is refused, if its user logged out everywhere in the meantime", async () => {
  const victim = await newVictim(server);
  const { organizationId } = victim;
  const clerk = await addUser(server, victim);
  await perform(server, victim, twoForLogins);
  const stolen = newKey();
  const waiting = await perform(server, victim, logIn(stolen), clerk.key);
  expect(waiting.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  await perform(server, victim, logOut(clerk), clerk.key);
  const { activity } = await perform(server, victim, approve(waiting.activity?.fingerprint ?? ""));
  expect(activity?.status).toBe("ACTIVITY_STATUS_FAILED");
  await expectRefused(
    server,
    [organizationId],
    () => ask(server, victim, makeWallet(), stolen),
    gone,
  );
});

test("the sessions of a deleted user end with the user", async () => {
  const victim = await newVictim(server);
  const { organizationId } = victim;
  const clerk = await addUser(server, victim);
  const session = newKey();
  await perform(server, victim, logIn(session), clerk.key);
  const reply = await perform(server, victim, readOnly, clerk.key);
  const token = String(resultOf(reply, "createReadOnlySessionResult").session);
  const sessions = await rowsOf(server, organizationId, ["sessions", "lookups"]);
  await perform(server, victim, {
    endpoint: "delete_users",
    type: "ACTIVITY_TYPE_DELETE_USERS",
    parameters: { userIds: [clerk.userId] },
  });
  await putBack(server, organizationId, "sessions", sessions);
  await putBack(server, organizationId, "lookups", sessions);
  for (const what of [makeWallet(), logIn(newKey())]) {
    await expectRefused(server, [organizationId], () => ask(server, victim, what, session), gone);
  }
  expect(await read(victim, token)).toBe(401);
});

describe("a login", () => {
  test("is for the user who stamped it, and for no other", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const [root] = victim.people;
    const clerk = await addUser(server, victim);
    const planted = newKey();
    const { userId } = root;
    const refusals: [Ask, number, string][] = [
      [logIn(planted, { userId }), 400, "FIELD_UNKNOWN"],
      [makeSession(userId), 403, "POLICY_DENIED"],
      [logOut(root), 403, "POLICY_DENIED"],
    ];
    for (const [what, status, reason] of refusals) {
      const attack = () => ask(server, victim, what, clerk.key);
      await expectRefused(server, [organizationId], attack, { status, reason });
    }
    await perform(server, victim, logIn(planted), clerk.key);
    const made = await recordOf(
      server,
      "SELECT record FROM sessions WHERE organization_id = $1::uuid AND user_id = $2::uuid",
      [organizationId, clerk.userId],
    );
    expect(made).toBeInstanceOf(Uint8Array);
    expect(await rowsOf(server, organizationId, ["sessions"])).toMatchObject({
      sessions: [{ user_id: clerk.userId }],
    });
  });

  test("does not take over the key of another user's session, nor a lasting key", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const [root] = victim.people;
    const clerk = await addUser(server, victim);
    const session = newKey();
    await perform(server, victim, logIn(session));
    for (const key of [session, root.key]) {
      const attack = () => ask(server, victim, logIn(key), clerk.key);
      await expectRefused(server, [organizationId], attack, {
        status: 409,
        reason: "PUBLIC_KEY_TAKEN",
      });
    }
    // The key that stamps is refused before that.
    const itself = () => ask(server, victim, logIn(clerk.key), clerk.key);
    const refusal = { status: 400, reason: "FIELD_INVALID" };
    await expectRefused(server, [organizationId], itself, refusal);
  });

  test("by one user does not push out the sessions of another", async () => {
    const victim = await newVictim(server);
    const clerk = await addUser(server, victim);
    const session = newKey();
    await perform(server, victim, logIn(session));
    for (let i = 0; i < 12; i++) await perform(server, victim, logIn(newKey()), clerk.key);
    await perform(server, victim, makeWallet("still here"), session);
  });

  test("with the parent's id by one of its users counts in no sub-organization that knows the credential", async () => {
    const parent = await newVictim(server);
    const [{ key }] = parent.people;
    const child = await newChild(parent, key);
    const [ofChild, ofParent] = [
      await documentOf(server, child.organizationId),
      await documentOf(server, parent.organizationId),
    ];
    for (const what of [logIn(newKey()), makeSession(), readOnly]) {
      const body = bytesOf(server, parent.organizationId, what);
      for (const records of [[ofChild], [ofChild, ofParent]]) {
        const answer = knock(server, { endpoint: what.endpoint, body, key, records });
        expect(answer).toMatchObject({ kind: "error", error: { reason: "RECORD_REFUSED" } });
      }
      const reply = await send(server, what.endpoint, body, stampOf(key, body));
      expect(reply).toMatchObject({
        status: 200,
        activity: { organizationId: parent.organizationId },
      });
    }
  });

  test("with the parent's id counts in the sub-organization of its credential alone", async () => {
    const parent = await newVictim(server);
    const stranger = await newVictim(server);
    const [key, siblingKey] = [newKey(), newKey()];
    const [child, sibling] = [await newChild(parent, key), await newChild(parent, siblingKey)];
    const login = bytesOf(server, parent.organizationId, logIn(newKey()));
    const wallet = bytesOf(server, parent.organizationId, makeWallet());
    const [ofChild, ofSibling, ofStranger] = await Promise.all(
      [child, sibling, stranger].map(({ organizationId }) => documentOf(server, organizationId)),
    );
    const [ofParent] = [await documentOf(server, parent.organizationId)];
    const knockWith = (endpoint: string, body: string, record = ofChild) => {
      const records = [record, ofParent].filter((each) => each !== undefined);
      return knock(server, { endpoint, body, key, records: [...new Set(records)] });
    };
    const refused = (reason: string) => ({ kind: "error", error: { reason } });
    expect(knockWith("stamp_login", login, ofStranger)).toMatchObject(refused("RECORD_REFUSED"));
    expect(knockWith("stamp_login", login, ofSibling)).toMatchObject(refused(gone.reason));
    expect(knockWith("stamp_login", login, ofParent)).toMatchObject(refused(gone.reason));
    expect(knockWith("create_wallet", wallet)).toMatchObject(refused("RECORD_REFUSED"));
    expect(knockWith("stamp_login", login)).toMatchObject({
      kind: "proposal",
      organizationId: child.organizationId,
    });
    // The id of a sub-organization means no other organization, and not the parent.
    const inChild = bytesOf(server, child.organizationId, logIn(newKey()));
    const [{ key: parentsKey }] = parent.people;
    const records = ofParent ? [ofParent] : [];
    expect(
      knock(server, { endpoint: "stamp_login", body: inChild, key: parentsKey, records }),
    ).toMatchObject(refused("RECORD_REFUSED"));
  });
});

describe("a read-only session", () => {
  test("that is forged, altered or made for something else reads nothing", async () => {
    const victim = await newVictim(server);
    const clerk = await addUser(server, victim);
    const reply = await perform(server, victim, readOnly, clerk.key);
    const token = String(resultOf(reply, "createReadOnlySessionResult").session);
    expect(await read(victim, token)).toBe(200);
    const [payload = "", signature = ""] = token.split(".");
    // The session's text is what its parts say, as `createReadOnlySession` wrote it.
    const session = JSON.parse(decodeUtf8(decodeBase64Url(payload))) as ReadOnlySession;
    const own = new Uint8Array(32).fill(7);
    const sign = (message: Uint8Array) => signP256Raw(message, own);
    const asRoot = { ...session, userId: victim.people[0].userId };
    const later = { ...session, expiresAtMs: session.expiresAtMs + 1 };
    const altered = (value: object) =>
      `${encodeBase64Url(encodeUtf8(JSON.stringify(value)))}.${signature}`;
    const login = await perform(server, victim, logIn(newKey()), clerk.key);
    const jwt = String(resultOf(login, "stampLoginResult").session);
    const forged = [createReadOnlySession(session, sign), altered(asRoot), altered(later), payload];
    for (const each of [...forged, jwt, jwt.split(".").slice(1).join("."), ""]) {
      expect(await read(victim, each), each).toBe(401);
    }
  });

  test("submits nothing", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const reply = await perform(server, victim, readOnly);
    const token = String(resultOf(reply, "createReadOnlySessionResult").session);
    for (const what of [makeWallet(), logIn(newKey()), readOnly]) {
      const body = bytesOf(server, organizationId, what);
      const attack = () => send(server, what.endpoint, body, { name: "X-Session", value: token });
      await expectRefused(server, [organizationId], attack, {
        status: 401,
        reason: "STAMP_MISSING",
      });
    }
  });

  test("ends with the user's other sessions", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const ends: (() => Promise<unknown>)[] = [
      () => perform(server, victim, logOut(root)),
      () => perform(server, victim, logIn(newKey(), { invalidateExisting: true })),
    ];
    for (const end of ends) {
      const reply = await perform(server, victim, readOnly);
      const token = String(resultOf(reply, "createReadOnlySessionResult").session);
      expect(await read(victim, token)).toBe(200);
      await end();
      expect(await read(victim, token)).toBe(401);
    }
  });

  test("reads no other organization", async () => {
    const parent = await newVictim(server);
    const key = newKey();
    const child = await newChild(parent, key);
    const stranger = await newVictim(server);
    const reply = await perform(server, child, readOnly, key);
    const token = String(resultOf(reply, "createReadOnlySessionResult").session);
    expect(await read(child, token)).toBe(200);
    for (const other of [parent, stranger]) expect(await read(other, token)).toBe(401);
  });
});

const readOnly: Ask = {
  endpoint: "create_read_only_session",
  type: "ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION",
  parameters: {},
};

const twoForLogins = makePolicy("two", "EFFECT_ALLOW", {
  condition: "activity.resource == 'AUTH'",
  consensus: "approvers.count() >= 2",
});

function logIn({ publicKey }: TestKey, more: Record<string, unknown> = {}): Ask {
  const parameters = { publicKey, ...more };
  return { endpoint: "stamp_login", type: "ACTIVITY_TYPE_STAMP_LOGIN", parameters };
}

function logOut({ userId }: Person): Ask {
  const type = "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE";
  return { endpoint: "log_out_everywhere", type, parameters: { userId } };
}

function makeSession(userId?: string): Ask {
  const { targetPublicKey } = createTargetKey();
  return {
    endpoint: "create_read_write_session",
    type: "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2",
    parameters: { targetPublicKey, ...(userId ? { userId } : {}) },
  };
}

function sessionsOf({ organizationId }: Victim, { userId }: Person, at = server) {
  const text =
    "SELECT record FROM sessions WHERE organization_id = $1::uuid AND user_id = $2::uuid";
  return recordOf(at, text, [organizationId, userId]);
}

/** A sub-organization whose only user has this key. */
async function newChild(parent: Victim, key: TestKey): Promise<Victim> {
  const reply = await perform(server, parent, makeSubOrganization(key));
  const { subOrganizationId, rootUserIds } = resultOf(reply, "createSubOrganizationResultV7") as {
    subOrganizationId: string;
    rootUserIds: [string];
  };
  return { organizationId: subOrganizationId, people: [{ userId: rootUserIds[0], key }] };
}

/** The status of a query with a read-only session and no stamp. */
async function read({ organizationId }: Victim, session: string): Promise<number> {
  const { status } = await server.fetch("http://keyhearth.test/public/v1/query/list_users", {
    method: "POST",
    body: JSON.stringify({ organizationId }),
    headers: { "X-Session": session },
  });
  return status;
}
