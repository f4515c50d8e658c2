import { createFeedback, MAX_FEEDBACK_BYTES } from "@keyhearth/api/feedback/feedback";
import { formatJson, formatReport } from "@keyhearth/api/feedback/report";
import { createClientAddress } from "@keyhearth/api/host/rate-limit";
import { createLog } from "@keyhearth/api/observability/log";
import { listPageFeedback } from "@keyhearth/api/store/page-feedback";
import { appOf, newKey } from "@keyhearth/api/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Attacked, startAttackedServer } from "./attacker.ts";

// A stranger writes to the database: anyone who opens the site can say something about a page.

const site = "https://docs.example.com";
const everything = { page: null, fromMs: 0, beforeMs: Number.MAX_SAFE_INTEGER };

let server: Attacked;
let nowMs: number;
let lines: string[];
let send: (request: Sent) => Promise<Response>;

type Sent = {
  body?: BodyInit | object;
  headers?: Record<string, string>;
  /** The other end of the connection. */
  from?: string;
  method?: string;
};

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

/** A new app for each test, so that nothing is used up. Its clock stands still. */
beforeEach(async () => {
  await server.store.run("", "DELETE FROM page_feedback", []);
  nowMs = Date.now();
  server.host.now = () => nowMs;
  lines = [];
  const destination = { write: (line: string) => void lines.push(line) };
  server.host.log = createLog({ level: "info", destination });
  send = newApp();
});

function newApp(mostStored = 1000, trusted = "10.0.0.1") {
  const clientAddress = createClientAddress([{ address: trusted, prefix: 32, family: "ipv4" }]);
  const { host } = server;
  const app = appOf(host, {
    clientAddress,
    feedback: createFeedback({ host, publicUrl: site, clientAddress, mostStored }),
  });
  return async ({ body = good(), headers = {}, from = "203.0.113.7", method = "POST" }: Sent) => {
    const isRaw = typeof body === "string" || body instanceof ReadableStream;
    const init: RequestInit & { duplex: "half" } = {
      method,
      headers: { origin: site, "content-type": "application/json", ...headers },
      // A text, a stream, or an object that becomes JSON.
      ...(method === "POST" && { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
      duplex: "half",
    };
    return app.request(`${site}/feedback`, init, {
      incoming: { socket: { remoteAddress: from } },
    });
  };
}

const good = (text = "It works.") => ({ page: "/concepts/wallets", helpful: true, text });
const stored = () => listPageFeedback(server.store, everything);

async function statusesOf(sent: Sent[]): Promise<number[]> {
  const responses = await Promise.all(sent.map((each) => send(each)));
  return responses.map(({ status }) => status).sort();
}

describe("a flood of feedback", () => {
  test("from one address ends after five, in turn or at once, and again a minute later", async () => {
    expect(await statusesOf(Array.from({ length: 40 }, () => ({})))).toEqual([
      ...Array(5).fill(204),
      ...Array(35).fill(429),
    ]);
    const refused = await send({});
    expect(refused.headers.get("retry-after")).toBe("12");
    expect((await refused.json()).message).toContain("at most 5 a minute from your address");
    expect(await stored()).toHaveLength(5);

    nowMs += 60_000;
    const statuses = [];
    for (let i = 0; i < 8; i++) statuses.push((await send({})).status);
    expect(statuses).toEqual([...Array(5).fill(204), ...Array(3).fill(429)]);
    expect((await send({ from: "203.0.113.8" })).status).toBe(204);
  });

  test("is not let through by a claimed address, or by the other addresses of a network", async () => {
    const claimed = Array.from({ length: 20 }, (_, i) => ({
      headers: { "x-forwarded-for": `198.51.100.${i}`, "x-real-ip": `198.51.100.${i}` },
    }));
    expect((await statusesOf(claimed)).filter((status) => status === 204)).toHaveLength(5);
    const behindProxy = Array.from({ length: 20 }, (_, i) => ({
      from: "10.0.0.1",
      headers: { "x-forwarded-for": `198.51.100.${i}, 192.0.2.1` },
    }));
    expect((await statusesOf(behindProxy)).filter((status) => status === 204)).toHaveLength(5);
    const network = Array.from({ length: 20 }, (_, i) => ({ from: `2001:db8::${i.toString(16)}` }));
    expect((await statusesOf(network)).filter((status) => status === 204)).toHaveLength(5);
    expect(await stored()).toHaveLength(15);
  });

  test("from one address or IPv6 site takes a tenth of what all may send in an hour", async () => {
    const froms = [() => "203.0.113.7", (minute: number) => `2001:db8:7:${minute.toString(16)}::1`];
    for (const from of froms) {
      const statuses: number[] = [];
      for (let minute = 0; minute < 30; minute++) {
        const five = Array.from({ length: 5 }, () => ({ from: from(minute) }));
        statuses.push(...(await statusesOf(five)));
        nowMs += 60_000;
      }
      // Twenty at once, and ten more in half an hour.
      expect(statuses.filter((status) => status === 204).length).toBeLessThanOrEqual(30);
      expect(statuses.filter((status) => status === 204).length).toBeGreaterThanOrEqual(28);
      let answer = await send({ from: from(30) });
      while (answer.status === 204) answer = await send({ from: from(30) });
      expect((await answer.json()).message).toContain("at most 20 an hour from your address");
    }
    expect((await send({ from: "198.51.100.1" })).status).toBe(204);
    expect((await send({ from: "2001:db8:8::1" })).status).toBe(204);
  });

  test("from many addresses ends too, and what is wrong does not count for all", async () => {
    const wrong = Array.from({ length: 250 }, (_, i) => ({
      from: `198.51.100.${i}`,
      body: { page: "nowhere" },
    }));
    expect(new Set(await statusesOf(wrong))).toEqual(new Set([400]));
    const many = Array.from({ length: 250 }, (_, i) => ({ from: `192.0.2.${i}` }));
    expect((await statusesOf(many)).filter((status) => status === 204)).toHaveLength(200);
    const refused = await send({ from: "203.0.113.200" });
    expect((await refused.json()).message).toContain("at most 200 an hour from everybody");
    expect(await stored()).toHaveLength(200);
  });

  test("does not fill the database: what is stored stays, and one line says that it is full", async () => {
    send = newApp(3);
    for (let i = 0; i < 3; i++) await send({ body: good(`genuine ${i}`), from: `192.0.2.${i}` });
    for (let i = 3; i < 23; i++) {
      const response = await send({ body: good("junk"), from: `192.0.2.${i}` });
      expect(response.status).toBe(429);
      expect((await response.json()).details).toMatchObject([{ code: "LIMIT_EXCEEDED" }]);
    }
    const texts = (await stored()).map(({ comment }) => comment);
    expect(texts.sort()).toEqual(["genuine 0", "genuine 1", "genuine 2"]);
    expect(lines.filter((line) => line.includes("no more feedback is stored"))).toHaveLength(1);
  });
});

describe("a body of feedback", () => {
  test("is not read beyond 2 KiB, whether it states its length or never ends", async () => {
    const body = JSON.stringify({ ...good(), text: "x".repeat(MAX_FEEDBACK_BYTES) });
    const stated = await send({ body, headers: { "content-length": String(body.length) } });
    expect(stated.status).toBe(413);
    expect((await stated.json()).message).toContain(`larger than ${MAX_FEEDBACK_BYTES} bytes`);

    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(512).fill(0x20));
      },
    });
    expect((await send({ body: endless })).status).toBe(413);
    expect(pulled).toBeLessThan(10);
    expect(await stored()).toEqual([]);
  });

  test("of the wrong shape is refused before anything is stored, and never an internal error", async () => {
    const bodies: Sent["body"][] = [
      "",
      "{",
      "[]",
      "1",
      "\u0000",
      "[".repeat(2000),
      '{"page":"/","page":"/","helpful":true}',
      '{"page":"/","helpful":true,"__proto__":{"helpful":false}}',
      '{"page":"/","helpful":true,"constructor":{}}',
      { page: ["/"], helpful: true },
      { page: { toString: 1 }, helpful: true },
      { page: "/", helpful: "true" },
      { page: "/", helpful: 1 },
      { page: "/", helpful: true, text: ["a"] },
      { page: "/", helpful: true, text: { $gt: "" } },
      { page: "/", helpful: true, createdAtMs: 0 },
      { page: "/", helpful: true, feedbackId: "x" },
      { page: "/../../etc/passwd".repeat(20), helpful: true },
      { page: "/a'; DROP TABLE page_feedback; --", helpful: true },
      { page: "/", helpful: true, text: "a\u0000b" },
    ];
    for (const [index, body = ""] of bodies.entries()) {
      const response = await send({ body, from: `192.0.2.${index}` });
      expect([body, response.status]).toEqual([body, 400]);
    }
    expect(await stored()).toEqual([]);
  });

  test("that holds a key is repeated in no answer and no line of the log", async () => {
    const { privateKey } = newKey();
    const bodies = [
      { page: "/", helpful: true, text: `${privateKey}\u0000` },
      { page: "/", helpful: "yes", text: privateKey },
      { page: "/", helpful: true, text: `${privateKey}`.repeat(20) },
      { page: "/", helpful: true, text: privateKey },
    ];
    for (const [index, body] of bodies.entries()) {
      const response = await send({ body, from: `192.0.2.${index}` });
      expect(await response.text()).not.toContain(privateKey.slice(0, 16));
    }
    expect(await stored()).toHaveLength(1);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join("")).not.toContain(privateKey.slice(0, 16));
  });

  test("with markup or control characters does nothing to the operator who reads it", async () => {
    const markup = `<img src=x onerror=alert(1)>\n</td></table>=HYPERLINK("http://x")`;
    expect((await send({ body: good(markup) })).status).toBe(204);
    for (const text of ["\u001b]0;title\u0007", "\u202egnp.exe", "a\u009bb", "a\u2028b"]) {
      expect((await send({ body: good(text) })).status).toBe(400);
    }
    const found = await stored();
    expect(found.map(({ comment }) => comment)).toEqual([markup]);
    // Even if somebody wrote to the database itself.
    const [row] = found;
    if (!row) throw new Error("nothing is stored");
    const hostile = { ...row, page: "/\u001b[2J", comment: "\u001b[31mred\u202e\r\noverwritten" };
    for (const shown of [formatReport([hostile]), formatJson(hostile)]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: naming them is the point
      expect(shown).not.toMatch(/[\p{Bidi_Control}\r\u001b\u009b]/u);
    }
    // A line that begins like the report's own lines is marked as quoted.
    expect(formatReport([{ ...row, comment: "a\n2026-01-01 00:00  yes  /faq" }])).toContain(
      "\n  | 2026-01-01",
    );
  });
});

describe("a page of another site", () => {
  const foreign: [string, Record<string, string>][] = [
    ["another origin", { origin: "https://example.org" }],
    ["a subdomain", { origin: "https://evil.docs.example.com" }],
    ["a name that begins alike", { origin: `${site}.example.org` }],
    ["another port", { origin: `${site}:8443` }],
    ["another scheme", { origin: "http://docs.example.com" }],
    ["no origin of its own", { origin: "null" }],
    ["an empty origin", { origin: "" }],
    ["our origin and a path", { origin: `${site}/` }],
    ["two origins", { origin: `https://example.org, ${site}` }],
    ["our origin in a cross-site request", { "sec-fetch-site": "cross-site" }],
    ["our origin in a same-site request", { "sec-fetch-site": "same-site" }],
    [
      "a name that it points at this machine",
      { origin: "http://example.org", host: "example.org" },
    ],
    ["a host that is not only a name", { origin: "http://1.2.3.4", host: "1.2.3.4@example.org" }],
    ["an address that is none", { origin: "http://1.2.3.4.5", host: "1.2.3.4.5" }],
  ];

  test("sends nothing, and uses up nothing of what its visitor may send", async () => {
    for (const [name, headers] of foreign) {
      for (let i = 0; i < 2; i++) {
        const response = await send({ headers });
        expect([name, response.status]).toEqual([name, 403]);
      }
    }
    expect(await stored()).toEqual([]);
    for (let i = 0; i < 5; i++) expect((await send({})).status).toBe(204);
  });

  test("sends nothing as a form does, or without an origin", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const headers = { origin: "https://example.org", "content-type": type };
      expect((await send({ headers })).status).toBe(403);
      expect((await send({ headers: { "content-type": type }, from: type })).status).toBe(400);
    }
    const response = await server.fetch(`${site}/feedback`, { method: "POST", body: "{}" });
    expect(response.status).not.toBe(204);
    expect(await stored()).toEqual([]);
  });

  test("reads no answer, and gets no permission to send", async () => {
    const answers = [
      await send({}),
      await send({ body: "{" }),
      await send({ headers: { origin: "https://example.org" } }),
      await send({ method: "OPTIONS", headers: { "access-control-request-method": "POST" } }),
      await send({ method: "GET" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([204, 400, 403, 405, 405]);
    for (const { headers } of answers) {
      const names = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
      expect(names).toEqual([]);
    }
  });

  test("is told apart from our own page at localhost or an IP address", async () => {
    for (const host of ["localhost:3000", "127.0.0.1:3000", "192.168.1.20", "[::1]:3000"]) {
      const headers = { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" };
      expect((await send({ headers, from: host })).status).toBe(204);
    }
  });
});
