import { createLargeRequests, LARGE_LENGTH } from "@keyhearth/api/host/large-requests";
import { appOf, newKey, type TestKey } from "@keyhearth/api/testing";
import { newPasskey, type TestPasskey } from "@keyhearth/engine/passkey.testing";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addKey,
  approve,
  bytesOf,
  makeWallet,
  newChild,
  newVictim,
  perform,
  stampOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// A stranger has seen a public key, or the id of a passkey, and wants to know whose it is. They cannot sign with it.

let server: Attacked;
let parent: Victim;
let child: Victim;
let other: Victim;

/** By where each is registered. */
const keys: Record<string, TestKey> = {};
const passkeys: Record<string, TestPasskey> = {};

beforeAll(async () => {
  server = await startAttackedServer();
  parent = await newVictim(server);
  child = await newChild(server, parent);
  other = await newVictim(server);
  for (const [name, victim] of Object.entries({ parent, child, other })) {
    keys[name] = victim.people[0].key;
    const session = newKey();
    await perform(server, victim, addKey(victim.people[0], session, "3600"));
    keys[`session of ${name}`] = session;
    const passkey = newPasskey();
    await perform(server, victim, {
      endpoint: "create_authenticators",
      type: "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2",
      parameters: { userId: victim.people[0].userId, authenticators: [passkey.params] },
    });
    passkeys[name] = passkey;
  }
  // In two sub-organizations, which is ambiguous for its owner.
  const twice = newKey();
  const sibling = await newChild(server, parent);
  for (const victim of [child, sibling]) {
    await perform(server, victim, addKey(victim.people[0], twice));
  }
  keys["child and its sibling"] = twice;
  const expired = newKey();
  await perform(server, child, addKey(child.people[0], expired, "60"));
  server.clock.offsetMs += 61_000;
  keys["expired in child"] = expired;
});

afterAll(() => server?.stop());

type Header = { name: string; value: string };

async function post(path: string, body: string, stamp: Header) {
  const headers = { "Content-Type": "application/json", [stamp.name]: stamp.value };
  const url = `http://keyhearth.test/public/v1/${path}`;
  const response = await server.fetch(url, {
    method: "POST",
    body,
    headers: { ...headers, "content-length": `${Buffer.byteLength(body)}` },
  });
  return { status: response.status, text: await response.text() };
}

/** A stamp that names the key, and that another key made. */
function forgedBy({ publicKey }: TestKey, body: string): Header {
  const stamp = JSON.parse(Buffer.from(stampOf(newKey(), body).value, "base64url").toString());
  const value = JSON.stringify({ ...stamp, publicKey });
  return { name: "X-Stamp", value: Buffer.from(value).toString("base64url") };
}

function forgedByPasskey({ credentialId }: TestPasskey, body: string): Header {
  const stamp = JSON.parse(newPasskey().stamp(body));
  return { name: "X-Stamp-Webauthn", value: JSON.stringify({ ...stamp, credentialId }) };
}

const logIn = (endpoint: string, type: string, parameters: object): Ask => ({
  endpoint,
  type: `ACTIVITY_TYPE_${type}`,
  parameters: { ...parameters },
});

/** What somebody can ask an organization who wants to know whose key it may be. */
const submissions: Ask[] = [
  makeWallet(),
  makeWallet("x".repeat(40_000)),
  approve(`sha256:${"0".repeat(64)}`),
  logIn("stamp_login", "STAMP_LOGIN", { publicKey: newKey().publicKey }),
  logIn("create_read_only_session", "CREATE_READ_ONLY_SESSION", {}),
  logIn("create_read_write_session", "CREATE_READ_WRITE_SESSION_V2", {
    targetPublicKey: createTargetKey().targetPublicKey,
  }),
];

/** Bodies of everything that can be asked, with the path of each. */
function everythingAsked(organizationId: string): [path: string, body: string][] {
  const query = JSON.stringify({ organizationId });
  return [
    ["query/whoami", query],
    ["query/list_wallets", query],
    ["query/simulate_activity", JSON.stringify({ organizationId, x: "x".repeat(40_000) })],
    ...submissions.map((what): [string, string] => [
      `submit/${what.endpoint}`,
      bytesOf(server, organizationId, what),
    ]),
  ];
}

/** The answers to a stamp that somebody did not make, in every organization, without the name of the key. */
async function answersTo(name: string, stamp: (body: string) => Header) {
  const answers: unknown[] = [];
  for (const { organizationId } of [parent, child, other]) {
    for (const [path, body] of everythingAsked(organizationId)) {
      const { status, text } = await post(path, body, stamp(body));
      answers.push([organizationId, path, status, text.replaceAll(name, "that key")]);
    }
  }
  return answers;
}

describe("who cannot sign with it learns nothing about", () => {
  test("a public key, wherever it is registered", async () => {
    const unknown = newKey();
    const expected = await answersTo(unknown.publicKey, (body) => forgedBy(unknown, body));
    expect(expected.length).toBe(27);
    for (const [where, key] of Object.entries(keys)) {
      const answers = await answersTo(key.publicKey, (body) => forgedBy(key, body));
      expect(answers, where).toEqual(expected);
    }
    expect(JSON.stringify(expected)).not.toContain("CREDENTIAL_");
  }, 60_000);

  test("the id of a passkey, wherever it is registered", async () => {
    const unknown = newPasskey();
    const forged = (passkey: TestPasskey) => (body: string) => forgedByPasskey(passkey, body);
    const expected = await answersTo(unknown.credentialId, forged(unknown));
    for (const [where, passkey] of Object.entries(passkeys)) {
      const answers = await answersTo(passkey.credentialId, forged(passkey));
      expect(answers, where).toEqual(expected);
    }
    expect(JSON.stringify(expected)).not.toContain("STAMP_INVALID");
  }, 60_000);

  test("a key by when a large body is refused", async () => {
    const { key } = parent.people[0];
    const body = bytesOf(server, parent.organizationId, makeWallet("x".repeat(40_000)));
    // So that the service knows what the key's holder may send.
    await post("submit/create_wallet", body, stampOf(key, body));
    const pieces = async (named: TestKey) => {
      const stamp = forgedBy(named, body);
      let read = 0;
      const stream = new ReadableStream({
        pull(controller) {
          const piece = body.slice(read * 10_000, (read + 1) * 10_000);
          read += 1;
          if (piece === "") controller.close();
          else controller.enqueue(Buffer.from(piece));
        },
      });
      const init: RequestInit & { duplex: "half" } = {
        method: "POST",
        body: stream,
        duplex: "half",
        headers: { [stamp.name]: stamp.value, "content-length": `${body.length}` },
      };
      const url = "http://keyhearth.test/public/v1/submit/create_wallet";
      const { status } = await server.fetch(url, init);
      return { status, read };
    };
    expect(await pieces(key)).toEqual(await pieces(newKey()));
  });

  test("a key by what its holder has sent from elsewhere", async () => {
    const limits = { perSecond: 1, atOnce: LARGE_LENGTH - 1 };
    const { largeRequests } = server.host;
    onTestFinished(() => {
      server.host.largeRequests = largeRequests;
    });
    server.host.largeRequests = createLargeRequests({
      organization: limits,
      subOrganizations: limits,
      signups: limits,
      waitMs: 0,
    });
    let address = "203.0.113.1";
    const app = appOf(server.host, { clientAddress: () => address });
    const send = async (stamp: Header, body: string) => {
      const { status } = await app.request("http://keyhearth.test/public/v1/submit/create_wallet", {
        method: "POST",
        body,
        headers: { [stamp.name]: stamp.value, "content-length": `${body.length}` },
      });
      return status;
    };
    const { key } = other.people[0];
    const body = bytesOf(server, other.organizationId, makeWallet("x".repeat(LARGE_LENGTH)));
    expect(await send(stampOf(key, body), body)).toBe(400);
    expect(await send(stampOf(key, body), body)).toBe(429);
    address = "198.51.100.1";
    expect(await send(forgedBy(key, body), body)).toBe(401);
  });
});

test("who signs with a key is told what clients look for", async () => {
  const who = async (victim: Victim, key: TestKey) => {
    const body = JSON.stringify({ organizationId: victim.organizationId });
    const { text } = await post("query/whoami", body, stampOf(key, body));
    return text;
  };
  const unknown = "could not find public key in organization or its parent organization";
  expect(await who(parent, newKey())).toContain(unknown);
  expect(await who(other, child.people[0].key)).toContain(unknown);
  expect(await who(parent, keys["child and its sibling"] ?? newKey())).toContain(
    "more than one suborg associated with a public key",
  );
  expect(await who(child, keys["expired in child"] ?? newKey())).toContain(
    "Unauthenticated desc = expired api key publicKey",
  );
  // A large body is refused before it is parsed.
  const large = bytesOf(server, parent.organizationId, makeWallet("x".repeat(40_000)));
  const { status, text } = await post("submit/create_wallet", large, stampOf(newKey(), large));
  expect(status).toBe(401);
  expect(text).toContain(unknown);
});
