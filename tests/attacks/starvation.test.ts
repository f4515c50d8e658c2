import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConcurrencyLimit } from "@keyhearth/api/fairness/concurrency-limit";
import { newKey } from "@keyhearth/api/testing";
import { decodeBase64Url, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import {
  type Answer,
  createFrameReader,
  decodeFrame,
  type Envelope,
  encodeFrame,
  type Request,
} from "@keyhearth/engine/core/protocol";
import { newPasskey, passkeyOf, type TestPasskey } from "@keyhearth/engine/passkey.testing";
import type { StampHeader } from "@keyhearth/engine/people/authenticate";
import { createDoor } from "@keyhearth/signer/door/door";
import { listenOnSocket } from "@keyhearth/signer/door/socket";
import { openSigner, type Signer } from "@keyhearth/signer/signer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  apiKey,
  bytesOf,
  newChild,
  newVictim,
  newWallet,
  type Person,
  perform,
  resultOf,
  send,
  sign,
  stampOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// One tenant, or somebody without any key, tries to keep the service from the others.

describe("at the signer, one organization", () => {
  const directory = mkdtempSync(join(tmpdir(), "keyhearth-starvation-"));
  const path = join(directory, "signer.sock");
  let signer: Signer;
  let server: Awaited<ReturnType<typeof listenOnSocket>>;
  /** In the order in which they arrive. */
  let answers: { organizationId: string; answer: Answer }[] = [];

  beforeAll(async () => {
    signer = openSigner({
      stateDirectory: join(directory, "state"),
      mayCreate: true,
      log: () => {},
    });
    const door = createDoor(slowly(signer.handle), () => {});
    server = await listenOnSocket(path, door, () => {});
  });

  afterAll(async () => {
    await server?.close();
    signer?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test("with many waiting calls does not hold up another one", async () => {
    await callAll([
      ["many", 200],
      ["other", 5],
    ]);
    const lastOfOther = answers.findLastIndex(({ organizationId }) => organizationId === "other");
    expect(answers).toHaveLength(205);
    expect(lastOfOther).toBeLessThan(60);
  });

  test("with more calls than may wait is refused, and another one is served", async () => {
    await callAll([
      ["many", 1500],
      ["other", 5],
    ]);
    const refused = answers.filter(({ answer }) => isRefused(answer));
    expect(refused.length).toBeGreaterThan(500);
    expect(new Set(refused.map(({ organizationId }) => organizationId))).toEqual(new Set(["many"]));
    expect(answers).toHaveLength(1505);
  });

  function isRefused(answer: Answer): boolean {
    return answer.kind === "error" && answer.error.reason === "RATE_LIMITED";
  }

  /** Each organization sends all of its calls in one frame, one organization after the other. */
  async function callAll(groups: [organizationId: string, count: number][]) {
    answers = [];
    const sockets: Socket[] = [];
    for (const [organizationId, count] of groups) {
      const socket = connect(path);
      await new Promise((resolve) => socket.once("connect", resolve));
      sockets.push(socket);
      const read = createFrameReader((frame) => {
        for (const { message } of decodeFrame<Answer>(frame)) {
          if (message.kind !== "begun") answers.push({ organizationId, answer: message });
        }
      });
      socket.on("data", (chunk) => void read(chunk));
      socket.write(encodeFrame(callsOf(organizationId, count)));
    }
    const total = groups.reduce((sum, [, count]) => sum + count, 0);
    while (answers.length < total) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const socket of sockets) socket.destroy();
  }
});

/** Each call takes a millisecond of the signer's thread. */
function slowly(handle: (request: Request) => Answer): (request: Request) => Answer {
  return (request) => {
    const endAt = performance.now() + 1;
    while (performance.now() < endAt);
    return handle(request);
  };
}

function callsOf(organizationId: string, count: number): Envelope<Request>[] {
  const message: Request = {
    call: "submit",
    endpoint: "sign_raw_payload",
    body: encodeUtf8("{}"),
    stamp: null,
    records: [],
    attachments: [],
  };
  return Array.from({ length: count }, (_, id) => ({ id, organizationId, message }));
}

describe("at the API,", () => {
  let server: Attacked;
  let victim: Victim;
  let address: string;

  beforeAll(async () => {
    server = await startAttackedServer();
    victim = await newVictim(server);
    ({ address } = await newWallet(server, victim));
  });

  afterAll(() => server?.stop());

  test("a large body that the key did not stamp is refused before it is parsed", async () => {
    for (const key of [victim.people[0].key, newKey()]) {
      const { status, json } = await postLarge(stampOf(key, "anything"));
      expect(status).toBe(401);
      expect(json.message).toMatch(/^could not verify api key signature publicKey=0/);
    }
  });

  test("large bodies of strangers are answered at a steady pace", async () => {
    const startedAt = performance.now();
    const stamp = stampOf(newKey(), "anything");
    await Promise.all(Array.from({ length: 10 }, () => postLarge(stamp)));
    expect(performance.now() - startedAt).toBeGreaterThan(400);
    const flood = await Promise.all(Array.from({ length: 250 }, () => postLarge(stamp)));
    expect(flood.filter(({ status }) => status === 429).length).toBeGreaterThan(20);
  }, 30_000);

  test("forged requests do not take the places of an organization", async () => {
    const { signer } = server.host;
    const call = signer.call;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // The signer is busy, so that requests stay under way.
    signer.call = async (...args) => {
      await held;
      return call(...args);
    };
    try {
      const [person] = victim.people;
      const stranger: Person = { userId: person.userId, key: newKey() };
      const forged = Array.from({ length: 300 }, () => post(stranger));
      const refused = forged.slice(64).map(async (answer) => (await answer).status);
      expect(new Set(await Promise.all(refused))).toEqual(new Set([429]));
      const own = post(person);
      release();
      expect((await own).status).toBe(200);
      expect((await forged[0])?.status).toBe(401);
    } finally {
      release();
      signer.call = call;
    }
  }, 30_000);

  test("read-only sessions of another organization do not take its places", async () => {
    const stranger = await newVictim(server);
    const child = await newChild(server, victim);
    const { concurrency } = server.host;
    // Nobody gets in without a question, as if many requests were under way.
    server.host.concurrency = {
      ...concurrency,
      queries: createConcurrencyLimit({ free: 0, most: 4, atOnce: 4 }),
    };
    try {
      const read = async (by: Victim, { organizationId }: Victim) => {
        const reply = await perform(server, by, readOnly);
        const { session } = resultOf(reply, "createReadOnlySessionResult");
        const response = await server.fetch("http://keyhearth.test/public/v1/query/list_users", {
          method: "POST",
          body: JSON.stringify({ organizationId }),
          headers: { "X-Session": String(session) },
        });
        return response.status;
      };
      expect(await read(stranger, victim)).toBe(429);
      expect(await read(child, victim)).toBe(429);
      expect(await read(victim, victim)).toBe(200);
      expect(await read(victim, child)).toBe(200);
    } finally {
      server.host.concurrency = concurrency;
    }
  });

  test("forged queries do not take the places of a sub-organization's users who name the parent", async () => {
    const child = await newChild(server, victim);
    const passkey = newPasskey();
    await perform(server, child, addPasskey(child.people[0], passkey));
    const { concurrency } = server.host;
    server.host.concurrency = {
      ...concurrency,
      queries: createConcurrencyLimit({ free: 0, most: 4, atOnce: 4 }),
    };
    try {
      const body = JSON.stringify({ organizationId: victim.organizationId });
      const byPasskey = { name: "X-Stamp-Webauthn", value: passkey.stamp(body) };
      const ask = async ({ name, value }: StampHeader) => {
        const url = "http://keyhearth.test/public/v1/query/whoami";
        return (await server.fetch(url, { method: "POST", body, headers: { [name]: value } }))
          .status;
      };
      const [person] = child.people;
      expect(await ask(stampOf(newKey(), body))).toBe(429);
      expect(await ask(stampOf(person.key, body))).toBe(200);
      expect(await ask(byPasskey)).toBe(200);
    } finally {
      server.host.concurrency = concurrency;
    }
  });

  test("a credential id that others registered too keeps no large body out", async () => {
    const passkey = newPasskey();
    const owner = await newVictim(server);
    await perform(server, owner, addPasskey(owner.people[0], passkey));
    // With keys of their own: the id is all that they know of the passkey.
    const id = decodeBase64Url(passkey.credentialId);
    for (let i = 0; i < 5; i++) {
      const attacker = await newChild(server, victim);
      const { privateKey, publicKey } = newPasskey();
      const own = passkeyOf({ privateKey, publicKey, id });
      await perform(server, attacker, addPasskey(attacker.people[0], own));
    }
    const users = Array.from({ length: 99 }, () => ({
      userName: "user".repeat(50),
      apiKeys: [apiKey(newKey())],
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    }));
    const body = bytesOf(server, owner.organizationId, {
      type: "ACTIVITY_TYPE_CREATE_USERS_V3",
      parameters: { users },
    });
    expect(body.length).toBeGreaterThan(16 * 1024);
    const stamp = { name: "X-Stamp-Webauthn", value: passkey.stamp(body) };
    expect(await send(server, "create_users", body, stamp)).toMatchObject({ status: 200 });
  });

  /** Not JSON, so that parsing it would be noticed. */
  async function postLarge({ name, value }: ReturnType<typeof stampOf>) {
    const chunks = 10;
    let read = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (read === chunks) return controller.close();
        read += 1;
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x7b));
      },
    });
    const init: RequestInit & { duplex: "half" } = {
      method: "POST",
      body,
      duplex: "half",
      headers: { [name]: value, "Content-Length": String(chunks * 64 * 1024) },
    };
    const url = "http://keyhearth.test/public/v1/submit/create_wallet";
    const response = await server.fetch(url, init);
    return { status: response.status, json: await response.json(), read };
  }
  const readOnly: Ask = {
    endpoint: "create_read_only_session",
    type: "ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION",
    parameters: {},
  };

  const addPasskey = ({ userId }: Person, { params }: TestPasskey): Ask => ({
    endpoint: "create_authenticators",
    type: "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2",
    parameters: { userId, authenticators: [params] },
  });

  async function post({ key }: Person) {
    const what = sign(address);
    const body = bytesOf(server, victim.organizationId, what);
    const { name, value } = stampOf(key, body);
    return server.fetch(`http://keyhearth.test/public/v1/submit/${what.endpoint}`, {
      method: "POST",
      body,
      headers: { [name]: value },
    });
  }
});
