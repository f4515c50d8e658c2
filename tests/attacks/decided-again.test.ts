import { randomUUID } from "node:crypto";
import { newKey, type TestKey } from "@keyhearth/api/testing";
import { peekVerificationToken } from "@keyhearth/crypto/tokens/verification-token";
import { openMessage } from "@keyhearth/engine/messages.testing";
import { codeOf, encryptCode, OTP_FEATURES, signLogin } from "@keyhearth/engine/otps.testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addUser,
  apiKey,
  approve,
  ask,
  bytesOf,
  documentOf,
  edit,
  knock,
  makeAccount,
  makePolicy,
  makeSubOrganization,
  newVictim,
  newWallet,
  type Person,
  perform,
  proposalFor,
  quorum,
  recordOf,
  reject,
  resultOf,
  send,
  setFeature,
  sign,
  stampOf,
  startAttackedServer,
  type Victim,
  writtenBy,
} from "./attacker.ts";

// No document lists codes and verification tokens. So the host may have their requests decided again, and bring the
// record that suits it, or decisions that were never committed.

let server: Attacked;
beforeAll(async () => {
  server = await startAttackedServer();
});
afterAll(() => server?.stop());

const ADA = "ada@example.com";
const HOUR = 3600;

function wait(seconds: number) {
  server.clock.offsetMs += seconds * 1000;
}

const initOtp: Ask = {
  endpoint: "init_otp",
  type: "ACTIVITY_TYPE_INIT_OTP_V3",
  parameters: { otpType: "OTP_TYPE_EMAIL", contact: ADA, appName: "Example" },
};

const verifyOtp = (
  { otpId, bundle }: { otpId: string; bundle: string },
  code: string,
  key: TestKey,
): Ask => ({
  endpoint: "verify_otp",
  type: "ACTIVITY_TYPE_VERIFY_OTP_V2",
  parameters: {
    otpId,
    encryptedOtpBundle: encryptCode(code, bundle, key.publicKey),
    expirationSeconds: "86400",
  },
});

function login(verificationToken: string, key: TestKey): Ask {
  const { publicKey } = newKey();
  const clientSignature = signLogin(key, verificationToken, publicKey);
  return {
    endpoint: "otp_login",
    type: "ACTIVITY_TYPE_OTP_LOGIN_V2",
    parameters: { verificationToken, publicKey, clientSignature },
  };
}

/** An organization that sends codes, and whose first user has the address. */
async function newOffer(): Promise<Victim> {
  const victim = await newVictim(server);
  for (const name of OTP_FEATURES) {
    await perform(server, victim, setFeature(name));
  }
  await perform(server, victim, {
    endpoint: "update_user",
    type: "ACTIVITY_TYPE_UPDATE_USER",
    parameters: { userId: victim.people[0].userId, userEmail: ADA, userTagIds: [] },
  });
  return victim;
}

async function logOut(victim: Victim) {
  const [{ userId }] = victim.people;
  await perform(server, victim, {
    endpoint: "log_out_everywhere",
    type: "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE",
    parameters: { userId },
  });
}

async function sendCode(victim: Victim) {
  const { body, ...reply } = await perform(server, victim, initOtp);
  const { otpId, otpEncryptionTargetBundle: bundle } = resultOf(reply, "initOtpResultV2") as {
    otpId: string;
    otpEncryptionTargetBundle: string;
  };
  return { body, otpId, bundle, code: await codeOf(server, victim.organizationId, otpId) };
}

/** Has a request for a code decided again, and brings the record of that instead of the first. */
async function decideAgain(victim: Victim, what: Ask, body: string, otpId: string) {
  const record = writtenBy(await proposalFor(server, victim, what, { body }), "otp");
  await edit(
    server,
    "UPDATE otps SET digest = $3::text, record = $4::bytea WHERE organization_id = $1::uuid AND otp_id = $2::uuid",
    [victim.organizationId, otpId, recordDigest(record), record],
  );
  await edit(server, "DELETE FROM activities WHERE organization_id = $1::uuid", [
    victim.organizationId,
  ]);
}

describe("a code whose request is decided again", () => {
  test("is as old as before, and starts no session after a log-out", async () => {
    const victim = await newOffer();
    const what: Ask = {
      endpoint: "init_otp_auth",
      type: "ACTIVITY_TYPE_INIT_OTP_AUTH_V2",
      parameters: { otpType: "OTP_TYPE_EMAIL", contact: ADA },
    };
    const sent = await perform(server, victim, what);
    const { otpId } = resultOf(sent, "initOtpAuthResultV2") as { otpId: string };
    const otpCode = await codeOf(server, victim.organizationId, otpId);
    wait(1);
    await logOut(victim);
    wait(1);
    await decideAgain(victim, what, sent.body, otpId);
    const { targetPublicKey } = createTargetKey();
    const reply = await ask(server, victim, {
      endpoint: "otp_auth",
      type: "ACTIVITY_TYPE_OTP_AUTH",
      parameters: { otpId, otpCode, targetPublicKey },
    });
    expect(reply).toMatchObject({ status: 400, reason: "OTP_INVALID" });
  });

  test("gives the same token again, which a log-out has ended", async () => {
    const victim = await newOffer();
    const { body, code, ...sent } = await sendCode(victim);
    const thief = newKey();
    const verified = await perform(server, victim, verifyOtp(sent, code, thief));
    const { verificationToken: first } = resultOf(verified, "verifyOtpResult");
    wait(240);
    await logOut(victim);
    wait(1);
    await decideAgain(victim, initOtp, body, sent.otpId);
    const stamp = stampOf(victim.people[0].key, verified.body);
    const again = await send(server, "verify_otp", verified.body, stamp);
    const { verificationToken: second } = resultOf(again, "verifyOtpResult");
    const idOf = (token: unknown) => peekVerificationToken(String(token))?.id;
    expect(idOf(second)).toBe(idOf(first));
    wait(20 * HOUR);
    const reply = await ask(server, victim, login(String(second), thief));
    expect(reply).toMatchObject({ status: 400 });
  });
});

/** Votes decide about codes, and a clerk may verify them and log people in. */
async function newCouncil() {
  const victim = await newOffer();
  const clerk = await addUser(server, victim);
  const ofClerk = {
    condition:
      "(activity.resource == 'OTP' && activity.action == 'VERIFY') || activity.resource == 'AUTH'",
    consensus: `approvers.any(user, user.id == '${clerk.userId}')`,
  };
  await perform(server, victim, makePolicy("the clerk", "EFFECT_ALLOW", ofClerk));
  const second = await addUser(server, victim);
  const third = await addUser(server, victim);
  const { userId } = victim.people[0];
  await perform(server, victim, quorum(2, [userId, second.userId, third.userId]));
  return { victim, clerk, second, third };
}

type Waiting = { fingerprint: string; id: string };

async function askForVotes(victim: Victim, what: Ask): Promise<Waiting> {
  const { activity } = await ask(server, victim, what);
  expect(activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  return { fingerprint: activity?.fingerprint ?? "", id: activity?.id ?? "" };
}

/** Has an approval decided that the host keeps back. */
async function approveInSecret(
  { organizationId }: Victim,
  { fingerprint, id }: Waiting,
  { key }: Person,
  records: Uint8Array[] = [],
) {
  const activity = await recordOf(
    server,
    "SELECT record FROM activities WHERE organization_id = $1::uuid AND activity_id = $2::uuid",
    [organizationId, id],
  );
  const answer = knock(server, {
    endpoint: "approve_activity",
    body: bytesOf(server, organizationId, approve(fingerprint)),
    key,
    records: [await documentOf(server, organizationId), activity, ...records],
  });
  if (answer.kind !== "proposal") throw new Error(JSON.stringify(answer));
  return answer;
}

const findCode = (organizationId: string, otpId: string) =>
  recordOf(
    server,
    "SELECT record FROM otps WHERE organization_id = $1::uuid AND otp_id = $2::uuid",
    [organizationId, otpId],
  );

describe("what an approval gives that was never committed does not count", () => {
  test("a code", async () => {
    const { victim, clerk, second, third } = await newCouncil();
    const { organizationId } = victim;
    const waiting = await askForVotes(victim, initOtp);
    const answer = await approveInSecret(victim, waiting, second);
    const [message] = answer.messages ?? [];
    const mail = message && openMessage(message);
    if (mail?.kind !== "email-code") throw new Error("no code was sent");
    const rejected = await perform(server, victim, reject(waiting.fingerprint), third.key);
    expect(rejected.activity?.status).toBe("ACTIVITY_STATUS_REJECTED");

    const record = writtenBy(answer, "otp");
    const { otpId, expiresAtMs } = readRecord(record).body as {
      otpId: string;
      expiresAtMs: number;
    };
    await edit(
      server,
      "INSERT INTO otps (organization_id, otp_id, user_id, expires_at_ms, digest, record) VALUES ($1::uuid, $2::uuid, '', $3, $4::text, $5::bytea)",
      [organizationId, otpId, expiresAtMs, recordDigest(record), record],
    );
    const { result } = readRecord(writtenBy(answer, "activity")).body as {
      result: { otpEncryptionTargetBundle: string };
    };
    const sent = { otpId, bundle: result.otpEncryptionTargetBundle };
    const what = verifyOtp(sent, mail.content.code, newKey());
    const reply = await ask(server, victim, what, clerk.key);
    expect(reply).toMatchObject({ status: 404, reason: "NOT_FOUND" });
  });

  test("a verification token, which is shown only after the commit", async () => {
    const { victim, clerk, second } = await newCouncil();
    const { organizationId } = victim;
    const asked = await askForVotes(victim, initOtp);
    const approved = await perform(server, victim, approve(asked.fingerprint), second.key);
    const { otpId, otpEncryptionTargetBundle: bundle } = resultOf(approved, "initOtpResultV2") as {
      otpId: string;
      otpEncryptionTargetBundle: string;
    };
    const code = await codeOf(server, organizationId, otpId);
    const key = newKey();
    const waiting = await askForVotes(victim, verifyOtp({ otpId, bundle }, code, key));
    const records = [await findCode(organizationId, otpId)];
    const answer = await approveInSecret(victim, waiting, second, records);
    expect(readRecord(writtenBy(answer, "activity")).body).toMatchObject({
      status: "ACTIVITY_STATUS_COMPLETED",
      result: null,
    });

    // Honestly, the user who asked gets it, once it is in force.
    await perform(server, victim, approve(waiting.fingerprint), second.key);
    const { activity } = await get(victim, waiting.id);
    const { verificationToken } = activity.result.verifyOtpResult ?? {};
    const reply = await ask(server, victim, login(String(verificationToken), key), clerk.key);
    expect(reply).toMatchObject({ status: 200 });
  });
});

describe("what a request gave at once does not count once votes rejected the same bytes", () => {
  /** One user decides at first, and the host keeps back what comes of it. Later it takes two. */
  const newCouncilLater = async () => {
    const victim = await newOffer();
    const [second, third] = [await addUser(server, victim), await addUser(server, victim)];
    const ids = [victim.people[0], second, third].map(({ userId }) => userId);
    const rejectLater = async ({ endpoint }: Ask, body: string) => {
      await perform(server, victim, quorum(2, ids));
      const stamp = stampOf(victim.people[0].key, body);
      const { activity } = await send(server, endpoint, body, stamp);
      expect(activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
      const vote = reject(activity?.fingerprint ?? "");
      const rejected = await perform(server, victim, vote, second.key);
      expect(rejected.activity?.status).toBe("ACTIVITY_STATUS_REJECTED");
    };
    return { victim, second, third, rejectLater };
  };
  const signsWith = (victim: Victim, records: Uint8Array[], address: string) =>
    knock(server, {
      endpoint: "sign_raw_payload",
      body: bytesOf(server, victim.organizationId, sign(address)),
      key: victim.people[0].key,
      records,
    });

  test("an account, for good", async () => {
    const { victim, rejectLater } = await newCouncilLater();
    const { walletId } = await newWallet(server, victim);
    const wallet = await recordOf(server, "SELECT record FROM wallets WHERE wallet_id = $1::uuid", [
      walletId,
    ]);
    const what = makeAccount(walletId);
    const kept = await proposalFor(server, victim, what, { records: [wallet] });
    const account = writtenBy(kept, "wallet-account");
    const { address } = readRecord(account).body as { address: string };
    const before = [await documentOf(server, victim.organizationId), wallet, account];
    expect(signsWith(victim, before, address)).toMatchObject({ kind: "proposal" });
    await rejectLater(what, kept.body);
    wait(30 * 24 * HOUR);
    const records = [await documentOf(server, victim.organizationId), wallet, account];
    expect(signsWith(victim, records, address)).toMatchObject({ error: { reason: "NOT_FOUND" } });
  });

  test("and the same account counts if votes approve it", async () => {
    const { victim, second, third } = await newCouncilLater();
    const { walletId } = await newWallet(server, victim);
    const ids = [victim.people[0], second, third].map(({ userId }) => userId);
    await perform(server, victim, quorum(2, ids));
    for (const index of [1, 2, 3]) {
      const asked = await perform(server, victim, makeAccount(walletId, index));
      const approved = approve(asked.activity?.fingerprint ?? "");
      const { activity } = await perform(server, victim, approved, second.key);
      expect(activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
    }
    const { votesOnly } = readRecord(await documentOf(server, victim.organizationId)).body as {
      votesOnly?: unknown[];
    };
    expect(votesOnly ?? []).toEqual([]);
  });

  /** An account that was committed, whose activity the host hides afterwards, under stricter rules. */
  const hideAccount = async () => {
    const { victim, second, third } = await newCouncilLater();
    const { organizationId } = victim;
    const { walletId } = await newWallet(server, victim);
    const { body, ...made } = await perform(server, victim, makeAccount(walletId));
    const { addresses } = resultOf(made, "createWalletAccountsResult") as { addresses: string[] };
    const signing = {
      condition: "activity.action == 'SIGN'",
      consensus: `approvers.any(user, user.id == '${third.userId}')`,
    };
    await perform(server, victim, makePolicy("signing", "EFFECT_ALLOW", signing));
    const ids = [victim.people[0], second, third].map(({ userId }) => userId);
    await perform(server, victim, quorum(2, ids));
    await edit(server, "DELETE FROM activities WHERE organization_id = $1::uuid", [organizationId]);
    const signs = () => ask(server, victim, sign(addresses[0] ?? ""), third.key);
    const sendBy = async ({ key }: Person) => {
      const sent = await send(server, "create_wallet_accounts", body, stampOf(key, body));
      expect(sent.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
      return sent.activity?.fingerprint ?? "";
    };
    return { victim, second, signs, sendBy };
  };

  test("while a copy of the bytes by another user ends nothing", async () => {
    const { victim, second, signs, sendBy } = await hideAccount();
    await perform(server, victim, reject(await sendBy(second)), second.key);
    expect(await signs()).toMatchObject({ status: 200 });
  });

  test("and a committed account that its user's own bytes ended counts again once votes approve them", async () => {
    const { victim, second, signs, sendBy } = await hideAccount();
    const fingerprint = await sendBy(victim.people[0]);
    expect(await signs()).toMatchObject({ status: 404 });
    const { activity } = await perform(server, victim, approve(fingerprint), second.key);
    expect(activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
    expect(await signs()).toMatchObject({ status: 200 });
  });

  test("a session, until it would have expired", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const clerk = await addUser(server, victim);
    const key = newKey();
    const what: Ask = {
      endpoint: "stamp_login",
      type: "ACTIVITY_TYPE_STAMP_LOGIN",
      parameters: { publicKey: key.publicKey, expirationSeconds: "2592000" },
    };
    const login = bytesOf(server, organizationId, what);
    const records = [await documentOf(server, organizationId)];
    const kept = knock(server, { endpoint: "stamp_login", body: login, key: clerk.key, records });
    if (kept.kind !== "proposal") throw new Error(JSON.stringify(kept));
    const session = writtenBy(kept, "sessions");
    const stamped = async () => {
      const document = await documentOf(server, organizationId);
      const { publicKey } = newKey();
      const body = bytesOf(server, organizationId, { ...what, parameters: { publicKey } });
      return knock(server, { endpoint: "stamp_login", body, key, records: [document, session] });
    };
    expect(await stamped()).toMatchObject({ kind: "proposal" });
    const consensus = "approvers.count() >= 2";
    await perform(server, victim, makePolicy("two for a login", "EFFECT_ALLOW", { consensus }));
    const { activity } = await send(server, "stamp_login", login, stampOf(clerk.key, login));
    expect(activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    await perform(server, victim, reject(activity?.fingerprint ?? ""));
    for (const days of [0, 20, 9]) {
      wait(days * 24 * HOUR);
      expect(await stamped()).toMatchObject({ error: { reason: "CREDENTIAL_NOT_FOUND" } });
    }
  });

  test("a code", async () => {
    const { victim, rejectLater } = await newCouncilLater();
    const kept = await proposalFor(server, victim, initOtp);
    const [message] = kept.messages ?? [];
    const mail = message && openMessage(message);
    if (mail?.kind !== "email-code") throw new Error("no code was sent");
    const record = writtenBy(kept, "otp");
    const { result } = readRecord(writtenBy(kept, "activity")).body as {
      result: { otpId: string; otpEncryptionTargetBundle: string };
    };
    const { otpId, otpEncryptionTargetBundle: bundle } = result;
    const verify = async () => {
      const what = verifyOtp({ otpId, bundle }, mail.content.code, newKey());
      return knock(server, {
        endpoint: "verify_otp",
        body: bytesOf(server, victim.organizationId, what),
        key: victim.people[0].key,
        records: [await documentOf(server, victim.organizationId), record],
      });
    };
    await rejectLater(initOtp, kept.body);
    expect(await verify()).toMatchObject({ error: { reason: "NOT_FOUND" } });
  });

  test("a verification token, in the organization that made it", async () => {
    const { victim, third, rejectLater } = await newCouncilLater();
    const { code, ...sent } = await sendCode(victim);
    const key = newKey();
    const what = verifyOtp(sent, code, key);
    const records = [await findCode(victim.organizationId, sent.otpId)];
    const kept = await proposalFor(server, victim, what, { records });
    const { result } = readRecord(writtenBy(kept, "activity")).body as {
      result: { verificationToken: string };
    };
    await rejectLater(what, kept.body);
    const reply = await ask(server, victim, login(result.verificationToken, key), third.key);
    expect(reply).toMatchObject({ status: 400, reason: "VERIFICATION_TOKEN_INVALID" });
  });

  const begin = ({ ticket }: { ticket: string | null }) =>
    server.signer.handle({ call: "confirm", ticket: ticket ?? "" });
  const neverBegins = { kind: "error", error: { reason: "STALE_RECORD" } };

  test("a sub-organization", async () => {
    const { victim, rejectLater } = await newCouncilLater();
    const what = makeSubOrganization(newKey());
    const kept = await proposalFor(server, victim, what);
    await rejectLater(what, kept.body);
    expect(begin(kept)).toMatchObject(neverBegins);
    const first = kept.attachments.filter((bytes) => {
      const { type, organizationId } = readRecord(bytes).header;
      return type === "organization" && organizationId !== victim.organizationId;
    });
    expect(first).toHaveLength(1);
    expect(server.signer.handle({ call: "confirm", attachments: first })).toMatchObject(
      neverBegins,
    );
  });

  test("a sub-organization whose request failed after the votes", async () => {
    const { victim, second, third } = await newCouncilLater();
    const { code: otpCode, otpId } = await sendCode(victim);
    const verified = await perform(server, victim, {
      endpoint: "verify_otp",
      type: "ACTIVITY_TYPE_VERIFY_OTP",
      parameters: { otpId, otpCode, expirationSeconds: "600" },
    });
    const { verificationToken } = resultOf(verified, "verifyOtpResult");
    const what = makeSubOrganization(newKey());
    const [rootUser] = what.parameters.rootUsers as Record<string, unknown>[];
    Object.assign(rootUser ?? {}, { userEmail: ADA });
    Object.assign(what.parameters, { verificationToken });
    const kept = await proposalFor(server, victim, what);
    const ids = [victim.people[0], second, third].map(({ userId }) => userId);
    await perform(server, victim, quorum(2, ids));
    const stamp = stampOf(victim.people[0].key, kept.body);
    const waiting = await send(server, what.endpoint, kept.body, stamp);
    expect(waiting.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    // The token expires in between.
    wait(1200);
    const approval = approve(waiting.activity?.fingerprint ?? "");
    const { activity } = await perform(server, victim, approval, second.key);
    expect(activity?.status).toBe("ACTIVITY_STATUS_FAILED");
    expect(begin(kept)).toMatchObject(neverBegins);
  });
});

/** As its first user sees it. */
async function get({ organizationId, people: [{ key }] }: Victim, activityId: string) {
  const body = JSON.stringify({ organizationId, activityId });
  const { name, value } = stampOf(key, body);
  const response = await server.fetch("http://keyhearth.test/public/v1/query/get_activity", {
    method: "POST",
    headers: { "Content-Type": "application/json", [name]: value },
    body,
  });
  return (await response.json()) as {
    activity: { result: Record<string, Record<string, unknown> | undefined> };
  };
}

describe("what proved something that a user lost", () => {
  const create = (victim: Victim, key: TestKey, userEmail?: string) =>
    createWith(victim, {
      apiKeys: [apiKey(key)],
      authenticators: [],
      ...(userEmail && { userEmail }),
    });
  const createWith = async (victim: Victim, credentials: Record<string, unknown>) => {
    const user = { userName: randomUUID(), ...credentials };
    const reply = await perform(server, victim, {
      endpoint: "create_users",
      type: "ACTIVITY_TYPE_CREATE_USERS_V3",
      parameters: { users: [{ ...user, oauthProviders: [], userTags: [] }] },
    });
    return (resultOf(reply, "createUsersResult").userIds as string[])[0] ?? "";
  };
  const remove = (victim: Victim, userId: string) =>
    perform(server, victim, {
      endpoint: "delete_users",
      type: "ACTIVITY_TYPE_DELETE_USERS",
      parameters: { userIds: [userId] },
    });
  const give = (victim: Victim, userId: string, userEmail: string) =>
    perform(server, victim, {
      endpoint: "update_user",
      type: "ACTIVITY_TYPE_UPDATE_USER",
      parameters: { userId, userEmail, userTagIds: [] },
    });
  const newToken = async (victim: Victim, key: TestKey) => {
    const { code, ...sent } = await sendCode(victim);
    const verified = await perform(server, victim, verifyOtp(sent, code, key));
    return String(resultOf(verified, "verifyOtpResult").verificationToken);
  };
  /** An organization in which nobody has the address. */
  const newPlace = async () => {
    const victim = await newOffer();
    await give(victim, victim.people[0].userId, "root@example.com");
    wait(1);
    return victim;
  };

  test("a token that a log-out ended does not count for a user who is created again", async () => {
    const victim = await newPlace();
    const userId = await create(victim, newKey(), ADA);
    const thief = newKey();
    const stolen = await newToken(victim, thief);
    wait(1);
    await remove(victim, userId);
    wait(1);
    // Somebody proves the address before the user is created again, as in a sign-up.
    const owner = newKey();
    const fresh = await newToken(victim, owner);
    await create(victim, newKey(), ADA);
    expect(await ask(server, victim, login(fresh, owner))).toMatchObject({ status: 200 });
    wait(12 * HOUR);
    expect(await ask(server, victim, login(stolen, thief))).toMatchObject({ status: 400 });
  });

  test("nor for a user who got the address afterwards", async () => {
    const victim = await newPlace();
    const [first, second] = [await create(victim, newKey(), ADA), await create(victim, newKey())];
    const thief = newKey();
    const stolen = await newToken(victim, thief);
    wait(1);
    await give(victim, first, "other@example.com");
    await give(victim, second, ADA);
    wait(1);
    expect(await ask(server, victim, login(stolen, thief))).toMatchObject({ status: 400 });
    const owner = newKey();
    const fresh = await newToken(victim, owner);
    expect(await ask(server, victim, login(fresh, owner))).toMatchObject({ status: 200 });
  });

  const passkey = newPasskey();
  const key = newKey();
  const holders: [
    string,
    Record<string, unknown>,
    (body: string) => { name: string; value: string },
  ][] = [
    [
      "the key",
      { apiKeys: [apiKey(key)], authenticators: [] },
      (body: string) => stampOf(key, body),
    ],
    [
      "the passkey",
      { apiKeys: [], authenticators: [passkey.params] },
      (body: string) => ({ name: "X-Stamp-Webauthn", value: passkey.stamp(body) }),
    ],
  ];
  test.each(holders)(
    "a login of a deleted user does not count for the next user of %s",
    async (_, has, stampBy) => {
      const victim = await newPlace();
      const userId = await createWith(victim, has);
      const stampLogin: Ask = {
        endpoint: "stamp_login",
        type: "ACTIVITY_TYPE_STAMP_LOGIN",
        parameters: { publicKey: newKey().publicKey, expirationSeconds: "86400" },
      };
      const body = bytesOf(server, victim.organizationId, stampLogin);
      const logIn = (text: string) => send(server, "stamp_login", text, stampBy(text));
      expect(await logIn(body)).toMatchObject({ status: 200 });
      wait(60);
      await remove(victim, userId);
      wait(60);
      await createWith(victim, has);
      await edit(server, "DELETE FROM activities WHERE organization_id = $1::uuid", [
        victim.organizationId,
      ]);
      await edit(server, "DELETE FROM sessions WHERE organization_id = $1::uuid", [
        victim.organizationId,
      ]);
      expect(await logIn(body)).toMatchObject({ status: 400, reason: "TIMESTAMP_OUT_OF_RANGE" });
      const next = { ...stampLogin, parameters: { publicKey: newKey().publicKey } };
      expect(await logIn(bytesOf(server, victim.organizationId, next))).toMatchObject({
        status: 200,
      });
    },
  );
});
