import { gzipSync } from "node:zlib";
import { newKey, type TestKey } from "@keyhearth/api/testing";
import type { Draft } from "./generate.ts";
import type { Random } from "./random.ts";
import type { Tenant } from "./state.ts";
import { type Wire, wireOf } from "./wire.ts";

// Faults that a client, or an attacker, could put into a request.

/** What is known while a fault is put in. */
export type Making = {
  random: Random;
  tenant: Tenant;
  /** Another organization, whose ids are swapped in. */
  stranger: Tenant;
  key: TestKey;
  /** A request that was sent before. */
  earlier: Wire | undefined;
};

/** A request to send. If it `mustFail`, an answer that accepts it is a fault of the service. */
export type Attempt = { name: string; wire: Wire; mustFail: boolean };

const encode = (text: string) => new TextEncoder().encode(text);
const pathOf = ({ operation }: Draft) => `/public/v1/${operation.kind}/${operation.name}`;

/** The request as it is. */
export function plain({ key }: Making, draft: Draft): Attempt {
  const wire = wireOf(pathOf(draft), encode(JSON.stringify(draft.json)), key);
  return { name: "plain", wire, mustFail: false };
}

type Mutator = (making: Making, draft: Draft) => Omit<Attempt, "name">;

/** A request with one fault. */
export function mutate(making: Making, draft: Draft): Attempt {
  const [name, mutator] = making.random.pick(Object.entries(mutators));
  return { name, ...mutator(making, draft) };
}

const mutators: Record<string, Mutator> = {
  value: (making, draft) => sendJson(making, draft, replaceAnywhere(making, draft.json)),
  "two values": (making, draft) =>
    sendJson(making, draft, replaceAnywhere(making, replaceAnywhere(making, draft.json))),
  "member removed": (making, draft) => sendJson(making, draft, removeAnywhere(making, draft.json)),
  "member added": ({ random, ...making }, draft) => {
    const member = random.pick([
      "__proto__",
      "constructor",
      "extra",
      "organizationID",
      "",
      "\u0000",
    ]);
    const added = JSON.stringify(odd(random));
    const text = `${JSON.stringify(draft.json).slice(0, -1)},${JSON.stringify(member)}:${added}}`;
    return sendText({ random, ...making }, draft, text);
  },
  "id of another organization": ({ stranger, ...making }, draft) => {
    const json = swapIds({ stranger, ...making }, draft.json);
    return sendJson({ stranger, ...making }, draft, json);
  },
  "another organization": (making, draft) => {
    const { organizationId } = making.stranger;
    const sent = sendJson(making, draft, { ...draft.json, organizationId });
    return { ...sent, mustFail: making.stranger !== making.tenant };
  },
  "JSON text": (making, draft) => {
    const text = JSON.stringify(draft.json);
    return { ...sendText(making, draft, damage(making.random, text)), mustFail: true };
  },
  timestamp: (making, draft) => {
    const { random } = making;
    const offset = random.pick([-86_400_000, -3_600_001, 300_001, 9e15, -1e15, 0.5, Number.NaN]);
    const timestampMs = random.pick([
      String(Date.now() + offset),
      Date.now(),
      "",
      "1e12",
      " 1",
      "-1",
    ]);
    return sendJson(making, draft, { ...draft.json, timestampMs });
  },
  "type of another operation": (making, draft) => {
    const types = ["ACTIVITY_TYPE_CREATE_ORGANIZATION", "ACTIVITY_TYPE_CREATE_WALLET", "toString"];
    return sendJson(making, draft, { ...draft.json, type: making.random.pick(types) });
  },
  "stamp of other bytes": (making, draft) => {
    const { wire } = plain(making, draft);
    const body = encode(`${JSON.stringify(draft.json)} `);
    return { wire: { ...wire, body }, mustFail: true };
  },
  "altered stamp": (making, draft) => {
    const { wire } = plain(making, draft);
    const { random } = making;
    const value = alterStamp(random, wire.headers["X-Stamp"] ?? "");
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    const name = random.pick(["X-Stamp", "X-Stamp", "X-Stamp-Webauthn", "x-stamp"]);
    if (!random.oneIn(8)) headers[name] = value;
    return { wire: { ...wire, headers }, mustFail: true };
  },
  "unknown key": (_, draft) => {
    const body = encode(JSON.stringify(draft.json));
    return { wire: wireOf(pathOf(draft), body, newKey()), mustFail: true };
  },
  "earlier request": (making, draft) => {
    const { wire } = plain(making, draft);
    return { wire: making.earlier ?? wire, mustFail: false };
  },
  "stamp of an earlier request": (making, draft) => {
    const { wire } = plain(making, draft);
    const earlier = making.earlier?.headers["X-Stamp"] ?? "";
    // A query that was sent before may have the same bytes.
    const isOther = !making.earlier || Buffer.compare(making.earlier.body, wire.body) !== 0;
    return {
      wire: { ...wire, headers: { ...wire.headers, "X-Stamp": earlier } },
      mustFail: isOther,
    };
  },
  headers: (making, draft) => {
    const { wire } = plain(making, draft);
    return { wire: withOddHeaders(making.random, wire), mustFail: false };
  },
  path: (making, draft) => {
    const { wire } = plain(making, draft);
    return { wire: { ...wire, path: oddPath(making.random, wire.path) }, mustFail: false };
  },
  method: (making, draft) => {
    const { wire } = plain(making, draft);
    const method = making.random.pick(["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"]);
    return { wire: { ...wire, method }, mustFail: false };
  },
  bytes: (making, draft) => {
    const { random, key } = making;
    const bytes = encode(JSON.stringify(draft.json));
    for (let i = 0; i < 1 + random.below(4); i++)
      bytes[random.below(bytes.length)] = random.below(256);
    return { wire: wireOf(pathOf(draft), bytes, key), mustFail: false };
  },
};

function sendJson(making: Making, draft: Draft, json: unknown) {
  return sendText(making, draft, JSON.stringify(json) ?? "");
}

function sendText({ key }: Making, draft: Draft, text: string) {
  return { wire: wireOf(pathOf(draft), encode(text), key), mustFail: false };
}

/** A value that no field expects. */
function odd(random: Random): unknown {
  return random.pick<() => unknown>([
    () => null,
    () => random.pick([true, false]),
    () => random.pick([0, -1, 1, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53), 1e308, 5e-324, 0.1, -0]),
    () => random.pick(["", " ", "0", "-1", "true", "null", "NaN", "1e9", "0x", "0X12", "\u0000"]),
    () => "9".repeat(1 + random.below(400)),
    () =>
      random.pick(["\ud800", "\udfff\ud800", "\u202e", "\ufeff", "e\u0301", "\u{1f4a3}", "İ", "ß"]),
    () => random.pick(["' OR 1=1 --", "$(id)", "../../etc/passwd", "<script>", "%00", "{{x}}"]),
    () => "x".repeat(random.pick([255, 256, 257, 4096, 65_536, 100_000])),
    () => nested(random.pick([8, 40, 200, 2000])),
    () => Array.from({ length: random.pick([1, 100, 101, 1001, 5000]) }, () => random.below(9)),
    () => ({}),
    () => [],
    () => ({ toString: "x", length: 3, constructor: null }),
    () => Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`m${i}`, i])),
    () => "00000000-0000-0000-0000-000000000000",
    () => "FFFFFFFF-FFFF-4FFF-8FFF-FFFFFFFFFFFF",
    () => `0x${random.text("0123456789abcdefABCDEF", 40)}`,
    () => random.text("0123456789abcdef", 2 * random.below(2000)),
  ])();
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value };
  return value;
}

/** The value with another one somewhere inside. */
function replaceAnywhere(making: Making, json: unknown): unknown {
  const { random } = making;
  return change(random, json, (value) => {
    if (random.oneIn(6) && typeof value === "string") return value + value;
    if (random.oneIn(6) && Array.isArray(value)) {
      return Array.from({ length: random.pick([2, 30, 101]) }, () => value[0] ?? 0);
    }
    return odd(random);
  });
}

function removeAnywhere({ random }: Making, json: unknown): unknown {
  return change(random, json, () => undefined);
}

/** Goes to a random place inside, and changes the value there. */
function change(random: Random, value: unknown, to: (value: unknown) => unknown): unknown {
  const isLeaf = value === null || typeof value !== "object";
  const members = isLeaf ? [] : Object.keys(value);
  if (members.length === 0 || random.oneIn(6)) return to(value);
  const chosen = random.pick(members);
  if (Array.isArray(value)) {
    return value.map((each, i) => (String(i) === chosen ? change(random, each, to) : each));
  }
  return Object.fromEntries(
    Object.entries(value as object).map(([name, each]) => [
      name,
      name === chosen ? change(random, each, to) : each,
    ]),
  );
}

/** Replaces ids of the organization by those of another one, in the parameters alone. */
function swapIds({ random, tenant, stranger }: Making, json: Record<string, unknown>) {
  const own = [...tenant.known.entries()];
  let text = JSON.stringify(json);
  for (const [name, values] of own) {
    const theirs = stranger.known.get(name);
    if (!theirs || theirs.length === 0) continue;
    for (const value of values) {
      if (text.includes(`"${value}"`))
        text = text.replaceAll(`"${value}"`, `"${random.pick(theirs)}"`);
    }
  }
  return { ...JSON.parse(text), organizationId: json.organizationId };
}

/** JSON that must not be read, or that two readers could read differently. */
function damage(random: Random, text: string): string {
  const name = random.pick(["organizationId", "type", "parameters", "timestampMs"]);
  return random.pick<() => string>([
    () => text.slice(0, random.below(text.length)),
    () => `${text}${random.pick(["}", "x", text, "\u0000", ",", "//"])}`,
    () => `{"organizationId":"${crypto.randomUUID()}",${text.slice(1)}`,
    () => `${text.slice(0, -1)},"organizationId":null}`,
    () => `\ufeff${text}`,
    () => `[${text}]`,
    () => text.replaceAll('"', "'"),
    () => text.replace(":", ":\ud800"),
    () => `${text.slice(0, -1)},"x":"\\ud800","${name}":1,"${name}":2}`,
    () => `${text.slice(0, -1)},"x":${"[".repeat(100_000)}`,
    () => `${text.slice(0, -1)},"x":01}`,
    () => `${text.slice(0, -1)},}`,
    () => "",
    () => "null",
  ])();
}

/** With more, Node.js closes the connection, and the answer may not arrive. */
const MOST_HEADER = 12_000;

function alterStamp(random: Random, value: string): string {
  const decoded = JSON.parse(Buffer.from(value, "base64url").toString("utf8"));
  const encoded = (changed: unknown) => Buffer.from(JSON.stringify(changed)).toString("base64url");
  const { signature } = decoded;
  const at = 2 * random.below(signature.length / 2);
  const digit = signature[at] === "0" ? "1" : "0";
  return random
    .pick<() => string>([
      () =>
        encoded({
          ...decoded,
          signature: signature.slice(0, at) + digit + signature.slice(at + 1),
        }),
      () => encoded({ ...decoded, signature: "" }),
      () => encoded({ ...decoded, signature: `${signature}00` }),
      () => encoded({ ...decoded, scheme: "SIGNATURE_SCHEME_TK_API_ED25519" }),
      () => encoded({ ...decoded, scheme: odd(random) }),
      () => encoded({ ...decoded, publicKey: newKey().publicKey }),
      () => encoded({ ...decoded, publicKey: odd(random) }),
      () => encoded({ ...decoded, extra: 1 }),
      () => encoded([decoded]),
      () => value.slice(0, random.below(value.length)),
      () => "A".repeat(MOST_HEADER),
      () => "not base64!",
    ])()
    .slice(0, MOST_HEADER);
}

function withOddHeaders(random: Random, wire: Wire): Wire {
  const { headers, body } = wire;
  return random.pick<() => Wire>([
    () => ({ ...wire, headers: { ...headers, "Content-Type": "text/plain" } }),
    () => ({ ...wire, headers: { ...headers, "Content-Encoding": "gzip" }, body: gzipSync(body) }),
    () => ({ ...wire, headers: { ...headers, "Content-Encoding": "br" } }),
    () => ({ ...wire, headers: { ...headers, Accept: "text/html", Host: "attacker.example" } }),
    () => ({ ...wire, headers: { ...headers, "X-Forwarded-For": "' 1.2.3.4, ::1" } }),
    () => ({ ...wire, headers: { ...headers, Expect: "100-continue" } }),
    () => ({ ...wire, headers: { ...headers, "X-Long": "y".repeat(9000) } }),
    () => ({ ...wire, headers: { ...headers, "X-Client-Version": "\u00ff\u00fe" } }),
  ])();
}

function oddPath(random: Random, path: string): string {
  return random.pick([
    `${path}/`,
    `${path}?x=1`,
    `/${path}`,
    path.toUpperCase(),
    path.replace("submit", "query"),
    path.replace("query", "submit"),
    path.replace(/\w+$/, "__proto__"),
    path.replace(/\w+$/, "%00"),
    path.replace(/\w+$/, "..%2f..%2fetc"),
    path.replace(/\w+$/, "%E0%A4%A"),
    path.replace("public", "private"),
    `${path}/${"a/".repeat(500)}`,
  ]);
}
