import { clientOf, newKey, type TestKey } from "@keyhearth/api/testing";
import { encodeBase64Url, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey } from "@keyhearth/crypto/keys/keys";
import {
  createVerificationToken,
  importVerificationKey,
  peekVerificationToken,
} from "@keyhearth/crypto/tokens/verification-token";
import { openMessage } from "@keyhearth/engine/messages.testing";
import {
  codeOf,
  encryptCode,
  OTP_FEATURES,
  signLogin,
  signMessage,
} from "@keyhearth/engine/otps.testing";
import { recordDigest } from "@keyhearth/engine/records/record";
import { signupSignature } from "@keyhearth/engine/verification-tokens.testing";
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
  expectRefused,
  knock,
  makePolicy,
  makeWallet,
  newVictim,
  type Person,
  perform,
  proposalFor,
  putBack,
  resultOf,
  rowsOf,
  send,
  setFeature,
  stampOf,
  startAttackedServer,
  type Victim,
  writtenBy,
} from "./attacker.ts";

// No document lists a one-time code. How often one was tried is in the memory of the signer's run, so
// neither records nor restarts give another attempt.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

const wrong = { status: 400, reason: "OTP_INVALID" };
const alarm = { status: 500, reason: "INTERNAL" };
const ADA = "ada@example.com";

async function newOffer(): Promise<Victim> {
  const victim = await newVictim(server);
  for (const name of OTP_FEATURES) {
    await perform(server, victim, setFeature(name));
  }
  return victim;
}

function initOtp(contact = ADA, more: object = {}): Ask {
  const parameters = { otpType: "OTP_TYPE_EMAIL", contact, appName: "Example", ...more };
  return { endpoint: "init_otp", type: "ACTIVITY_TYPE_INIT_OTP_V3", parameters };
}

type Sent = { otpId: string; code: string; key: TestKey; body: string; verify(code: string): Ask };

async function sendCode(victim: Victim, contact = ADA, more: object = {}): Promise<Sent> {
  const reply = await perform(server, victim, initOtp(contact, more));
  const { otpId, otpEncryptionTargetBundle: bundle } = resultOf(reply, "initOtpResultV2") as {
    otpId: string;
    otpEncryptionTargetBundle: string;
  };
  const key = newKey();
  const verify = (code: string): Ask => ({
    endpoint: "verify_otp",
    type: "ACTIVITY_TYPE_VERIFY_OTP_V2",
    parameters: { otpId, encryptedOtpBundle: encryptCode(code, bundle, key.publicKey) },
  });
  const code = await codeOf(server, victim.organizationId, otpId);
  return { otpId, code, key, body: reply.body, verify };
}

function wait(seconds: number) {
  server.clock.offsetMs += seconds * 1000;
}

/** Puts a record in place of the code's. */
async function bring({ organizationId }: Victim, record: Uint8Array) {
  await edit(
    server,
    `UPDATE otps SET digest = $2::text, record = $3::bytea, expires_at_ms = expires_at_ms + 3600000
     WHERE organization_id = $1::uuid`,
    [organizationId, recordDigest(record), record],
  );
}

function tokenOf(reply: Awaited<ReturnType<typeof perform>>): string {
  return resultOf(reply, "verifyOtpResult").verificationToken as string;
}

describe("a code", () => {
  test("gets no more attempts from older rows, or from the request that sent it", async () => {
    const victim = await newOffer();
    const { organizationId } = victim;
    const what = initOtp();
    const sent = await sendCode(victim);
    const saved = await rowsOf(server, organizationId);
    for (const guess of ["AAAAAAAA1", "AAAAAAAA2", "AAAAAAAA3"]) {
      await expectRefused(
        server,
        [organizationId],
        () => ask(server, victim, sent.verify(guess)),
        wrong,
      );
    }
    await putBack(server, organizationId, "otps", saved);
    const attack = () => ask(server, victim, sent.verify(sent.code));
    await expectRefused(server, [organizationId], attack, wrong);
    // The same request proposed twice is one code.
    const first = await proposalFor(server, victim, what);
    const second = await proposalFor(server, victim, what, { body: first.body });
    const contents = [first, second].map(({ messages }) => {
      const message = messages?.[0] && openMessage(messages[0]);
      return message?.kind === "email-code" ? message.content.code : undefined;
    });
    expect(contents[0]).toMatch(/^\w{9}$/);
    expect(contents[1]).toBe(contents[0]);
  });

  test("is void after a restart of the signer, which would forget its attempts", async () => {
    const victim = await newOffer();
    const { organizationId } = victim;
    const sent = await sendCode(victim);
    await ask(server, victim, sent.verify("AAAAAAAA1"));
    server.signer.restart();
    for (const code of ["AAAAAAAA2", sent.code]) {
      const attack = () => ask(server, victim, sent.verify(code));
      const { message } = await expectRefused(server, [organizationId], attack, wrong);
      expect(message).toContain("it was sent before the signer last started; ask for a new code");
    }
    const next = await sendCode(victim);
    await perform(server, victim, next.verify(next.code));
  });

  test("of one contact does not verify another, if the host swaps the records", async () => {
    const victim = await newOffer();
    const { organizationId } = victim;
    const [ada, eve] = [await sendCode(victim), await sendCode(victim, "eve@example.com")];
    await edit(
      server,
      `UPDATE otps SET (digest, record) =
         (SELECT digest, record FROM otps o WHERE o.organization_id = otps.organization_id AND o.otp_id <> otps.otp_id)
       WHERE organization_id = $1::uuid`,
      [organizationId],
    );
    for (const [one, other] of [
      [ada, eve],
      [eve, ada],
    ] as const) {
      const attack = () => ask(server, victim, one.verify(other.code));
      const signerLog = /unrequested record of type otp/;
      await expectRefused(server, [organizationId], attack, { ...alarm, signerLog });
    }
  });

  test("of another organization does not count here", async () => {
    const [victim, attacker] = [await newOffer(), await newOffer()];
    const sent = await sendCode(attacker);
    await edit(
      server,
      `INSERT INTO otps SELECT $1::uuid, otp_id, user_id, expires_at_ms, digest, record FROM otps
       WHERE organization_id = $2::uuid`,
      [victim.organizationId, attacker.organizationId],
    );
    const attack = () => ask(server, victim, sent.verify(sent.code));
    const signerLog = /record of another organization/;
    await expectRefused(server, [victim.organizationId], attack, { ...alarm, signerLog });
  });

  test("is used once, although the host hides that, and only the same request is repeated", async () => {
    const victim = await newOffer();
    const { organizationId, people } = victim;
    const sent = await sendCode(victim);
    const reply = await perform(server, victim, sent.verify(sent.code));
    await edit(
      server,
      "DELETE FROM activities WHERE organization_id = $1::uuid AND type = 'ACTIVITY_TYPE_VERIFY_OTP_V2'",
      [organizationId],
    );
    const attack = () => ask(server, victim, sent.verify(sent.code));
    await expectRefused(server, [organizationId], attack, wrong);
    const again = await send(server, "verify_otp", reply.body, stampOf(people[0].key, reply.body));
    const claims = [reply, again].map((each) =>
      peekVerificationToken(resultOf(each, "verifyOtpResult").verificationToken as string),
    );
    expect(claims[1]).toEqual(claims[0]);
  });

  test("does not last longer, however often the host has its request decided again", async () => {
    const victim = await newOffer();
    const { organizationId, people } = victim;
    const sent = await sendCode(victim, ADA, { expirationSeconds: "60" });
    wait(40);
    const again = await proposalFor(server, victim, initOtp(), { body: sent.body });
    await bring(victim, writtenBy(again, "otp"));
    wait(30);
    const attack = () => ask(server, victim, sent.verify(sent.code));
    const { message } = await expectRefused(server, [organizationId], attack, wrong);
    expect(message).toContain("it expired at ");
    await edit(server, "DELETE FROM activities WHERE organization_id = $1::uuid", [organizationId]);
    const { body } = sent;
    const replay = () => send(server, "init_otp", body, stampOf(people[0].key, body));
    await expectRefused(server, [organizationId], replay, wrong);
  });

  test("does not count a second time after the signer has forgotten the first", async () => {
    const victim = await newOffer();
    const { organizationId } = victim;
    const sent = await sendCode(victim, ADA, { expirationSeconds: "600" });
    await perform(server, victim, sent.verify(sent.code));
    const propose = () => proposalFor(server, victim, initOtp(), { body: sent.body });
    wait(290);
    const record = writtenBy(await propose(), "otp");
    // The code is kept for five more minutes, and its request sends no other one, now or later.
    for (const seconds of [20, 300, 2000]) {
      wait(seconds);
      await expect(propose()).rejects.toThrow("a request for a code must be newer");
    }
    await bring(victim, record);
    const what = {
      endpoint: "verify_otp",
      type: "ACTIVITY_TYPE_VERIFY_OTP",
      parameters: { otpId: sent.otpId, otpCode: sent.code, publicKey: sent.key.publicKey },
    };
    await expectRefused(server, [organizationId], () => ask(server, victim, what), wrong);
  });
});

describe("a code that was sent before its user logged out everywhere", () => {
  test("starts no session afterwards, by itself or by a token", async () => {
    const victim = await newOffer();
    const [{ userId }] = victim.people;
    const contact = { userId, userEmail: ADA, userTagIds: [] };
    await perform(server, victim, {
      endpoint: "update_user",
      type: "ACTIVITY_TYPE_UPDATE_USER",
      parameters: contact,
    });
    const auth = await perform(server, victim, {
      endpoint: "init_otp_auth",
      type: "ACTIVITY_TYPE_INIT_OTP_AUTH_V2",
      parameters: { otpType: "OTP_TYPE_EMAIL", contact: ADA },
    });
    const { otpId } = resultOf(auth, "initOtpAuthResultV2") as { otpId: string };
    const otpCode = await codeOf(server, victim.organizationId, otpId);
    const sent = await sendCode(victim);
    wait(1);
    await perform(server, victim, {
      endpoint: "log_out_everywhere",
      type: "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE",
      parameters: { userId },
    });
    wait(1);
    const targetPublicKey = TARGET;
    const exchange: Ask = {
      endpoint: "otp_auth",
      type: "ACTIVITY_TYPE_OTP_AUTH",
      parameters: { otpId, otpCode, targetPublicKey },
    };
    const { organizationId } = victim;
    const late = () => ask(server, victim, exchange);
    const { message } = await expectRefused(server, [organizationId], late, wrong);
    expect(message).toContain("it was sent before the user's sessions were ended");

    const token = tokenOf(await perform(server, victim, sent.verify(sent.code)));
    const login = (): Ask => ({
      endpoint: "otp_login",
      type: "ACTIVITY_TYPE_OTP_LOGIN_V2",
      parameters: {
        verificationToken: token,
        publicKey: sent.key.publicKey,
        clientSignature: signLogin(sent.key, token, sent.key.publicKey),
      },
    });
    const attack = () => ask(server, victim, login());
    await expectRefused(server, [organizationId], attack, {
      status: 400,
      reason: "VERIFICATION_TOKEN_INVALID",
    });
  });
});

/** The generator of P-256: an uncompressed key whose private half nobody needs here. */
const TARGET =
  "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";

describe("a request with a code that the host holds back", () => {
  test("gives a colleague who may verify codes no login, whichever way they send what is in it", async () => {
    const victim = await newOffer();
    const { organizationId, people } = victim;
    await perform(server, victim, {
      endpoint: "update_user",
      type: "ACTIVITY_TYPE_UPDATE_USER",
      parameters: { userId: people[0].userId, userEmail: ADA, userTagIds: [] },
    });
    const clerk = await addUser(server, victim);
    await perform(
      server,
      victim,
      makePolicy("clerks send codes and log people in", "EFFECT_ALLOW", {
        condition: "activity.resource == 'OTP' || activity.resource == 'AUTH'",
        consensus: `approvers.any(user, user.id == '${clerk.userId}')`,
      }),
    );
    const [held, other] = [await sendCode(victim), await sendCode(victim, "eve@example.com")];
    const { parameters } = held.verify(held.code);
    expect(JSON.stringify(parameters)).not.toContain(held.code);

    // It opens for its own code alone, and not with a bit of it changed.
    const bundle = JSON.parse(String(parameters.encryptedOtpBundle));
    const last = bundle.ciphertext.endsWith("0") ? "1" : "0";
    const changed = { ...bundle, ciphertext: bundle.ciphertext.slice(0, -1) + last };
    const invalid = { status: 400, reason: "BUNDLE_INVALID" };
    for (const moved of [
      { ...parameters, otpId: other.otpId },
      { ...parameters, encryptedOtpBundle: JSON.stringify(changed) },
    ]) {
      const attack = () =>
        ask(server, victim, { ...held.verify(""), parameters: moved }, clerk.key);
      await expectRefused(server, [organizationId], attack, invalid);
    }

    // The code counts, and its token is for the key that the client put into the bundle.
    const sent = { ...held.verify(""), parameters };
    const token = tokenOf(await perform(server, victim, sent, clerk.key));
    expect(peekVerificationToken(token)).toMatchObject({ public_key: held.key.publicKey });
    const { publicKey } = newKey();
    const refused = { status: 400, reason: "CLIENT_SIGNATURE_INVALID" };
    for (const what of [
      login(token, clerk.key),
      {
        endpoint: "otp_login",
        type: "ACTIVITY_TYPE_OTP_LOGIN",
        parameters: { verificationToken: token, publicKey },
      },
    ]) {
      const attack = () => ask(server, victim, what, clerk.key);
      await expectRefused(server, [organizationId], attack, refused);
    }
    await perform(server, victim, login(token, held.key), clerk.key);
  });
});

describe("a verification token", () => {
  test("that somebody else made, changed or got in another organization logs nobody in", async () => {
    const [victim, attacker] = [await newOffer(), await newOffer()];
    const { organizationId, people } = victim;
    await perform(server, victim, {
      endpoint: "update_user",
      type: "ACTIVITY_TYPE_UPDATE_USER",
      parameters: { userId: people[0].userId, userEmail: ADA, userTagIds: [] },
    });
    const foreign = await sendCode(attacker);
    const token = tokenOf(await perform(server, attacker, foreign.verify(foreign.code)));
    const claims = peekVerificationToken(token);
    if (!claims) throw new Error("no claims");
    const moved = { ...claims, organization_id: organizationId };
    const [header = "", , signature = ""] = token.split(".");
    const segment = (value: object) => encodeBase64Url(encodeUtf8(JSON.stringify(value)));
    const other = importVerificationKey(generatePrivateKey("CURVE_P256"));
    const forged = [
      token,
      `${header}.${segment(moved)}.${signature}`,
      createVerificationToken(moved, other),
      `${segment({ alg: "none", typ: "JWT" })}.${segment(moved)}.`,
    ];
    const refused = { status: 400, reason: "VERIFICATION_TOKEN_INVALID" };
    for (const verificationToken of forged) {
      const what = login(verificationToken, foreign.key);
      await expectRefused(server, [organizationId], () => ask(server, victim, what), refused);
    }
  });

  test("that somebody stole logs in no key but the one that its holder signed", async () => {
    const victim = await newOffer();
    const { organizationId, people } = victim;
    await perform(server, victim, {
      endpoint: "update_user",
      type: "ACTIVITY_TYPE_UPDATE_USER",
      parameters: { userId: people[0].userId, userEmail: ADA, userTagIds: [] },
    });
    const sent = await sendCode(victim);
    const token = tokenOf(await perform(server, victim, sent.verify(sent.code)));
    const honest = login(token, sent.key);
    const { clientSignature } = honest.parameters;
    const { publicKey } = newKey();
    const type = "ACTIVITY_TYPE_OTP_LOGIN";
    const stolen: Ask[] = [
      login(token, newKey()),
      { ...honest, parameters: { ...honest.parameters, publicKey } },
      { ...honest, type, parameters: { verificationToken: token, publicKey } },
      {
        ...honest,
        parameters: {
          verificationToken: token,
          publicKey,
          clientSignature: signMessage(newKey(), "{}"),
        },
      },
    ];
    expect(clientSignature).toBeDefined();
    const refused = { status: 400, reason: "CLIENT_SIGNATURE_INVALID" };
    for (const what of stolen) {
      await expectRefused(server, [organizationId], () => ask(server, victim, what), refused);
    }
    await perform(server, victim, honest);
  });
});

describe("a contact", () => {
  /** A parent that offers codes, and a sub-organization of Ada whose address is proven. */
  async function newProven() {
    const parent = await newOffer();
    const ada = await newTenant(parent, [newKey()]);
    const { key } = ada.people[0];
    await perform(server, ada, updateEmail(ada.people[0], await tokenFor(parent, key)));
    return { parent, ada };
  }

  /** A token of the parent for Ada's address, which names the key. */
  async function tokenFor(parent: Victim, { publicKey }: TestKey): Promise<string> {
    wait(200);
    const { otpId, code } = await sendCode(parent);
    const reply = await perform(server, parent, {
      endpoint: "verify_otp",
      type: "ACTIVITY_TYPE_VERIFY_OTP",
      parameters: { otpId, otpCode: code, publicKey },
    });
    return tokenOf(reply);
  }

  function rootUser(key: TestKey, userName: string) {
    return { userName, apiKeys: [apiKey(key)], authenticators: [], oauthProviders: [] };
  }

  /** A sub-organization whose root users, one for each key, must all agree. */
  function newTenant(parent: Victim, keys: [TestKey, ...TestKey[]]): Promise<Victim> {
    const rootUsers = keys.map((key, index) => rootUser(key, `user ${index}`));
    return newChild(parent, subOrganization(rootUsers, { rootQuorumThreshold: keys.length }), keys);
  }

  function subOrganization(rootUsers: object[], more: object = {}): Ask {
    return {
      endpoint: "create_sub_organization",
      type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
      parameters: { subOrganizationName: "sub", rootUsers, rootQuorumThreshold: 1, ...more },
    };
  }

  /** `keys` are those of the root users. */
  async function newChild(
    parent: Victim,
    what: Ask,
    keys: TestKey[],
    by?: TestKey,
  ): Promise<Victim> {
    const reply = await perform(server, parent, what, by);
    const { subOrganizationId, rootUserIds } = resultOf(reply, "createSubOrganizationResultV7") as {
      subOrganizationId: string;
      rootUserIds: string[];
    };
    const people = keys.map((key, index) => ({ userId: rootUserIds[index] ?? "", key }));
    return { organizationId: subOrganizationId, people: people as Victim["people"] };
  }

  function updateEmail({ userId }: Person, verificationToken: string): Ask {
    const parameters = { userId, userEmail: ADA, verificationToken };
    return { endpoint: "update_user_email", type: "ACTIVITY_TYPE_UPDATE_USER_EMAIL", parameters };
  }

  async function provenIn({ organizationId, people: [{ key }] }: Victim) {
    const filter = { filterType: "EMAIL", filterValue: ADA };
    return (await clientOf(server, organizationId, key).listVerifiedSuborgs(filter))
      .organizationIds;
  }

  /** Ada logs in by the parent's id, with a key that a token of hers names. */
  function loginByParent(parent: Victim, token: string, key: TestKey) {
    const body = bytesOf(server, parent.organizationId, {
      type: "ACTIVITY_TYPE_STAMP_LOGIN",
      parameters: { publicKey: key.publicKey },
    });
    const { publicKey, signature } = JSON.parse(
      Buffer.from(stampOf(key, body).value, "base64url").toString(),
    );
    const scheme = "STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN";
    const value = JSON.stringify({ publicKeyAttestation: token, scheme, publicKey, signature });
    return { endpoint: "stamp_login", body, stamp: { name: "X-Stamp-Attested", value } };
  }

  function logInByParent(parent: Victim, token: string, key: TestKey) {
    const { endpoint, body, stamp } = loginByParent(parent, token, key);
    return send(server, endpoint, body, stamp);
  }

  /** What Ada signed to sign up, with a token that names her key, and a clerk who may sign people up. */
  async function newSignup() {
    const parent = await newOffer();
    const clerk = await addUser(server, parent);
    const policy = makePolicy("clerks sign people up", "EFFECT_ALLOW", {
      condition: "activity.resource == 'ORGANIZATION' && activity.action == 'CREATE'",
      consensus: `approvers.any(user, user.id == '${clerk.userId}')`,
    });
    await perform(server, parent, policy);
    const key = newKey();
    const verificationToken = await tokenFor(parent, key);
    const ada = { ...rootUser(key, "Ada"), userEmail: ADA };
    const { apiKeys, authenticators, oauthProviders } = ada;
    const clientSignature = signupSignature(
      key,
      peekVerificationToken(verificationToken)?.id ?? "",
      { apiKeys, authenticators, oauthProviders, email: ADA },
    );
    return { parent, clerk, key, ada, proof: { verificationToken, clientSignature } };
  }

  test("is not proven for a stranger by a token that names its owner's key", async () => {
    const { parent, ada } = await newProven();
    const key = newKey();
    const token = await tokenFor(parent, key);
    const mallory = await newTenant(parent, [newKey()]);
    await perform(server, mallory, updateEmail(mallory.people[0], token));
    expect(await provenIn(parent)).toEqual([ada.organizationId]);
    const reply = await logInByParent(parent, token, key);
    const { session } = resultOf(reply, "stampLoginResult") as { session: string };
    const claims = JSON.parse(Buffer.from(session.split(".")[1] ?? "", "base64url").toString());
    expect(claims.organization_id).toBe(ada.organizationId);
  });

  test("is proven for no other user by the approval of the token's owner, however many vote", async () => {
    const { parent, ada } = await newProven();
    const [mallory, owner] = [newKey(), newKey()];
    const shared = await newTenant(parent, [mallory, owner]);
    const token = await tokenFor(parent, owner);
    const change = updateEmail(shared.people[0], token);
    const voteBy = async (first: TestKey, last: TestKey) => {
      const { activity } = await perform(server, shared, change, first);
      await perform(server, shared, approve(activity?.fingerprint ?? ""), last);
    };
    await voteBy(mallory, owner);
    expect(await provenIn(parent)).toEqual([ada.organizationId]);
    wait(1);
    // Its owner may ask for that.
    await voteBy(owner, mallory);
    expect((await provenIn(parent)).toSorted()).toEqual(
      [ada.organizationId, shared.organizationId].toSorted(),
    );
  });

  test("is proven in no second sub-organization by what its owner signed for the first", async () => {
    const { parent, clerk, key, ada, proof } = await newSignup();
    const { organizationId } = parent;
    const own = await newChild(parent, subOrganization([ada], proof), [key]);
    const stranger = rootUser(newKey(), "Mallory");
    const again = { ...proof, subOrganizationName: "again" };
    for (const rootUsers of [[ada], [ada, stranger]]) {
      const attack = () => ask(server, parent, subOrganization(rootUsers, again), clerk.key);
      const reply = await expectRefused(server, [organizationId, own.organizationId], attack, {
        status: 409,
        reason: "ACTIVITY_ALREADY_EXECUTED",
      });
      expect(reply.message).toContain("this verification token has created a sub-organization");
    }
    expect(await provenIn(parent)).toEqual([own.organizationId]);
  });

  test("is proven in no second sub-organization that was proposed before the first was committed", async () => {
    const { parent, key, ada, proof } = await newSignup();
    const what = subOrganization([ada], { ...proof, subOrganizationName: "again" });
    const second = await proposalFor(server, parent, what);
    const own = await newChild(parent, subOrganization([ada], proof), [key]);
    const { ticket } = second;
    expect(server.signer.handle({ call: "confirm", ticket: ticket ?? "" })).toMatchObject({
      kind: "error",
      error: { reason: "STALE_RECORD" },
    });
    expect(await provenIn(parent)).toEqual([own.organizationId]);
  });

  test("is proven in no second sub-organization that waited for approvals", async () => {
    const { parent, key, ada, proof } = await newSignup();
    const two = makePolicy("two agree", "EFFECT_ALLOW", {
      condition: "activity.resource == 'ORGANIZATION'",
      consensus: "approvers.count() >= 2",
    });
    await perform(server, parent, two);
    const [one, other] = [await addUser(server, parent), await addUser(server, parent)];
    const what = subOrganization([ada], { ...proof, subOrganizationName: "again" });
    const waiting = await perform(server, parent, what, one.key);
    expect(waiting.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    const own = await newChild(parent, subOrganization([ada], proof), [key]);
    await perform(server, parent, approve(waiting.activity?.fingerprint ?? ""), other.key);
    const { activity } = await clientOf(server, parent.organizationId, other.key).getActivity({
      activityId: waiting.activity?.id ?? "",
    });
    expect(activity).toMatchObject({
      status: "ACTIVITY_STATUS_FAILED",
      failure: { message: expect.stringContaining("this verification token has created") },
    });
    expect(await provenIn(parent)).toEqual([own.organizationId]);
  });

  test("is not proven beside a root user whom its owner did not sign", async () => {
    const { parent, clerk, key, ada, proof } = await newSignup();
    // The host holds the sign-up back, and the clerk sends another one.
    const own = newKey();
    const what = subOrganization([ada, rootUser(own, "Mallory")], proof);
    const trap = await newChild(parent, what, [key, own], clerk.key);
    await perform(server, trap, makeWallet("decided by Mallory alone"), own);
    expect(await provenIn(parent)).toEqual([]);
    // Ada logs in by the parent's id.
    const request = loginByParent(parent, proof.verificationToken, key);
    const records = [
      await documentOf(server, trap.organizationId),
      await documentOf(server, parent.organizationId),
    ];
    expect(knock(server, { ...request, records })).toMatchObject({
      kind: "error",
      error: { reason: "CREDENTIAL_NOT_FOUND" },
    });
  });
});

function login(verificationToken: string, key: TestKey): Ask {
  const { publicKey } = newKey();
  const clientSignature = signLogin(key, verificationToken, publicKey);
  const parameters = { verificationToken, publicKey, clientSignature };
  return { endpoint: "otp_login", type: "ACTIVITY_TYPE_OTP_LOGIN_V2", parameters };
}
