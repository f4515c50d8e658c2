import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { newToken } from "@keyhearth/engine/oidc.testing";
import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { createRandom, type Random } from "../fuzz/random.ts";
import { isLong } from "../start/long-form.ts";
import { placesIn, withValue } from "./cases.ts";
import { core, exampleOf } from "./example.ts";
import { type Operation, operations } from "./operations.ts";
import { spell } from "./spell.ts";
import { newWorld, type World } from "./world.ts";

// A decoder that throws an error of its own makes an internal error out of what a client can correct. So every text
// field of every request is sent in many spellings of many bytes, as far as the declaration lets them pass: what it
// refuses reaches no decoder. `KEYHEARTH_LONG` tries more of them.

const seed = Number(process.env.KEYHEARTH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const TIMES = isLong ? 10 : 1;
/** Most texts that a declaration lets pass are those of fields that are not decoded, such as names. */
const MOST_OF_BYTES = 3;
const MOST_OF_NAMES = 1;
const TRIES = 30;

let world: World;

beforeAll(async () => {
  world = await newWorld();
});

const typedData = JSON.stringify({
  types: {
    Note: [
      { name: "text", type: "string" },
      { name: "ids", type: "uint8[2][]" },
    ],
  },
  primaryType: "Note",
  domain: { name: "App", chainId: "1", verifyingContract: `0x${"11".repeat(20)}` },
  message: { text: "a", ids: [[1, "2"]] },
});
const authorization = JSON.stringify({ chainId: 1, address: `0x${"11".repeat(20)}`, nonce: "7" });
const abi = JSON.stringify([
  {
    type: "function",
    name: "f",
    inputs: [{ name: "a", type: "tuple[2]", components: [{ name: "b", type: "bytes" }] }],
  },
]);
const idl = JSON.stringify({
  instructions: [
    {
      name: "doIt",
      accounts: [{ name: "a", isMut: true }],
      args: [{ name: "n", type: { array: ["u8", 4] } }],
    },
  ],
  types: [{ name: "T", type: { kind: "struct", fields: [{ name: "x", type: "u64" }] } }],
});

/** What fields can have besides their examples, by the name of the field. */
const more: Record<string, () => string[]> = {
  payload: () => [typedData, authorization, "ab".repeat(32)],
  payloads: () => [typedData, authorization, "ab".repeat(32)],
  smartContractInterface: () => [abi, idl],
  oidcToken: () => [newToken({ sub: "ada" })],
  filterValue: () => [newToken({ sub: "ada" }), "ada@example.com"],
  encryptedBundle: () => [
    JSON.stringify({ encappedPublic: `04${"11".repeat(64)}`, ciphertext: "22".repeat(48) }),
  ],
  value: () => ["https://app.example.com,http://localhost:3000"],
  condition: () => ["eth.tx.value > 1 && activity.params['a b'].contains('x')"],
  consensus: () => ["approvers.filter(u, u.tags.contains('t')).count() >= 2"],
  time: () => ["CronSpan('0 9 * * 1-5', '8h', 'Europe/Paris')"],
};

/** The body with another value in each field that takes one of several. */
function withOtherChoices(random: Random, { schema }: Operation, body: Record<string, unknown>) {
  let chosen = body;
  for (const place of placesIn({ schema, steps: [], field: "", value: body })) {
    const known = core(place.schema);
    if (place.field === "type" || !(known instanceof z.ZodEnum) || random.oneIn(2)) continue;
    const changed = withValue(chosen, place.steps, random.pick(known.options));
    if (schema.safeParse(changed).success) chosen = changed;
  }
  return chosen;
}

/** The rest of the envelope is the same for all submissions. */
const envelope = ["type", "timestampMs", "organizationId"];

function bodiesOf(random: Random, operation: Operation, isFirst: boolean) {
  const { schema } = operation;
  // The schema of an operation is an object.
  const example = exampleOf(schema, "", world) as Record<string, unknown>;
  const places = placesIn({ schema, steps: [], field: "", value: example });
  return places.flatMap(({ steps, field, value }) => {
    if (typeof value !== "string" || (envelope.includes(field) && !isFirst)) return [];
    const name = field.replace(/\[0\]$/, "").replace(/^.*\./, "");
    const texts = [value, ...(more[name]?.() ?? [])];
    const most = (texts.some(isOfBytes) ? MOST_OF_BYTES : MOST_OF_NAMES) * TIMES;
    const bodies: { field: string; body: Record<string, unknown> }[] = [];
    for (let tries = 0; tries < TRIES * TIMES && bodies.length < most; tries++) {
      const text = spell(random, random.pick(texts));
      // As it was, the request would be done: it may delete the key that stamps all others.
      if (text === value) continue;
      const body = withValue(withOtherChoices(random, operation, example), steps, text);
      if (schema.safeParse(body).success) bodies.push({ field, body });
    }
    return bodies;
  });
}

/** Long texts in hex or base64url, JSON and tokens. Ids pass only as they are. */
function isOfBytes(text: string): boolean {
  return /^[[{]|^\w+\.|^(0x)?[\w-]{20,}$/.test(text) && !/^[0-9a-f]{8}-/.test(text);
}

async function statusOf({ path }: Operation, body: Record<string, unknown>) {
  const { server, rootKey } = world.organization;
  const text = JSON.stringify(body);
  const privateKey = decodeHex(rootKey.privateKey);
  const scheme = "SIGNATURE_SCHEME_TK_API_P256" as const;
  const stamp = createApiKeyStamp({ privateKey, scheme }, encodeUtf8(text.toWellFormed()));
  const response = await server.fetch(`http://keyhearth.test/public/v1/${path}`, {
    method: "POST",
    headers: { "X-Stamp": stamp },
    body: text,
  });
  return { status: response.status, answer: await response.text() };
}

/** With a time in it that counts, such a request would be done. */
const isDone = ({ path }: Operation) => /^submit\/(delete_|log_out|update_root)/.test(path);

test("no spelling of bytes in any field of any request is an internal error", async () => {
  const problems: string[] = [];
  const statuses = new Map<number, number>();
  for (const [index, operation] of operations.entries()) {
    const random = createRandom(seed, index);
    for (const { field, body } of bodiesOf(random, operation, index === 0)) {
      if (isDone(operation) && envelope.includes(field)) continue;
      const { status, answer } = await statusOf(operation, body);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status < 500) continue;
      const sent = JSON.stringify(body).slice(0, 2000);
      problems.push(`${operation.name} ${field}: ${status} ${answer} for ${sent}`);
    }
  }
  expect(problems, `KEYHEARTH_SEED=${seed}\n${problems.join("\n")}`).toEqual([]);
  const counts = JSON.stringify([...statuses]);
  expect(statuses.get(200), counts).toBeGreaterThan(20);
  expect(statuses.get(400), counts).toBeGreaterThan(200);
}, 900_000);
