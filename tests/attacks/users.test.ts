import { newKey, type TestKey } from "@keyhearth/api/testing";
import { codeOf, signLogin } from "@keyhearth/engine/otps.testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import { upcast } from "@keyhearth/engine/records/kind";
import { organization } from "@keyhearth/engine/records/organization";
import { readRecord } from "@keyhearth/engine/records/record";
import { tokenOf } from "@keyhearth/engine/verification-tokens.testing";
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
  documentOf,
  expectRefused,
  knock,
  makePolicy,
  makeWallet,
  newVictim,
  type Person,
  perform,
  quorum,
  recordOf,
  resultOf,
  rowsOf,
  send,
  setFeature,
  stampOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// Users change and delete other users, and give them tags and social logins. Such a change can make
// somebody else of a user, or give a user the permissions of somebody else.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

function act(endpoint: string, parameters: Record<string, unknown>, version = ""): Ask {
  return { endpoint, type: `ACTIVITY_TYPE_${endpoint.toUpperCase()}${version}`, parameters };
}

const updateUser = (parameters: Record<string, unknown>) => act("update_user", parameters);
const deleteUsers = (userIds: string[]) => act("delete_users", { userIds });

function addIdentity({ userId }: Person, sub: string): Ask {
  const oidcClaims = { iss: "https://accounts.example.com", sub, aud: "my-app" };
  const oauthProviders = [{ providerName: "Example", oidcClaims }];
  return act("create_oauth_providers", { userId, oauthProviders }, "_V2");
}

async function newTag(victim: Victim, userTagName: string, userIds: string[] = []) {
  const reply = await perform(server, victim, act("create_user_tag", { userTagName, userIds }));
  return resultOf(reply, "createUserTagResult").userTagId as string;
}

describe("a user without permissions", () => {
  const denied = { status: 403, reason: "POLICY_DENIED" };

  test("changes, tags and deletes nobody, not even itself", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const mallory = await addUser(server, victim);
    const colleague = await addUser(server, victim);
    const userTagId = await newTag(victim, "admins", [root.userId]);
    const reply = await perform(server, victim, addIdentity(root, "root"));
    const { providerIds } = resultOf(reply, "createOauthProvidersResultV2");

    const attempts = [mallory, colleague, root].flatMap((target) => [
      updateUser({ userId: target.userId, userName: "mallory" }),
      updateUser({ userId: target.userId, userEmail: "mallory@example.com" }),
      updateUser({ userId: target.userId, userPhoneNumber: "+14155550100" }),
      updateUser({ userId: target.userId, userTagIds: [userTagId] }),
      act("update_user_name", { userId: target.userId, userName: "mallory" }),
      act("update_user_tag", { userTagId, addUserIds: [target.userId], removeUserIds: [] }),
      act("create_user_tag", { userTagName: "mine", userIds: [target.userId] }),
      addIdentity(target, "mallory"),
    ]);
    const { publicKey } = newKey();
    const bot = { userName: "bot", apiKeys: [{ apiKeyName: "bot", publicKey }], userTags: [] };
    attempts.push(
      deleteUsers([mallory.userId]),
      deleteUsers([colleague.userId]),
      act("delete_user_tags", { userTagIds: [userTagId] }),
      act("delete_oauth_providers", { userId: root.userId, providerIds }),
      act("create_api_only_users", { apiOnlyUsers: [bot] }),
    );
    for (const what of attempts) {
      const attack = () => ask(server, victim, what, mallory.key);
      await expectRefused(server, [victim.organizationId], attack, denied);
    }
  });

  test("does not register the identity of a colleague, who then can", async () => {
    const victim = await newVictim(server);
    const mallory = await addUser(server, victim);
    const colleague = await addUser(server, victim);
    for (const target of [mallory, colleague]) {
      const attack = () => ask(server, victim, addIdentity(target, "colleague"), mallory.key);
      await expectRefused(server, [victim.organizationId], attack, denied);
    }
    await perform(server, victim, addIdentity(colleague, "colleague"));
  });
});

describe("a user who may update users", () => {
  /** Users who may update users, of whom Ada has proved her address. `logIn` says whom a code logs in. */
  async function newProvenContact() {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const [ada, clerk, colleague] = [
      await addUser(server, victim),
      await addUser(server, victim),
      await addUser(server, victim),
    ];
    for (const name of ["FEATURE_NAME_EMAIL_AUTH", "FEATURE_NAME_OTP_EMAIL_AUTH"]) {
      await perform(server, victim, setFeature(name));
    }
    const policy = makePolicy("users", "EFFECT_ALLOW", {
      condition: "activity.resource == 'USER'",
      consensus: `approvers.any(user, user.id == '${ada.userId}' || user.id == '${clerk.userId}')`,
    });
    await perform(server, victim, policy);
    const email = "ada@example.com";
    const tokenFor = ({ publicKey }: TestKey) =>
      tokenOf(server, { contact: email, organization_id: organizationId, public_key: publicKey });
    const setEmail = ({ userId }: Person, userEmail: string, proof: object = {}) =>
      act("update_user_email", { userId, userEmail, ...proof });
    const verificationToken = tokenFor(ada.key);
    await perform(server, victim, setEmail(ada, email, { verificationToken }), ada.key);
    const logIn = async () => {
      const key = newKey();
      const { publicKey } = key;
      const token = tokenFor(key);
      const clientSignature = signLogin(key, token, publicKey);
      const login = { verificationToken: token, publicKey, clientSignature };
      const reply = await perform(server, victim, act("otp_login", login, "_V2"));
      const { session } = resultOf(reply, "otpLoginResult") as { session: string };
      return JSON.parse(Buffer.from(session.split(".")[1] ?? "", "base64url").toString()).user_id;
    };
    return { victim, ada, clerk, colleague, email, setEmail, logIn };
  }

  test("does not become root by the contacts of a root user", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const clerk = await addUser(server, victim);
    const colleague = await addUser(server, victim);
    const policy = makePolicy("help desk", "EFFECT_ALLOW", {
      condition: "activity.resource == 'USER'",
      consensus: `approvers.any(user, user.id == '${clerk.userId}')`,
    });
    await perform(server, victim, policy);
    const email = (userId: string) => updateUser({ userId, userEmail: "clerk@example.com" });
    await perform(server, victim, email(colleague.userId), clerk.key);
    const attempts = [
      email(root.userId),
      updateUser({ userId: root.userId, userPhoneNumber: "+14155550100" }),
      updateUser({ userId: root.userId, userName: "root", userEmail: "clerk@example.com" }),
    ];
    for (const what of attempts) {
      const attack = () => ask(server, victim, what, clerk.key);
      await expectRefused(server, [victim.organizationId], attack, {
        status: 403,
        reason: "POLICY_DENIED",
      });
    }
    // A root user below the threshold is not the quorum, not even about its own contacts.
    await perform(server, victim, quorum(2, [root.userId, colleague.userId]));
    const waiting = await ask(server, victim, email(root.userId), root.key);
    expect(waiting.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    const { fingerprint = "" } = waiting.activity ?? {};
    const vote = () => ask(server, victim, approve(fingerprint), clerk.key);
    await expectRefused(server, [victim.organizationId], vote, {
      status: 403,
      reason: "REQUEST_NOT_AUTHORIZED",
    });
  });

  test("does not become root by a passkey that recovers a root user", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const clerk = await addUser(server, victim);
    const colleague = await addUser(server, victim);
    const policy = makePolicy("help desk", "EFFECT_ALLOW", {
      condition: "activity.resource == 'USER' && activity.action == 'UPDATE'",
      consensus: `approvers.any(user, user.id == '${clerk.userId}')`,
    });
    await perform(server, victim, policy);
    for (const name of ["EMAIL_RECOVERY", "ROOT_USER_EMAIL_RECOVERY"]) {
      await perform(server, victim, setFeature(`FEATURE_NAME_${name}`));
    }
    const recover = (userId: string) =>
      act("recover_user", { userId, authenticator: newPasskey().params });
    await perform(server, victim, recover(colleague.userId), clerk.key);
    const attack = () => ask(server, victim, recover(root.userId), clerk.key);
    await expectRefused(server, [victim.organizationId], attack, {
      status: 403,
      reason: "POLICY_DENIED",
    });
    // Root users do it together, without the key of a mail also for themselves.
    await perform(server, victim, quorum(2, [root.userId, colleague.userId]));
    for (const { key } of [root, colleague]) {
      const waiting = await ask(server, victim, recover(root.userId), key);
      expect(waiting.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    }
  });

  test("does not take a proven contact from its user by stating it for others", async () => {
    const { victim, ada, clerk, colleague, email, setEmail, logIn } = await newProvenContact();
    await perform(server, victim, setEmail(clerk, email.toUpperCase()), clerk.key);
    await perform(server, victim, setEmail(colleague, email), clerk.key);
    expect(await logIn()).toBe(ada.userId);
    const { targetPublicKey } = createTargetKey();
    const emailCustomization = { appName: "Example" };
    const mail = act("email_auth", { email, targetPublicKey, emailCustomization }, "_V3");
    const mailed = await perform(server, victim, mail);
    expect(resultOf(mailed, "emailAuthResult").userId).toBe(ada.userId);
    const otpType = "OTP_TYPE_EMAIL";
    const sent = await perform(
      server,
      victim,
      act("init_otp_auth", { otpType, contact: email, emailCustomization }, "_V2"),
    );
    const { otpId } = resultOf(sent, "initOtpAuthResultV2") as { otpId: string };
    const otpCode = await codeOf(server, victim.organizationId, otpId);
    const loggedIn = await perform(
      server,
      victim,
      act("otp_auth", { otpId, otpCode, targetPublicKey }),
    );
    expect(resultOf(loggedIn, "otpAuthResult").userId).toBe(ada.userId);
    // Those for whom it was only stated may not even ask for a mail to its user.
    const denied = { status: 403, reason: "POLICY_DENIED" };
    const session = { email, targetPublicKey };
    for (const what of [mail, act("create_read_write_session", session)]) {
      const attack = () => ask(server, victim, what, colleague.key);
      await expectRefused(server, [victim.organizationId], attack, denied);
    }
  });

  test("does not delete the root quorum", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const clerk = await addUser(server, victim);
    const everything = makePolicy("clerk", "EFFECT_ALLOW", {
      consensus: `approvers.any(user, user.id == '${clerk.userId}')`,
    });
    await perform(server, victim, everything);
    const attack = () => ask(server, victim, deleteUsers([root.userId]), clerk.key);
    await expectRefused(server, [victim.organizationId], attack, {
      status: 400,
      reason: "QUORUM_INVALID",
    });
  });
});

describe("another organization", () => {
  test("lends neither its tags nor its users", async () => {
    const [victim, other] = [await newVictim(server), await newVictim(server)];
    const [root] = victim.people;
    const [stranger] = other.people;
    const [mine, theirs] = [await newTag(victim, "mine"), await newTag(other, "theirs")];
    const both = [victim.organizationId, other.organizationId];
    const lists = { addUserIds: [], removeUserIds: [] };
    const attempts: [Ask, number][] = [
      [updateUser({ userId: root.userId, userTagIds: [theirs] }), 400],
      [updateUser({ userId: stranger.userId, userTagIds: [mine] }), 404],
      [act("update_user_name", { userId: stranger.userId, userName: "x" }), 404],
      [act("update_user_tag", { userTagId: theirs, ...lists, addUserIds: [root.userId] }), 404],
      [act("update_user_tag", { userTagId: mine, ...lists, addUserIds: [stranger.userId] }), 400],
      [
        act("update_user_tag", { userTagId: mine, ...lists, removeUserIds: [stranger.userId] }),
        400,
      ],
      [act("delete_user_tags", { userTagIds: [mine, theirs] }), 404],
      [deleteUsers([stranger.userId]), 404],
      [addIdentity(stranger, "x"), 404],
    ];
    for (const [what, status] of attempts) {
      const attack = () => ask(server, victim, what);
      await expectRefused(server, both, attack, { status, reason: "NOT_FOUND" });
    }
  });
});

describe("a deleted user", () => {
  test("stamps nothing with a lasting key or a session, even if the host brings its records", async () => {
    const victim = await newVictim(server);
    const mallory = await addUser(server, victim);
    const session = newKey();
    await perform(server, victim, addKey(mallory, session, "3600"));
    const sessions = await sessionsOf(victim, mallory);
    const prepared = bytesOf(server, victim.organizationId, makeWallet("prepared"));
    await perform(server, victim, deleteUsers([mallory.userId]));
    const document = await documentOf(server, victim.organizationId);
    const { sessions: rows = [], lookups = [] } = await rowsOf(server, victim.organizationId);
    expect(
      [...rows, ...lookups].map(({ user_id, subject_id }) => user_id ?? subject_id),
    ).not.toContain(mallory.userId);
    for (const key of [mallory.key, session]) {
      const attack = () => send(server, "create_wallet", prepared, stampOf(key, prepared));
      await expectRefused(server, [victim.organizationId], attack, {
        status: 401,
        reason: "CREDENTIAL_NOT_FOUND",
      });
      const answer = knock(server, {
        endpoint: "create_wallet",
        body: prepared,
        key,
        records: [document, sessions],
      });
      expect(answer).toMatchObject({ kind: "error" });
    }
  });

  test("approves nothing, and what it approved before does not count", async () => {
    const victim = await newVictim(server, { rootUsers: 3, threshold: 2 });
    const [one, two, mallory] = victim.people as [Person, Person, Person];
    const started = await ask(server, victim, makeWallet("wanted by mallory"), mallory.key);
    const { fingerprint = "" } = started.activity ?? {};
    const agreed = async (what: Ask) => {
      const { activity } = await perform(server, victim, what, one.key);
      await perform(server, victim, approve(activity?.fingerprint ?? ""), two.key);
    };
    await agreed(quorum(2, [one.userId, two.userId]));
    await agreed(deleteUsers([mallory.userId]));
    const vote = () => ask(server, victim, approve(fingerprint), mallory.key);
    await expectRefused(server, [victim.organizationId], vote, {
      status: 401,
      reason: "CREDENTIAL_NOT_FOUND",
    });
    // What mallory started lapsed, so nobody else completes it either.
    const other = () => ask(server, victim, approve(fingerprint), one.key);
    await expectRefused(server, [victim.organizationId], other, {
      status: 400,
      reason: "ACTIVITY_NOT_PENDING",
    });
  });

  test("does not become the user who approves a login that it had started", async () => {
    const victim = await newVictim(server);
    const people = [await addUser(server, victim), await addUser(server, victim)] as const;
    const mallory = await addUser(server, victim);
    const two = makePolicy("two", "EFFECT_ALLOW", { consensus: "approvers.count() >= 2" });
    await perform(server, victim, two);
    const { publicKey } = newKey();
    const { targetPublicKey } = createTargetKey();
    const logins = [
      act("stamp_login", { publicKey }),
      act("create_read_write_session", { targetPublicKey }, "_V2"),
    ];
    const fingerprints: string[] = [];
    for (const what of logins) {
      const { activity } = await perform(server, victim, what, mallory.key);
      expect(activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
      fingerprints.push(activity?.fingerprint ?? "");
    }
    await perform(server, victim, deleteUsers([mallory.userId]));
    for (const fingerprint of fingerprints) {
      for (const { key } of people) {
        const attack = () => ask(server, victim, approve(fingerprint), key);
        await expectRefused(server, [victim.organizationId], attack, {
          status: 400,
          reason: "ACTIVITY_NOT_PENDING",
        });
      }
    }
  });

  test("leaves no approvals to somebody else who sends the same bytes", async () => {
    const victim = await newVictim(server);
    const colleague = await addUser(server, victim);
    const accomplice = await addUser(server, victim);
    const mallory = await addUser(server, victim);
    const three = makePolicy("three", "EFFECT_ALLOW", { consensus: "approvers.count() >= 3" });
    await perform(server, victim, three);
    const wanted = makeWallet("wanted by mallory");
    const body = bytesOf(server, victim.organizationId, wanted);
    const started = await send(server, wanted.endpoint, body, stampOf(mallory.key, body));
    const fingerprint = started.activity?.fingerprint ?? "";
    const approved = await perform(server, victim, approve(fingerprint), colleague.key);
    expect(approved.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    await perform(server, victim, deleteUsers([mallory.userId]));
    // The host hides the activity. Otherwise it would send the approval again, for the accomplice's request.
    const records = [await documentOf(server, victim.organizationId)];
    const again = knock(server, { endpoint: wanted.endpoint, body, key: accomplice.key, records });
    expect(again).toMatchObject({ kind: "error", error: { reason: "ACTIVITY_ALREADY_EXECUTED" } });
  });

  test("leaves neither a started import nor an invitation behind", async () => {
    const victim = await newVictim(server);
    const mallory = await addUser(server, victim);
    const everything = makePolicy("everything", "EFFECT_ALLOW", {
      consensus: `approvers.any(user, user.id == '${mallory.userId}')`,
    });
    await perform(server, victim, everything);
    const start = act("init_import_wallet", { userId: mallory.userId });
    await perform(server, victim, start, mallory.key);
    const invitation = {
      receiverUserName: "mallory's other self",
      receiverUserEmail: "mallory@example.com",
      receiverUserTags: [],
      accessType: "ACCESS_TYPE_ALL",
      senderUserId: mallory.userId,
    };
    const invite = act("create_invitations", { invitations: [invitation] });
    await perform(server, victim, invite, mallory.key);
    const held = async () => {
      const record = readRecord(await documentOf(server, victim.organizationId));
      const { imports, invitations } = upcast(organization, record);
      return [imports.length, invitations.length];
    };
    expect(await held()).toEqual([1, 1]);
    await perform(server, victim, deleteUsers([mallory.userId]));
    expect(await held()).toEqual([0, 0]);
  });

  test("does not come back by the request that created it, or under its id", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const { publicKey } = newKey();
    const what = act("create_api_only_users", {
      apiOnlyUsers: [{ userName: "m", apiKeys: [{ apiKeyName: "m", publicKey }], userTags: [] }],
    });
    const body = bytesOf(server, victim.organizationId, what);
    const created = await send(server, what.endpoint, body, stampOf(root.key, body));
    const { userIds } = resultOf(created, "createApiOnlyUsersResult") as { userIds: string[] };
    await perform(server, victim, deleteUsers(userIds));
    // The same bytes are the same activity, which creates nothing again.
    const again = await send(server, what.endpoint, body, stampOf(root.key, body));
    expect(again.activity?.id).toBe(created.activity?.id);
    const gone = () => ask(server, victim, deleteUsers(userIds));
    await expectRefused(server, [victim.organizationId], gone, {
      status: 404,
      reason: "NOT_FOUND",
    });
    const same = await perform(server, victim, what);
    expect(resultOf(same, "createApiOnlyUsersResult").userIds).not.toEqual(userIds);
  });
});

describe("an identity", () => {
  test("of another user is not registered, in any form", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const colleague = await addUser(server, victim);
    await perform(server, victim, addIdentity(root, "root"));
    const oidcClaims = { iss: "https://accounts.example.com", sub: "root", aud: "my-app" };
    const { publicKey } = newKey();
    const user = {
      userName: "another",
      apiKeys: [{ apiKeyName: "laptop", publicKey, curveType: "API_KEY_CURVE_P256" }],
      oauthProviders: [{ providerName: "Another name", oidcClaims }],
      authenticators: [],
      userTags: [],
    };
    const attempts = [
      addIdentity(colleague, "root"),
      addIdentity(root, "root"),
      act("create_users", { users: [user] }, "_V4"),
    ];
    for (const what of attempts) {
      const attack = () => ask(server, victim, what);
      await expectRefused(server, [victim.organizationId], attack, {
        status: 409,
        reason: "OAUTH_PROVIDER_TAKEN",
      });
    }
  });
});

function sessionsOf({ organizationId }: Victim, { userId }: Person) {
  const text =
    "SELECT record FROM sessions WHERE organization_id = $1::uuid AND user_id = $2::uuid";
  return recordOf(server, text, [organizationId, userId]);
}
