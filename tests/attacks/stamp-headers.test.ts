import { newKey, type TestKey } from "@keyhearth/api/testing";
import { decodeBase64Url, decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { OTP_FEATURES } from "@keyhearth/engine/otps.testing";
import { tokenOf } from "@keyhearth/engine/verification-tokens.testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addKey,
  apiKey,
  bytesOf,
  documentOf,
  knock,
  newVictim,
  type Person,
  perform,
  proposalFor,
  resultOf,
  setFeature,
  stampOf,
  startAttackedServer,
  type Victim,
  writtenBy,
} from "./attacker.ts";

// A stamp in X-Stamp and one in X-Stamp-Attested are the same signature over the same bytes, and the host
// delivers the header. The other header must not make a login that of somebody else.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

const ADA = "ada@example.com";
const MALLORY = "mallory@example.com";

/** A parent that offers logins by code. */
async function newParent(): Promise<Victim> {
  const parent = await newVictim(server);
  for (const name of OTP_FEATURES) {
    await perform(server, parent, setFeature(name));
  }
  return parent;
}

/** A sub-organization whose root users have these keys. */
async function newChild(parent: Victim, ...keys: [TestKey, ...TestKey[]]): Promise<Victim> {
  const rootUsers = keys.map((key, index) => ({
    userName: `user ${index}`,
    apiKeys: [apiKey(key)],
    authenticators: [],
    oauthProviders: [],
  }));
  const reply = await perform(server, parent, {
    endpoint: "create_sub_organization",
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    parameters: { subOrganizationName: "sub", rootUsers, rootQuorumThreshold: 1 },
  });
  const made = resultOf(reply, "createSubOrganizationResultV7");
  const userIds = made.rootUserIds as string[];
  const people = keys.map((key, index) => ({ userId: userIds[index] ?? "", key }));
  return { organizationId: String(made.subOrganizationId), people: people as Victim["people"] };
}

/** As verify_otp makes it: the key is the choice of whoever enters the code. */
function tokenFor({ organizationId }: Victim, contact: string, { publicKey }: TestKey): string {
  return tokenOf(server, { contact, organization_id: organizationId, public_key: publicKey });
}

async function proveEmail(parent: Victim, child: Victim, { userId, key }: Person, email: string) {
  const verificationToken = tokenFor(parent, email, key);
  const parameters = { userId, userEmail: email, verificationToken };
  const type = "ACTIVITY_TYPE_UPDATE_USER_EMAIL";
  await perform(server, child, { endpoint: "update_user_email", type, parameters }, key);
}

function login(publicKey: string): Ask {
  return { endpoint: "stamp_login", type: "ACTIVITY_TYPE_STAMP_LOGIN", parameters: { publicKey } };
}

/** The same signature in the other header. */
function attested({ value }: { value: string }, token: string) {
  const { publicKey, signature } = JSON.parse(decodeUtf8(decodeBase64Url(value)));
  const scheme = "STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN";
  const members = { publicKeyAttestation: token, scheme, publicKey, signature };
  return { name: "X-Stamp-Attested", value: JSON.stringify(members) };
}

async function deliver(
  organizations: Victim[],
  { body, stamp }: { body: string; stamp: { name: string; value: string } },
  sessions: Uint8Array[] = [],
) {
  const documents: Uint8Array[] = [];
  for (const { organizationId } of organizations) {
    documents.push(await documentOf(server, organizationId));
  }
  const records = [...documents, ...sessions];
  return knock(server, { endpoint: "stamp_login", body, stamp, records });
}

/** Whose session the proposal starts. */
function claimsIn(answer: Awaited<ReturnType<typeof deliver>>): unknown {
  if (answer.kind !== "proposal") throw new Error(`no proposal: ${JSON.stringify(answer)}`);
  const text = Buffer.from(writtenBy(answer, "activity")).toString("latin1");
  const [, session = ""] = /"session":"([^"]+)"/.exec(text) ?? [];
  return JSON.parse(decodeUtf8(decodeBase64Url(session.split(".")[1] ?? "")));
}

const refused = (code: string, reason: string) => ({ kind: "error", error: { code, reason } });

describe("a login by a registered key, delivered with a token that names the key,", () => {
  test("is not that of another user of the organization", async () => {
    const parent = await newParent();
    const shared = await newChild(parent, newKey(), newKey());
    const [ada, mallory] = shared.people as [Person, Person];
    await proveEmail(parent, shared, mallory, MALLORY);
    const token = tokenFor(parent, MALLORY, ada.key);
    for (const publicKey of [newKey().publicKey, ada.key.publicKey]) {
      const body = bytesOf(server, shared.organizationId, login(publicKey));
      const stamp = attested(stampOf(ada.key, body), token);
      expect(await deliver([shared, parent], { body, stamp })).toMatchObject(
        refused("UNAUTHENTICATED", "STAMP_INVALID"),
      );
    }
    const body = bytesOf(server, shared.organizationId, login(newKey().publicKey));
    const honest = await deliver([shared, parent], { body, stamp: stampOf(ada.key, body) });
    expect(claimsIn(honest)).toMatchObject({ user_id: ada.userId });
  });

  test("is not for a sub-organization in which nobody registered the key", async () => {
    const parent = await newParent();
    const key = newKey();
    const ada = await newChild(parent, key);
    const mallory = await newChild(parent, newKey());
    await proveEmail(parent, mallory, mallory.people[0], MALLORY);
    const body = bytesOf(server, parent.organizationId, login(newKey().publicKey));
    const stamp = stampOf(key, body);
    const honest = await deliver([ada, parent], { body, stamp });
    expect(claimsIn(honest)).toMatchObject({ organization_id: ada.organizationId });
    const moved = attested(stamp, tokenFor(parent, MALLORY, key));
    expect(await deliver([mallory, parent], { body, stamp: moved })).toMatchObject(
      refused("UNAUTHENTICATED", "STAMP_INVALID"),
    );
  });
});

describe("a login by a key that a token attests, delivered without the token,", () => {
  /** Ada's login by the parent's id, which the host holds back, and Mallory, who waits for its key. */
  async function newHeldBack() {
    const parent = await newParent();
    const fresh = newKey();
    const ada = await newChild(parent, newKey());
    await proveEmail(parent, ada, ada.people[0], ADA);
    const mallory = await newChild(parent, newKey());
    const body = bytesOf(server, parent.organizationId, login(fresh.publicKey));
    const stamp = stampOf(fresh, body);
    const honest = attested(stamp, tokenFor(parent, ADA, fresh));
    const own = await deliver([ada, parent], { body, stamp: honest });
    expect(claimsIn(own)).toMatchObject({ organization_id: ada.organizationId });
    return { parent, mallory, fresh, body, stamp };
  }

  test("is not that of a stranger who has registered its key", async () => {
    const { parent, mallory, fresh, body, stamp } = await newHeldBack();
    await perform(server, mallory, addKey(mallory.people[0], fresh));
    expect(await deliver([mallory, parent], { body, stamp })).toMatchObject(
      refused("INVALID_ARGUMENT", "FIELD_INVALID"),
    );
  });

  test("is not that of a stranger who has a session with its key", async () => {
    const { parent, mallory, fresh, body, stamp } = await newHeldBack();
    const session = await proposalFor(server, mallory, login(fresh.publicKey));
    const sessions = [writtenBy(session, "sessions")];
    expect(await deliver([mallory, parent], { body, stamp }, sessions)).toMatchObject(
      refused("INVALID_ARGUMENT", "FIELD_INVALID"),
    );
  });
});
