import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newKey } from "@keyhearth/api/testing";
import { decodeBase64Url, encodeBase64Url, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import {
  androidKeyOf,
  appleSelf,
  mapOf,
  packedFull,
  packedSelf,
} from "@keyhearth/engine/attestation-statements.testing";
import type { AuthenticatorParamsV2 } from "@keyhearth/engine/fields/credentials";
import {
  type Ceremony,
  newPasskey,
  passkeyOf,
  type StatementMaker,
  type TestPasskey,
} from "@keyhearth/engine/passkey.testing";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import type { KeyhearthClient } from "@keyhearth/sdk";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newDataDirectory } from "../start/data-directory.ts";
import { clientOf, readRootKey, startService, startSigner } from "../start/process.ts";
import {
  type Ask,
  type Attacked,
  addUser,
  apiKey,
  approve,
  ask,
  bytesOf,
  documentOf,
  expectAlarm,
  expectRefused,
  knock,
  makeSubOrganization,
  makeWallet,
  newVictim,
  type Person,
  perform,
  proposalFor,
  putDocument,
  quorum,
  resultOf,
  send,
  setFeature,
  stampOf,
  startAttackedServer,
  type Victim,
  writtenBy,
} from "./attacker.ts";

// Passkeys: what a page, an authenticator, a tenant or the host could make of one.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

const endpoint = "create_authenticators";

function register({ userId }: Pick<Person, "userId">, ...made: TestPasskey[]): Ask {
  return registerParams(
    { userId },
    made.map(({ params }) => params),
  );
}

function registerParams(
  { userId }: Pick<Person, "userId">,
  authenticators: AuthenticatorParamsV2[],
): Ask {
  const type = "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2";
  return { endpoint, type, parameters: { userId, authenticators } };
}

const FEATURE = "FEATURE_NAME_WEBAUTHN_ORIGINS";

const allowOrigins = (value: string) => setFeature(FEATURE, value);

/** An organization whose first user has a passkey. */
async function newHolder(): Promise<Victim & { passkey: TestPasskey }> {
  const victim = await newVictim(server);
  const passkey = newPasskey();
  await perform(server, victim, register(victim.people[0], passkey));
  return { ...victim, passkey };
}

function sendBy(passkey: TestPasskey, organizationId: string, what: Ask, ceremony?: Ceremony) {
  const body = bytesOf(server, organizationId, what);
  return send(server, what.endpoint, body, headerOf(passkey, body, ceremony));
}

function headerOf(passkey: TestPasskey, body: string, ceremony?: Ceremony) {
  return { name: "X-Stamp-Webauthn", value: passkey.stamp(body, ceremony) };
}

const invalidStamp = { status: 401, reason: "STAMP_INVALID" };
/** Also if the passkey is there, and did not sign this. */
const notFound = { status: 401, reason: "CREDENTIAL_NOT_FOUND" };

describe("a stamp by a passkey", () => {
  test("of another page, or for another relying party, is refused where origins are set", async () => {
    const { passkey, ...victim } = await newHolder();
    const { organizationId } = victim;
    const elsewhere = { origin: "https://evil.example", rpId: "evil.example" };
    expect(await sendBy(passkey, organizationId, makeWallet("any page"), elsewhere)).toMatchObject({
      status: 200,
    });
    await perform(server, victim, allowOrigins("https://app.example.com, http://localhost:3000"));
    const wrong: Ceremony[] = [
      elsewhere,
      { origin: "https://app.example.com.evil.example" },
      { origin: "http://app.example.com" },
      { origin: "https://app.example.com:444" },
      { origin: "null" },
      { rpId: "evil.example" },
      { rpId: "com" },
      { rpId: "" },
    ];
    for (const ceremony of wrong) {
      const attack = () => sendBy(passkey, organizationId, makeWallet("stolen"), ceremony);
      await expectRefused(server, [organizationId], attack, invalidStamp);
      const body = JSON.stringify({ organizationId });
      const { name, value } = headerOf(passkey, body, ceremony);
      const read = await server.fetch("http://keyhearth.test/public/v1/query/whoami", {
        method: "POST",
        headers: { [name]: value },
        body,
      });
      expect(read.status).toBe(401);
    }
    for (const ceremony of [{}, { rpId: "app.example.com" }]) {
      const name = `from the page of ${JSON.stringify(ceremony)}`;
      expect(await sendBy(passkey, organizationId, makeWallet(name), ceremony)).toMatchObject({
        status: 200,
      });
    }
  });

  test("does not escape the list of the parent, whatever the host brings", async () => {
    const parent = await newVictim(server);
    const passkey = newPasskey({ origin: "https://evil.example", rpId: "evil.example" });
    const { organizationId, owner } = await newChild(parent, passkey);
    const before = await documentOf(server, parent.organizationId);
    await perform(server, parent, allowOrigins("https://app.example.com"));
    const evil = { origin: "https://evil.example", rpId: "evil.example" };
    const attack = () => sendBy(passkey, organizationId, makeWallet(), evil);
    await expectRefused(server, [organizationId], attack, invalidStamp);

    const body = bytesOf(server, organizationId, makeWallet());
    const document = await documentOf(server, organizationId);
    const stranger = await newVictim(server);
    const brought: [Uint8Array[], string, RegExp][] = [
      [[document], "RECORD_REFUSED", /needs the parent's document/],
      [[document, before], "STALE_RECORD", /./],
      [
        [document, await documentOf(server, stranger.organizationId)],
        "RECORD_REFUSED",
        /parent's document|unrequested/,
      ],
      [[document, await documentOf(server, parent.organizationId)], "STAMP_INVALID", /./],
    ];
    for (const [records, reason, message] of brought) {
      const stamp = headerOf(passkey, body, evil);
      const answer = knock(server, { endpoint: "create_wallet", body, stamp, records });
      expect(answer).toMatchObject({
        kind: "error",
        error: { reason, message: expect.stringMatching(message) },
      });
    }
    // Nor can the sub-organization widen the list, or register a passkey of that page.
    await performIn(organizationId, owner, allowOrigins("https://evil.example"));
    await expectRefused(server, [organizationId], attack, invalidStamp);
    const another = newPasskey(evil);
    const registration = () => askIn(organizationId, owner, register(owner, another));
    await expectRefused(server, [organizationId], registration, {
      status: 400,
      reason: "FIELD_INVALID",
    });
  });

  test("does not escape the list of a parent that was deleted", async () => {
    const parent = await newVictim(server);
    const { organizationId: parentId } = parent;
    const evil = { origin: "https://evil.example", rpId: "evil.example" };
    const passkey = newPasskey(evil);
    const { organizationId } = await newChild(parent, passkey);
    await perform(server, parent, allowOrigins("https://app.example.com"));
    // The host has told the signer nothing of the sub-organization.
    const deletion = await proposalFor(server, parent, {
      endpoint: "delete_organization",
      type: "ACTIVITY_TYPE_DELETE_ORGANIZATION",
      parameters: { organizationId: parentId, deleteWithoutExport: true },
    });
    const { ticket } = deletion;
    if (ticket === null) throw new Error("a deletion without a document");
    expect(server.signer.handle({ call: "confirm", ticket })).toEqual({ kind: "confirmed" });
    const records = [await documentOf(server, organizationId), writtenBy(deletion, "organization")];
    const knockFrom = (ceremony: Ceremony) => {
      const body = bytesOf(server, organizationId, makeWallet());
      const stamp = headerOf(passkey, body, ceremony);
      return knock(server, { endpoint: "create_wallet", body, stamp, records });
    };
    expect(knockFrom(evil)).toMatchObject({ error: { reason: "STAMP_INVALID" } });
    expect(knockFrom({})).toMatchObject({ kind: "proposal", organizationId });
  });

  test("without the user, or of another ceremony, body or passkey, is refused", async () => {
    const { passkey, organizationId, people } = await newHolder();
    const other = newPasskey();
    await perform(server, { organizationId, people }, register(people[0], other));
    const { endpoint: at, ...what } = makeWallet();
    const body = bytesOf(server, organizationId, { ...what });
    const parts = JSON.parse(passkey.stamp(body));
    const stamps: string[] = [
      passkey.stamp(body, { flags: 0 }),
      passkey.stamp(body, { flags: 0x04 }),
      passkey.stamp(body, { type: "webauthn.create" }),
      passkey.stamp(body, { type: "payment.get" }),
      passkey.stamp(body, { challenge: encodeBase64Url(new Uint8Array(32)) }),
      passkey.stamp(`${body} `),
      JSON.stringify({ ...parts, credentialId: other.credentialId }),
      JSON.stringify({ ...parts, signature: JSON.parse(other.stamp(body)).signature }),
    ];
    stamps.push(JSON.stringify({ ...parts, credentialId: newPasskey().credentialId }));
    for (const value of stamps) {
      const attack = () => send(server, at, body, { name: "X-Stamp-Webauthn", value });
      await expectRefused(server, [organizationId], attack, notFound);
    }
  });

  test("does nothing twice, and nothing after its hour", async () => {
    const { passkey, organizationId } = await newHolder();
    const body = bytesOf(server, organizationId, makeWallet("once"));
    const stamp = headerOf(passkey, body);
    const first = await send(server, "create_wallet", body, stamp);
    // Another assertion over the same bytes is the same request.
    const again = await send(server, "create_wallet", body, headerOf(passkey, body));
    expect(again.activity?.id).toBe(first.activity?.id);

    const held = bytesOf(server, organizationId, makeWallet("held back"));
    const late = headerOf(passkey, held);
    server.clock.offsetMs += 3600_000;
    const attack = () => send(server, "create_wallet", held, late);
    const refused = { status: 400, reason: "TIMESTAMP_OUT_OF_RANGE" };
    await expectRefused(server, [organizationId], attack, refused);
  });

  test("for one organization means nothing in another that knows the passkey", async () => {
    const { passkey, organizationId } = await newHolder();
    const other = await newVictim(server);
    await perform(server, other, register(other.people[0], passkey));
    const body = bytesOf(server, organizationId, makeWallet("here"));
    const records = [await documentOf(server, other.organizationId)];
    const stamp = headerOf(passkey, body);
    expect(knock(server, { endpoint: "create_wallet", body, stamp, records })).toMatchObject({
      kind: "error",
      error: { reason: "RECORD_REFUSED" },
    });
    const moved = body.replace(organizationId, other.organizationId);
    const attack = () => send(server, "create_wallet", moved, stamp);
    await expectRefused(server, [other.organizationId], attack, notFound);
  });

  test("that was deleted does not come back from an older document", async () => {
    const { passkey, ...victim } = await newHolder();
    const { organizationId } = victim;
    const before = await documentOf(server, organizationId);
    const shown = await ask(server, victim, makeWallet("before"));
    expect(shown.status).toBe(200);
    const [first] = authenticatorsOf(before);
    await perform(server, victim, {
      endpoint: "delete_authenticators",
      type: "ACTIVITY_TYPE_DELETE_AUTHENTICATORS",
      parameters: { userId: victim.people[0].userId, authenticatorIds: [first?.authenticatorId] },
    });
    const attack = () => sendBy(passkey, organizationId, makeWallet("after"));
    await expectRefused(server, [organizationId], attack, {
      status: 401,
      reason: "CREDENTIAL_NOT_FOUND",
    });
    const current = await documentOf(server, organizationId);
    await putDocument(server, organizationId, before);
    await expectRefused(server, [organizationId], attack, {
      status: 503,
      reason: "STALE_RECORD",
      signerLog: /./,
    });
    expectAlarm(server, /older than the signer has seen/);
    await putDocument(server, organizationId, current);
  });

  test("that waits with it for others no longer counts once it is deleted", async () => {
    const victim = await newVictim(server, { rootUsers: 3, threshold: 2 });
    const [one, two, three] = victim.people;
    if (!two || !three) throw new Error("three people");
    const passkey = newPasskey();
    const added = await perform(server, victim, register(one, passkey), one.key);
    await perform(server, victim, approve(added.activity?.fingerprint ?? ""), two.key);
    const waiting = await sendBy(passkey, victim.organizationId, makeWallet("waiting"));
    expect(waiting.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    const [made] = authenticatorsOf(await documentOf(server, victim.organizationId));
    const deletion = await perform(
      server,
      victim,
      {
        endpoint: "delete_authenticators",
        type: "ACTIVITY_TYPE_DELETE_AUTHENTICATORS",
        parameters: { userId: one.userId, authenticatorIds: [made?.authenticatorId] },
      },
      two.key,
    );
    await perform(server, victim, approve(deletion.activity?.fingerprint ?? ""), three.key);
    const { activity } = await perform(
      server,
      victim,
      approve(waiting.activity?.fingerprint ?? ""),
      two.key,
    );
    expect(activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  });
});

function sameIdAs({ credentialId }: TestPasskey): TestPasskey {
  return passkeyOf({ ...newPasskey(), id: decodeBase64Url(credentialId) });
}

/** The organization that a login by the parent's id is for. */
async function homeOf({ organizationId }: Victim, passkey: TestPasskey) {
  const reply = await sendBy(passkey, organizationId, {
    endpoint: "stamp_login",
    type: "ACTIVITY_TYPE_STAMP_LOGIN",
    parameters: { publicKey: newKey().publicKey },
  });
  expect(reply).toMatchObject({ status: 200 });
  return reply.activity?.organizationId;
}

describe("a registration", () => {
  test("of another user's passkey is refused, in any form", async () => {
    const { passkey, ...victim } = await newHolder();
    const clerk = await addUser(server, victim);
    const renamed = passkeyOf({ ...passkey, id: new Uint8Array(16).fill(7) });
    const sameId = sameIdAs(passkey);
    const publicKey = Buffer.from(passkey.publicKey).toString("hex");
    const asKey = (expiration?: string): Ask => ({
      endpoint: "create_api_keys",
      type: "ACTIVITY_TYPE_CREATE_API_KEYS_V2",
      parameters: {
        userId: clerk.userId,
        apiKeys: [apiKey({ publicKey, privateKey: "" }, expiration)],
      },
    });
    const login: Ask = {
      endpoint: "stamp_login",
      type: "ACTIVITY_TYPE_STAMP_LOGIN",
      parameters: { publicKey },
    };
    const attempts = [
      ...[passkey, renamed, sameId].map((each) => register(clerk, each)),
      asKey(),
      asKey("3600"),
      login,
    ];
    for (const what of attempts) {
      const attack = () => ask(server, victim, what, clerk.key);
      await expectRefused(server, [victim.organizationId], attack, {
        status: 409,
        reason: "PUBLIC_KEY_TAKEN",
      });
    }
  });

  test("of the same credential id by a stranger keeps its owner from no login by the parent's id", async () => {
    const parent = await newVictim(server);
    const passkey = newPasskey();
    const { organizationId } = await newChild(parent, passkey);
    const stranger = await newChild(parent, newPasskey());
    const sameId = register(stranger.owner, sameIdAs(passkey));
    await performIn(stranger.organizationId, stranger.owner, sameId);
    expect(await homeOf(parent, passkey)).toBe(organizationId);
  });

  test("of the same credential id by a user of the parent keeps its owner from no login by the parent's id", async () => {
    const parent = await newVictim(server);
    const clerk = await addUser(server, parent);
    const passkey = newPasskey();
    const { organizationId } = await newChild(parent, passkey);
    await perform(server, parent, register(clerk, sameIdAs(passkey)), clerk.key);
    expect(await homeOf(parent, passkey)).toBe(organizationId);
  });

  test("of the same credential id by a stranger keeps no user of the parent from a login", async () => {
    const parent = await newVictim(server);
    const clerk = await addUser(server, parent);
    const passkey = newPasskey();
    await perform(server, parent, register(clerk, passkey), clerk.key);
    const stranger = await newChild(parent, newPasskey());
    const sameId = register(stranger.owner, sameIdAs(passkey));
    await performIn(stranger.organizationId, stranger.owner, sameId);
    expect(await homeOf(parent, passkey)).toBe(parent.organizationId);
  });

  test("with any byte of it changed is refused by field, or is what it says", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const parts = ["attestationObject", "clientDataJson", "credentialId"] as const;
    const property = fc.asyncProperty(
      fc.constantFrom(...parts),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      async (part, at, change) => {
        const { params } = newPasskey({ statement: packedFull });
        const bytes = decodeBase64Url(params.attestation[part]);
        const index = at % bytes.length;
        bytes[index] = (bytes[index] as number) ^ change;
        const attestation = { ...params.attestation, [part]: encodeBase64Url(bytes) };
        const what = registerParams(root, [{ ...params, attestation }]);
        const { status, reason, message } = await ask(server, victim, what);
        // The statement covers all but a part of the certificate that says nothing.
        if (status === 200) {
          expect(part).toBe("attestationObject");
          return;
        }
        expect({ status, reason }).toEqual({ status: 400, reason: "FIELD_INVALID" });
        expect(message).toContain("parameters.authenticators[0].attestation.");
      },
    );
    await fc.assert(property, { numRuns: 40 });
  });

  test("that is too large, deep or has too many statements is refused by field", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const large: StatementMaker = () => ({
      format: "packed",
      statement: mapOf([["x5c", new Uint8Array(14_000).fill(0x80)]]),
    });
    const deep: StatementMaker = () => ({
      format: "packed",
      statement: mapOf([["x5c", Uint8Array.of(...new Array(10_000).fill(0x81), 0)]]),
    });
    const chain: StatementMaker = () => ({
      format: "apple",
      statement: mapOf([["x5c", Uint8Array.of(0x87, ...new Array(7).fill([0x41, 0]).flat())]]),
    });
    const many = Array.from({ length: 11 }, () => newPasskey({ statement: packedSelf }).params);
    const users = many.map((params, index) => ({
      userName: `user ${index}`,
      apiKeys: [],
      authenticators: [params],
      oauthProviders: [],
      userTags: [],
    }));
    const attempts: Ask[] = [
      register(root, newPasskey({ statement: large })),
      register(root, newPasskey({ statement: deep })),
      register(root, newPasskey({ statement: chain })),
      {
        endpoint: "create_users",
        type: "ACTIVITY_TYPE_CREATE_USERS_V3",
        parameters: { users },
      },
    ];
    for (const what of attempts) {
      const attack = () => ask(server, victim, what);
      const { message } = await expectRefused(server, [victim.organizationId], attack, {
        status: 400,
        reason: "FIELD_INVALID",
      });
      expect(message).toMatch(/attestationObject/);
    }
  });

  test("without the user, from another page or with a false statement is refused", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    await perform(server, victim, allowOrigins("https://app.example.com"));
    const evil = { origin: "https://evil.example", rpId: "evil.example" };
    const wrong = [
      newPasskey({ flags: 0x40 }),
      newPasskey(evil),
      newPasskey({ rpId: "evil.example" }),
      newPasskey({ ...evil, statement: packedSelf }),
      newPasskey({ statement: appleSelf }),
      newPasskey({
        statement: (made) => packedSelf({ ...made, clientDataHash: new Uint8Array(32) }),
      }),
    ];
    for (const passkey of wrong) {
      const attack = () => ask(server, victim, register(root, passkey));
      await expectRefused(server, [victim.organizationId], attack, {
        status: 400,
        reason: "FIELD_INVALID",
      });
    }
    for (const statement of [packedSelf, packedFull]) {
      await perform(server, victim, register(root, newPasskey({ statement })));
    }
  });

  test("whose statement was verified by the host alone is not one", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const forged = newPasskey({
      statement: (made) => packedSelf({ ...made, clientDataHash: new Uint8Array(32) }),
    });
    const body = bytesOf(server, victim.organizationId, register(root, forged));
    const document = await documentOf(server, victim.organizationId);
    const call = {
      call: "submit" as const,
      endpoint,
      body: encodeUtf8(body),
      stamp: stampOf(root.key, body),
      records: [recordDigest(document)],
      attachments: [document],
      // Members that the protocol does not have are not read.
      verdicts: [[forged.params.attestation.attestationObject, true]],
    };
    expect(await server.signer.answer(call)).toMatchObject({
      kind: "error",
      error: { reason: "FIELD_INVALID", message: expect.stringContaining("does not verify") },
    });
  });

  test("that waited for approvals is verified from the request that started it", async () => {
    const victim = await newVictim(server, { rootUsers: 2, threshold: 2 });
    const [one, two] = victim.people;
    if (!two) throw new Error("two people");
    const passkey = newPasskey({ statement: packedFull });
    const started = await perform(server, victim, register(two, passkey), one.key);
    expect(started.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    const fingerprint = started.activity?.fingerprint ?? "";
    const { activity } = await perform(server, victim, approve(fingerprint), two.key);
    expect(activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
    const [made] = authenticatorsOf(await documentOf(server, victim.organizationId));
    expect(made).toMatchObject({ credentialId: passkey.credentialId, attestationType: "packed" });
  });

  test("in a sub-organization that waits for approvals is held to the list of the parent", async () => {
    const parent = await newVictim(server);
    const { organizationId, owner } = await newChild(parent, newPasskey());
    const child: Victim = { organizationId, people: [owner] };
    const two = await addUser(server, child);
    await perform(server, child, quorum(2, [owner.userId, two.userId]));
    const start = (passkey: TestPasskey) =>
      perform(server, child, register(two, passkey), owner.key);
    const good = newPasskey({ statement: packedSelf });
    const evil = newPasskey({ origin: "https://evil.example", rpId: "evil.example" });
    const [first, second] = [await start(good), await start(evil)];
    await perform(server, parent, allowOrigins("https://app.example.com"));
    const done = await perform(server, child, approve(first.activity?.fingerprint ?? ""), two.key);
    expect(done.activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
    const failed = await perform(
      server,
      child,
      approve(second.activity?.fingerprint ?? ""),
      two.key,
    );
    expect(failed.activity?.status).toBe("ACTIVITY_STATUS_FAILED");
  });

  test("makes the signer ask no address that a certificate names", async () => {
    const asked: string[] = [];
    const listener = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const { port } = listener.address() as AddressInfo;
    const statement = androidKeyOf(`http://127.0.0.1:${port}/revoked`);
    try {
      for (const isEmbedded of [true, false]) {
        await withService(isEmbedded, async (client, userId) => {
          const register = (made: TestPasskey) =>
            client.createAuthenticators({ userId, authenticators: [made.params] });
          const refused = register(newPasskey({ statement }));
          await expect(refused).rejects.toThrow("its statement does not verify");
          expect(asked).toEqual([]);
          await register(newPasskey({ statement: packedFull }));
        });
      }
    } finally {
      listener.close();
    }
  }, 120_000);
});

/** The whole product, with the signer in the service's process or behind a socket. */
async function withService(
  isEmbedded: boolean,
  use: (client: KeyhearthClient, userId: string) => Promise<void>,
) {
  const directory = mkdtempSync(join(tmpdir(), "keyhearth-attestation-"));
  const data = await newDataDirectory("attestation");
  const signer = isEmbedded ? null : await startSigner(join(directory, "signer"));
  const service = await startService({
    KEYHEARTH_DATA_DIR: data,
    ...(signer && { KEYHEARTH_SIGNER: `unix:${signer.socket}` }),
  });
  try {
    const root = readRootKey(data);
    await use(clientOf(service, root), root.userId);
  } finally {
    await service.stop();
    await signer?.stop();
    for (const each of [directory, data]) rmSync(each, { recursive: true, force: true });
  }
}

/** A sub-organization whose owner has an API key and a passkey. */
async function newChild(parent: Victim, passkey: TestPasskey) {
  const key = newKey();
  const what = makeSubOrganization(key);
  const [user] = what.parameters.rootUsers as [Record<string, unknown>];
  user.authenticators = [passkey.params];
  const reply = await perform(server, parent, what);
  const made = resultOf(reply, "createSubOrganizationResultV7");
  const [userId = ""] = made.rootUserIds as string[];
  return { organizationId: String(made.subOrganizationId), owner: { userId, key } };
}

function askIn(organizationId: string, { userId, key }: Person, what: Ask) {
  return ask(server, { organizationId, people: [{ userId, key }] }, what);
}

async function performIn(organizationId: string, person: Person, what: Ask) {
  expect(await askIn(organizationId, person, what)).toMatchObject({ status: 200 });
}

function authenticatorsOf(document: Uint8Array) {
  const { users } = readRecord(document).body as {
    users: { authenticators: { authenticatorId: string }[] }[];
  };
  return users.flatMap(({ authenticators }) => authenticators);
}
