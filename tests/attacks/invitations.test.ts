import { encodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import { randomBytes } from "@keyhearth/crypto/primitives";
import { mailsOf, proofOf } from "@keyhearth/engine/invitations.testing";
import type { InvitationMail } from "@keyhearth/engine/messages/message";
import { openMessage } from "@keyhearth/engine/messages.testing";
import {
  newPasskey,
  passkeyOf,
  type TestPasskey,
  testOrigin,
} from "@keyhearth/engine/passkey.testing";
import { upcast } from "@keyhearth/engine/records/kind";
import { organization } from "@keyhearth/engine/records/organization";
import { readRecord } from "@keyhearth/engine/records/record";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  bytesOf,
  commit,
  documentOf,
  expectAlarm,
  expectRefused,
  newVictim,
  perform,
  proposalFor,
  putBack,
  type Reply,
  rowsOf,
  send,
  setFeature,
  stampOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// Anyone who has the token of an invitation may become a user, once. These attackers do not have it, or
// have it too late, or want more than that.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

const endpoint = "accept_invitation";

function invitation({ people: [{ userId }] }: Victim): Ask {
  return {
    endpoint: "create_invitations",
    type: "ACTIVITY_TYPE_CREATE_INVITATIONS",
    parameters: {
      invitations: [
        {
          receiverUserName: "Grace",
          receiverUserEmail: "grace@example.com",
          receiverUserTags: [],
          accessType: "ACCESS_TYPE_ALL",
          senderUserId: userId,
        },
      ],
    },
  };
}

/** Invites somebody, and returns the mail. */
async function invite(victim: Victim): Promise<InvitationMail> {
  await perform(server, victim, invitation(victim));
  const mail = (await mailsOf(server, victim.organizationId)).at(-1);
  if (!mail) throw new Error("no mail");
  return mail;
}

function deletion({ invitationId }: InvitationMail): Ask {
  return {
    endpoint: "delete_invitation",
    type: "ACTIVITY_TYPE_DELETE_INVITATION",
    parameters: { invitationId },
  };
}

type Attempt = {
  /** The passkey that the request registers. By default a new one. */
  passkey?: TestPasskey;
  /** By default that of the token in the mail for this passkey. */
  tokenProof?: string;
  stampedBy?: (body: string) => { name: string; value: string };
  userId?: string;
};

/** A request that accepts an invitation, with its stamp. */
function acceptanceBy(mail: InvitationMail, attempt: Attempt = {}) {
  const { passkey = newPasskey(), userId = mail.userId } = attempt;
  const { stampedBy = stampBy(passkey), tokenProof = proofOf(mail, passkey) } = attempt;
  const { organizationId, invitationId } = mail;
  const body = bytesOf(server, organizationId, {
    type: "ACTIVITY_TYPE_ACCEPT_INVITATION_V2",
    parameters: { invitationId, userId, tokenProof, authenticator: passkey.params },
  });
  return { body, stamp: stampedBy(body) };
}

/** Tries to accept an invitation. */
function accept(mail: InvitationMail, attempt: Attempt = {}): Promise<Reply> {
  const { body, stamp } = acceptanceBy(mail, attempt);
  return send(server, endpoint, body, stamp);
}

const stampBy = (passkey: TestPasskey) => (body: string) => ({
  name: "X-Stamp-Webauthn",
  value: passkey.stamp(body),
});

async function namesOf({ organizationId }: Victim): Promise<string[]> {
  const document = upcast(organization, readRecord(await documentOf(server, organizationId)));
  return document.users.map(({ userName }) => userName);
}

const notFound = { status: 404, reason: "NOT_FOUND" };
const badField = { status: 400, reason: "FIELD_INVALID" };
const stale = { status: 503, reason: "STALE_RECORD", signerLog: /older than/ };

describe("an invitation that is not in force", () => {
  test("is not accepted with the token of a proposal that was never committed", async () => {
    const victim = await newVictim(server);
    const what = invitation(victim);
    const kept = await proposalFor(server, victim, what);
    const committed = await proposalFor(server, victim, what, { body: kept.body });
    const [early, mail] = [kept, committed].map(({ messages }) => {
      const [sealed] = messages ?? [];
      const message = sealed && openMessage(sealed);
      return message?.kind === "invitation" ? message.content : undefined;
    });
    if (!early || !mail) throw new Error("a proposal without its message");
    await expectRefused(server, [victim.organizationId], () => accept(early), notFound);

    await commit(server, committed);
    expect(early.invitationId).toBe(mail.invitationId);
    await expectRefused(server, [victim.organizationId], () => accept(early), badField);
    expect(await accept(mail)).toMatchObject({ status: 200 });
  });

  test("sends nothing", async () => {
    const victim = await newVictim(server);
    await proposalFor(server, victim, invitation(victim));
    expect(await mailsOf(server, victim.organizationId)).toEqual([]);
  });

  test("is not accepted once it was deleted, whatever document the host brings", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const mail = await invite(victim);
    const saved = await rowsOf(server, organizationId);
    await perform(server, victim, deletion(mail));
    await expectRefused(server, [organizationId], () => accept(mail), notFound);

    await bringBack(victim, saved);
    await expectRefused(server, [organizationId], () => accept(mail), stale);
    expectAlarm(server, /older than the signer has seen/);
  });

  test("is not accepted a second time, whatever document the host brings", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const mail = await invite(victim);
    const saved = await rowsOf(server, organizationId);
    expect(await accept(mail)).toMatchObject({ status: 200 });
    await expectRefused(server, [organizationId], () => accept(mail), notFound);

    await bringBack(victim, saved);
    await expectRefused(server, [organizationId], () => accept(mail), stale);
  });

  test("is accepted by one of several who race for it", async () => {
    const victim = await newVictim(server);
    const mail = await invite(victim);
    const replies = await Promise.all([1, 2, 3, 4].map(() => accept(mail)));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 404, 404, 404]);
    expect(await namesOf(victim)).toEqual(["Root user", "Grace"]);
  });

  test("is not accepted in an organization that was deleted", async () => {
    const victim = await newVictim(server);
    const mail = await invite(victim);
    const { organizationId } = victim;
    await perform(server, victim, {
      endpoint: "delete_organization",
      type: "ACTIVITY_TYPE_DELETE_ORGANIZATION",
      parameters: { organizationId, deleteWithoutExport: true },
    });
    const unknown = { status: 400, reason: "ORGANIZATION_NOT_FOUND" };
    await expectRefused(server, [organizationId], () => accept(mail), unknown);
  });
});

describe("an invitation that is open", () => {
  test("is not accepted with a token that was guessed, or with that of another invitation", async () => {
    const victim = await newVictim(server);
    const [mail, other] = [await invite(victim), await invite(victim)];
    const guessed = encodeBase64Url(randomBytes(16));
    for (const token of [guessed, other.token]) {
      const passkey = newPasskey({ challenge: token });
      const attack = () =>
        accept(mail, { passkey, tokenProof: proofOf({ ...mail, token }, passkey) });
      const reply = await expectRefused(server, [victim.organizationId], attack, badField);
      expect(reply.message).not.toContain(mail.token);
    }
  });

  test("makes nobody an existing user, and gives nobody an id of their choice", async () => {
    const victim = await newVictim(server);
    const mail = await invite(victim);
    for (const userId of [victim.people[0].userId, crypto.randomUUID()]) {
      const attack = () => accept(mail, { userId });
      await expectRefused(server, [victim.organizationId], attack, badField);
    }
  });

  test("does not take the passkey of an existing user", async () => {
    const victim = await newVictim(server);
    const mine = newPasskey();
    await invite(victim);
    const [first] = await mailsOf(server, victim.organizationId);
    if (!first) throw new Error("no mail");
    expect(await accept(first, { passkey: mine })).toMatchObject({ status: 200 });

    const mail = await invite(victim);
    const { privateKey, publicKey, credentialId } = mine;
    const id = new Uint8Array(Buffer.from(credentialId, "base64url"));
    const again = passkeyOf({ privateKey, publicKey, id });
    const sameKey = passkeyOf({ privateKey, publicKey, id: randomBytes(16) });
    const taken = { status: 409, reason: "PUBLIC_KEY_TAKEN" };
    for (const passkey of [again, sameKey]) {
      const attack = () => accept(mail, { passkey });
      await expectRefused(server, [victim.organizationId], attack, taken);
    }
    // The stamp of one passkey does not register another one.
    const attack = () => accept(mail, { stampedBy: stampBy(mine) });
    const refused = { status: 401, reason: "STAMP_INVALID" };
    await expectRefused(server, [victim.organizationId], attack, refused);
  });

  test("is not accepted from a page that may not use the organization's passkeys", async () => {
    const victim = await newVictim(server);
    await perform(server, victim, setFeature("FEATURE_NAME_WEBAUTHN_ORIGINS", testOrigin));
    const mail = await invite(victim);
    const elsewhere = { origin: "https://app.example.org", rpId: "app.example.org" };
    const made = newPasskey(elsewhere);
    await expectRefused(
      server,
      [victim.organizationId],
      () => accept(mail, { passkey: made }),
      badField,
    );
    const passkey = newPasskey();
    const stampedBy = (body: string) => ({
      name: "X-Stamp-Webauthn",
      value: passkey.stamp(body, elsewhere),
    });
    const attack = () => accept(mail, { passkey, stampedBy });
    const refused = { status: 401, reason: "STAMP_INVALID" };
    await expectRefused(server, [victim.organizationId], attack, refused);
    expect(await accept(mail, { passkey })).toMatchObject({ status: 200 });
  });

  test("is not accepted by a host that holds the receiver's request back and reads it", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const mail = await invite(victim);
    const held = acceptanceBy(mail);
    const { parameters } = JSON.parse(held.body);
    const texts = textsIn(parameters);
    expect(texts).toContain(parameters.tokenProof);
    expect(held.body + texts.map((text) => Buffer.from(text, "base64url"))).not.toContain(
      mail.token,
    );

    // Nothing in the request is the token, or a proof for the passkey of the host.
    const mine = newPasskey({ challenge: parameters.authenticator.challenge });
    const tokens = texts.map((text) => Buffer.from(text, "base64url").subarray(0, 16));
    const proofs = tokens
      .filter(({ length }) => length === 16)
      .map((token) => proofOf({ ...mail, token: encodeBase64Url(token) }, mine));
    for (const tokenProof of [...texts, ...proofs]) {
      const attack = () => accept(mail, { passkey: mine, tokenProof });
      await expectRefused(server, [organizationId], attack, badField);
    }
    // The receiver's passkey, for which the proof is, must stamp the request.
    const { tokenProof, authenticator } = parameters;
    const attack = () =>
      accept(mail, {
        passkey: { ...mine, params: authenticator },
        tokenProof,
        stampedBy: stampBy(mine),
      });
    await expectRefused(server, [organizationId], attack, { status: 401, reason: "STAMP_INVALID" });
    expect(await send(server, endpoint, held.body, held.stamp)).toMatchObject({ status: 200 });
  });

  test("is not accepted with a proof for another invitation, organization or passkey", async () => {
    const victim = await newVictim(server);
    const [mail, other] = [await invite(victim), await invite(victim)];
    const elsewhere = await invite(await newVictim(server));
    const passkey = newPasskey();
    const proofs = [
      proofOf({ ...mail, invitationId: other.invitationId }, passkey),
      proofOf({ ...mail, organizationId: elsewhere.organizationId }, passkey),
      proofOf({ ...mail, token: other.token }, passkey),
      proofOf(other, passkey),
      proofOf(mail, newPasskey()),
    ];
    for (const tokenProof of proofs) {
      const attack = () => accept(mail, { passkey, tokenProof });
      await expectRefused(server, [victim.organizationId], attack, badField);
    }
    expect(await accept(mail, { passkey })).toMatchObject({ status: 200 });
  });

  test("is accepted by nobody but the holder of the passkey that the request registers", async () => {
    const victim = await newVictim(server);
    const mail = await invite(victim);
    const stamps = [stampBy(newPasskey()), (body: string) => stampOf(victim.people[0].key, body)];
    for (const stampedBy of stamps) {
      const attack = () => accept(mail, { stampedBy });
      const refused = { status: 401, reason: "STAMP_INVALID" };
      await expectRefused(server, [victim.organizationId], attack, refused);
    }
  });
});

/** Every text in a request, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

async function bringBack({ organizationId }: Victim, saved: Awaited<ReturnType<typeof rowsOf>>) {
  for (const table of ["organizations", "organization_documents"]) {
    await putBack(server, organizationId, table, saved);
  }
}
