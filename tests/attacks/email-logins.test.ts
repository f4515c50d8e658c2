import { newKey, type TestKey } from "@keyhearth/api/testing";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { activities } from "@keyhearth/engine/activities/index";
import {
  adasEmail,
  type Family,
  keyIn,
  newMailFamily,
  newSibling,
  readMail,
} from "@keyhearth/engine/credential-mails.testing";
import { maySend } from "@keyhearth/engine/declare/define";
import { openMessage } from "@keyhearth/engine/messages.testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import { tokenOf } from "@keyhearth/engine/verification-tokens.testing";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addKey,
  addUser,
  ask,
  bytesOf,
  commit,
  documentOf,
  expectRefused,
  knock,
  makePolicy,
  makeWallet,
  newVictim,
  newWallet,
  type Person,
  perform,
  putBack,
  recordOf,
  reject,
  rowsOf,
  send,
  setFeature,
  sign,
  stampOf,
  startAttackedServer,
  type Victim,
  writtenBy,
} from "./attacker.ts";

// Logins and recoveries by mail. The host delivers the mails, keeps every record that the core ever wrote,
// and may commit a proposal or not. Neither it nor a tenant may become a user whose mail it does not read.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

const { targetPublicKey, targetPrivateKey } = createTargetKey();
const gone = { status: 401, reason: "CREDENTIAL_NOT_FOUND" };
const notAuthorized = { status: 403, reason: "REQUEST_NOT_AUTHORIZED" };
const denied = { status: 403, reason: "POLICY_DENIED" };
const emailAuth = mail("email_auth", "ACTIVITY_TYPE_EMAIL_AUTH_V2");
const recovery = mail("init_user_email_recovery", "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY");

function mail(endpoint: string, type: string, email = adasEmail): Ask {
  return { endpoint, type, parameters: { email, targetPublicKey } };
}

function recoverUser(userId: string): Ask {
  const parameters = { userId, authenticator: newPasskey().params };
  return { endpoint: "recover_user", type: "ACTIVITY_TYPE_RECOVER_USER", parameters };
}

type Attack = Family & {
  /** The sub-organization, in the form of the other attacks. */
  victim: Victim;
  parentKey: TestKey;
};

async function newFamily(): Promise<Attack> {
  const family = await newMailFamily(server);
  const { organizationId, userId, rootKey } = family.child;
  const victim: Victim = { organizationId, people: [{ userId, key: rootKey }] };
  return { ...family, victim, parentKey: family.parent.rootKey };
}

/** Asks for a mail as the parent does, and opens its bundle. */
async function mailed({ child, victim, parentKey }: Attack, what: Ask) {
  const { body } = await perform(server, victim, what, parentKey);
  const { key } = await readMail(child, targetPrivateKey);
  return { key, body };
}

const sessionsOf = ({ organizationId, people: [{ userId }] }: Victim) =>
  recordOf(
    server,
    "SELECT record FROM sessions WHERE organization_id = $1::uuid AND user_id = $2::uuid",
    [organizationId, userId],
  );

/** The documents of a sub-organization and of its parent, as the host has them. */
const documentsOf = async ({ parent, child }: Family) => [
  await documentOf(server, child.organizationId),
  await documentOf(server, parent.organizationId),
];

const refusedBy = (reason: string) => ({ kind: "error", error: { reason } });

describe("a recovery that is over", () => {
  test("is not started again by its bytes, even if the host hides the activity", async () => {
    const attack = await newFamily();
    const { organizationId } = attack.victim;
    const before = await rowsOf(server, organizationId, ["sessions", "activities"]);
    const { body, key } = await mailed(attack, recovery);
    await perform(server, attack.victim, recoverUser(attack.child.userId), key);
    for (const table of ["sessions", "activities"]) {
      await putBack(server, organizationId, table, before);
    }
    const again = () => send(server, recovery.endpoint, body, stampOf(attack.parentKey, body));
    await expectRefused(server, [organizationId], again, {
      status: 409,
      reason: "ACTIVITY_ALREADY_EXECUTED",
    });
  });

  test("stays over, whichever sessions record the host brings", async () => {
    for (const end of ["recover_user", "newer"] as const) {
      const attack = await newFamily();
      const { organizationId, people } = attack.victim;
      const [{ userId }] = people;
      const { key } = await mailed(attack, recovery);
      const saved = await rowsOf(server, organizationId, ["sessions"]);
      const bytes = await sessionsOf(attack.victim);
      if (end === "newer") await mailed(attack, recovery);
      else await perform(server, attack.victim, recoverUser(userId), key);
      await putBack(server, organizationId, "sessions", saved);
      const what = recoverUser(userId);
      const again = () => ask(server, attack.victim, what, key);
      await expectRefused(server, [organizationId], again, gone);
      // The core itself, without the look-ups of the host.
      const body = bytesOf(server, organizationId, what);
      const records = [...(await documentsOf(attack)), bytes];
      const answer = knock(server, { endpoint: what.endpoint, body, key, records });
      expect(answer).toMatchObject(refusedBy(gone.reason));
    }
  });

  test("does not go on in the sessions of a login that ends other sessions", async () => {
    const attack = await newFamily();
    const { organizationId, people } = attack.victim;
    const { key } = await mailed(attack, recovery);
    const login = {
      ...emailAuth,
      parameters: { ...emailAuth.parameters, invalidateExisting: true },
    };
    await perform(server, attack.victim, login, attack.parentKey);
    const again = () => ask(server, attack.victim, recoverUser(people[0].userId), key);
    await expectRefused(server, [organizationId], again, gone);
  });
});

test("a DENY about new credentials is not passed by a recovery that nobody began", async () => {
  const victim = await newVictim(server);
  const clerk = await addUser(server, victim);
  const { userId } = clerk;
  await perform(server, victim, setFeature("FEATURE_NAME_EMAIL_RECOVERY"));
  const condition = "activity.resource == 'CREDENTIAL' && activity.action == 'CREATE'";
  await perform(server, victim, makePolicy("no new credentials", "EFFECT_DENY", { condition }));
  const session = newKey();
  await perform(
    server,
    victim,
    {
      endpoint: "stamp_login",
      type: "ACTIVITY_TYPE_STAMP_LOGIN",
      parameters: { publicKey: session.publicKey },
    },
    clerk.key,
  );
  const register: Ask = {
    endpoint: "create_authenticators",
    type: "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2",
    parameters: { userId, authenticators: [newPasskey().params] },
  };
  for (const what of [register, recoverUser(userId)]) {
    for (const key of [session, clerk.key]) {
      const attack = () => ask(server, victim, what, key);
      await expectRefused(server, [victim.organizationId], attack, denied);
    }
  }
});

test("the mail of a proposal that was never committed opens nothing", async () => {
  for (const what of [emailAuth, recovery]) {
    const attack = await newFamily();
    const { organizationId, people } = attack.victim;
    const body = bytesOf(server, organizationId, what);
    const records = await documentsOf(attack);
    const propose = () => {
      const given = { endpoint: what.endpoint, body, key: attack.parentKey, records };
      const answer = knock(server, given);
      if (answer.kind !== "proposal") throw new Error(JSON.stringify(answer));
      const [sealed] = answer.messages ?? [];
      const message = sealed && openMessage(sealed);
      if (message?.kind !== "email-login" && message?.kind !== "email-recovery") {
        throw new Error("no mail");
      }
      return { ...answer, key: keyIn(message.content.credentialBundle, targetPrivateKey) };
    };
    const [kept, committed] = [propose(), propose()];
    expect(kept.key).not.toEqual(committed.key);
    const asks = what === recovery ? recoverUser(people[0].userId) : makeWallet("stolen");
    const use = async () => {
      const use = bytesOf(server, organizationId, asks);
      const brought = [...(await documentsOf(attack)), writtenBy(kept, "sessions")];
      return knock(server, { endpoint: asks.endpoint, body: use, key: kept.key, records: brought });
    };
    expect(await use()).toMatchObject(refusedBy(gone.reason));
    await commit(server, committed);
    expect(await use()).toMatchObject(refusedBy(gone.reason));
    await perform(server, attack.victim, asks, committed.key);
  }
});

describe("a recovery key", () => {
  test("stamps no other kind of submission, by the signer's own judgement", async () => {
    const attack = await newFamily();
    const { organizationId } = attack.victim;
    const { key } = await mailed(attack, recovery);
    const records = [...(await documentsOf(attack)), await sessionsOf(attack.victim)];
    // These are stamped by a credential that the request itself registers.
    const others = activities.filter(
      (each) =>
        each.name !== "recover_user" && !maySend("newcomer", each) && !maySend("founder", each),
    );
    expect(others.length).toBeGreaterThan(50);
    for (const { name: endpoint, defaultType: type, example: parameters } of others) {
      const body = bytesOf(server, organizationId, { type, parameters });
      const answer = knock(server, { endpoint, body, key, records });
      expect(answer, endpoint).toMatchObject(refusedBy(notAuthorized.reason));
    }
  });

  test("signs nothing, and neither approves nor rejects", async () => {
    const attack = await newFamily();
    const { victim } = attack;
    const { organizationId, people } = victim;
    const { address } = await newWallet(server, victim);
    const clerk = await addUser(server, victim);
    const { userId } = people[0];
    const both = `approvers.any(u, u.id == '${userId}') && approvers.any(u, u.id == '${clerk.userId}')`;
    const signing = { condition: "activity.action == 'SIGN'", consensus: both };
    await perform(server, victim, makePolicy("both sign", "EFFECT_ALLOW", signing));
    const waiting = await perform(server, victim, sign(address), clerk.key);
    expect(waiting.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    const { key } = await mailed(attack, recovery);
    const fingerprint = waiting.activity?.fingerprint ?? "";
    const type = "ACTIVITY_TYPE_APPROVE_ACTIVITY";
    const approve = { endpoint: "approve_activity", type, parameters: { fingerprint } };
    for (const what of [sign(address), approve, reject(fingerprint)]) {
      const attempt = () => ask(server, victim, what, key);
      await expectRefused(server, [organizationId], attempt, notAuthorized);
    }
    // A stamp over the same bytes would be a vote too.
    const same = () => send(server, "sign_raw_payload", waiting.body, stampOf(key, waiting.body));
    await expectRefused(server, [organizationId], same, notAuthorized);
  });

  test("recovers no other user, and counts in no other organization", async () => {
    const attack = await newFamily();
    const { victim, parent, child } = attack;
    const clerk = await addUser(server, victim);
    const sibling = await newSibling(parent);
    const { key } = await mailed(attack, recovery);
    const forClerk = () => ask(server, victim, recoverUser(clerk.userId), key);
    await expectRefused(server, [victim.organizationId], forClerk, notAuthorized);
    for (const { organizationId, userId } of [sibling, parent]) {
      const people: [Person] = [{ userId, key }];
      const there = () => ask(server, { organizationId, people }, recoverUser(userId));
      await expectRefused(server, [organizationId, child.organizationId], there, gone);
    }
  });

  test("reads nothing", async () => {
    const attack = await newFamily();
    const { key } = await mailed(attack, recovery);
    const { organizationId, userId } = attack.child;
    for (const [query, parameters] of [
      ["whoami", {}],
      ["get_user", { userId }],
      ["list_wallets", {}],
    ] as const) {
      const body = JSON.stringify({ organizationId, ...parameters });
      const { name, value } = stampOf(key, body);
      const url = `http://keyhearth.test/public/v1/query/${query}`;
      const response = await server.fetch(url, {
        method: "POST",
        body,
        headers: { [name]: value },
      });
      expect(response.status, query).toBe(403);
    }
  });
});

describe("somebody who asks for another user's mail", () => {
  test("needs a permission in the same organization", async () => {
    const { victim } = await newFamily();
    const clerk = await addUser(server, victim);
    for (const what of [emailAuth, recovery]) {
      const attempt = () => ask(server, victim, what, clerk.key);
      await expectRefused(server, [victim.organizationId], attempt, denied);
    }
  });

  test("needs a permission of the parent, as one of its users, even with the same address", async () => {
    const attack = await newFamily();
    const { parent, victim } = attack;
    const people: [Person] = [{ userId: parent.userId, key: parent.rootKey }];
    const clerk = await addUser(server, { organizationId: parent.organizationId, people });
    await parent.root.updateUser({ userId: clerk.userId, userEmail: adasEmail });
    for (const what of [emailAuth, recovery]) {
      const attempt = () => ask(server, victim, what, clerk.key);
      await expectRefused(server, [victim.organizationId], attempt, denied);
    }
  });

  test("cannot ask from a sibling, with whichever documents the host brings", async () => {
    const attack = await newFamily();
    const { parent, child, victim } = attack;
    const sibling = await newSibling(parent);
    const documents = await Promise.all(
      [child, parent, sibling].map(({ organizationId }) => documentOf(server, organizationId)),
    );
    const [ofChild, ofParent, ofSibling] = documents as [Uint8Array, Uint8Array, Uint8Array];
    for (const what of [emailAuth, recovery]) {
      const attempt = () => ask(server, victim, what, sibling.rootKey);
      await expectRefused(server, [victim.organizationId], attempt, gone);
      const body = bytesOf(server, victim.organizationId, what);
      for (const records of [
        [ofChild, ofParent],
        [ofChild, ofSibling],
        [ofChild, ofParent, ofSibling],
        [ofSibling, ofParent],
        [ofChild],
      ]) {
        const answer = knock(server, {
          endpoint: what.endpoint,
          body,
          key: sibling.rootKey,
          records,
        });
        expect(answer.kind).toBe("error");
      }
    }
  });

  test("keeps no mail of others away with the public key of their application", async () => {
    const { victim, parentKey } = await newFamily();
    const [asKey, asSession] = [await addUser(server, victim), await addUser(server, victim)];
    const login = {
      endpoint: "stamp_login",
      type: "ACTIVITY_TYPE_STAMP_LOGIN",
      parameters: { publicKey: parentKey.publicKey },
    };
    const application = () => perform(server, victim, emailAuth, parentKey);
    await perform(server, victim, login, asSession.key);
    await application();
    server.clock.offsetMs += 901_000;
    await application();
    await perform(server, victim, addKey(asKey, parentKey), asKey.key);
    const { activity } = await application();
    expect(activity?.votes).toMatchObject([{ userId: expect.not.stringMatching(asKey.userId) }]);
    // What only the user may do is still the user's.
    await perform(server, victim, recovery, parentKey);
    await perform(server, victim, addKey(asKey, newKey()), parentKey);
  });

  test("gets none for an address that two users have, in whatever case", async () => {
    const attack = await newFamily();
    const { victim, child } = attack;
    const clerk = await addUser(server, victim);
    await child.root.updateUser({ userId: clerk.userId, userEmail: adasEmail.toUpperCase() });
    for (const what of [emailAuth, recovery]) {
      const attempt = () => ask(server, victim, what, attack.parentKey);
      const refused = { status: 400, reason: "FIELD_INVALID" };
      await expectRefused(server, [victim.organizationId], attempt, refused);
    }
  });

  test("gets none with a letter that only looks like one of the address", async () => {
    const attack = await newFamily();
    const lookalike = adasEmail.replace("e", "\u0435");
    for (const { endpoint, type } of [emailAuth, recovery]) {
      const what = mail(endpoint, type, lookalike);
      const attempt = () => ask(server, attack.victim, what, attack.parentKey);
      const refused = { status: 404, reason: "NOT_FOUND" };
      await expectRefused(server, [attack.victim.organizationId], attempt, refused);
    }
  });
});

test("the key of a mail is in no record, activity or answer", async () => {
  for (const what of [emailAuth, recovery]) {
    const attack = await newFamily();
    const { organizationId } = attack.victim;
    const reply = await perform(server, attack.victim, what, attack.parentKey);
    const { key, message } = await readMail(attack.child, targetPrivateKey);
    const saved = await rowsOf(server, organizationId);
    const text = JSON.stringify([reply.activity, saved], (_, value: unknown) =>
      value instanceof Uint8Array
        ? `${encodeHex(value)} ${new TextDecoder().decode(value)}`
        : value,
    );
    expect(text).toContain(key.publicKey);
    for (const secret of [key.privateKey, message.content.credentialBundle]) {
      expect(text).not.toContain(secret);
    }
  }
});

test("a contact that only a root user's quorum may change is not changed by a proof", async () => {
  const { child, victim, parent } = await newFamily();
  const clerk = await addUser(server, victim);
  const users = { condition: "activity.resource == 'USER'", consensus: "true" };
  await perform(server, victim, makePolicy("all about users", "EFFECT_ALLOW", users));
  const userEmail = "eve@example.com";
  const { organizationId } = parent;
  const verificationToken = tokenOf(server, {
    contact: userEmail,
    organization_id: organizationId,
  });
  const what: Ask = {
    endpoint: "update_user_email",
    type: "ACTIVITY_TYPE_UPDATE_USER_EMAIL",
    parameters: { userId: child.userId, userEmail, verificationToken },
  };
  await expectRefused(
    server,
    [victim.organizationId],
    () => ask(server, victim, what, clerk.key),
    denied,
  );
  // A token of one sub-organization proves nothing in another.
  const sibling = await newSibling(parent);
  const elsewhere = tokenOf(server, { contact: userEmail, organization_id: victim.organizationId });
  const parameters = { userId: sibling.userId, userEmail, verificationToken: elsewhere };
  const people: [Person] = [{ userId: sibling.userId, key: sibling.rootKey }];
  const there = { organizationId: sibling.organizationId, people };
  const attempt = () => ask(server, there, { ...what, parameters });
  const refused = { status: 400, reason: "VERIFICATION_TOKEN_INVALID" };
  await expectRefused(server, [sibling.organizationId], attempt, refused);
});
