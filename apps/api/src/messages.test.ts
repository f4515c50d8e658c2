import { activities } from "@keyhearth/engine/activities/index";
import { ApiKeyStamper } from "@keyhearth/sdk";
import { beforeAll, expect, test } from "vitest";
import { queries } from "./queries/index.ts";
import { newOrganization, type TestOrganization } from "./testing.ts";

// Sends wrong input to every endpoint and looks at what comes back: never a failure of the service, and
// never a text that a library wrote.

let organization: TestOrganization;

beforeAll(async () => {
  organization = await newOrganization();
});

type Answer = { status: number; message: string; details: Record<string, unknown>[] };

async function send(path: string, body: string): Promise<Answer> {
  const { publicKey: apiPublicKey, privateKey: apiPrivateKey } = organization.rootKey;
  const stamp = await new ApiKeyStamper({ apiPublicKey, apiPrivateKey }).stamp(body);
  const init = { method: "POST", body, headers: { "X-Stamp": stamp.value } };
  const response = await organization.server.fetch(`http://keyhearth.test${path}`, init);
  const { message = "", details = [], activity } = await response.json();
  const failure = activity?.failure ?? null;
  return { status: response.status, message: failure?.message ?? message, details };
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const wrong: Json[] = [7, -1.5, "", "\u202e\u0000", "9".repeat(400), [7], { unexpected: 1 }, null];

/** The value with one part replaced, for every part and every wrong value; and with a part left out. */
function* variants(value: Json): Generator<Json> {
  yield* wrong;
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) {
      for (const changed of variants(element)) yield value.with(index, changed);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const { [key]: _, ...rest } = value;
      yield rest;
      for (const changed of variants(member)) yield { ...value, [key]: changed };
    }
    yield { ...value, unexpected: 1 };
  }
}

// What zod, pg, PGlite, Hono, JSON.parse and JavaScript itself would write.
const foreign = [
  /Invalid (input|option|key|element|string|type|url|uuid)/,
  /Too (big|small):/,
  /Unrecognized key/,
  /, received /,
  /\bexpected (string|number|boolean|object|array|record|int)\b/,
  /Unexpected (token|end|non-whitespace|string)/,
  /in JSON at position|is not valid JSON/,
  /invalid input syntax|syntax error|violates|relation "|column "|null value/,
  /byte sequence|out of range for type/,
  /Cannot (read|convert|mix)|is not (a function|iterable|defined)/,
  /Bad Request|Not Found|Internal Server Error|Malformed/,
  /\[object |undefined|NaN/,
  /at .*\.ts:\d+|node_modules/,
];

function expectOurWords({ status, message, details }: Answer) {
  if (status === 200 && message === "") return;
  expect(status, message).toBeLessThan(500);
  expect(message).not.toBe("");
  for (const pattern of foreign) expect(message).not.toMatch(pattern);
  // A message about a policy shows the line of the source below its text.
  expect(message.replaceAll("\n", " ")).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]|\.$/u);
  for (const { code, field } of details) {
    if (typeof code !== "string" || !code.startsWith("FIELD_")) continue;
    // A problem of a field names it, with what was given and what is accepted.
    expect(field).toEqual(expect.stringMatching(/^[a-zA-Z]/));
    expect(message).toMatch(/`[^`]+`/);
    expect(message).toMatch(
      /accept|expected|must|missing|not |unknown field|needs|supported|give |unique/,
    );
  }
}

const endpoints = [
  ...activities.map(({ name, example, defaultType }) => ({
    path: `/public/v1/submit/${name}`,
    type: defaultType,
    // The example's own values are plain JSON.
    example: example as Json,
  })),
  ...queries.map(({ name, example }) => ({
    path: `/public/v1/query/${name}`,
    type: null,
    example: example as Json,
  })),
];

test.each(endpoints)(
  "$path answers wrong input in our own words",
  async ({ path, type, example }) => {
    const { organizationId } = organization;
    for (const changed of variants(example)) {
      const body =
        type === null
          ? { ...(typeof changed === "object" ? changed : {}), organizationId }
          : { type, timestampMs: String(Date.now()), organizationId, parameters: changed };
      expectOurWords(await send(path, JSON.stringify(body)));
    }
  },
);

test.each(["/public/v1/submit/create_wallet", "/public/v1/query/get_wallet"])(
  "%s answers a wrong envelope, or what is no JSON, in our own words",
  async (path) => {
    const { organizationId } = organization;
    const type = "ACTIVITY_TYPE_CREATE_WALLET";
    const envelope = { type, timestampMs: String(Date.now()), organizationId, parameters: 7 };
    for (const changed of variants(envelope))
      expectOurWords(await send(path, JSON.stringify(changed)));
    for (const text of ["", "{", "[1,]", '{"a":1,"a":2}', '{"a":"\\ud800"}', "\ufeff{}", "{}{}"]) {
      const answer = await send(path, text);
      expect(answer.status).toBe(400);
      expect(answer.message).toMatch(/^bad request body: ./);
      expectOurWords(answer);
    }
  },
);

test("an unknown path and a wrong method are answered in our own words", async () => {
  for (const path of ["/public/v1/submit/%", "/public/v1/query/%zz", "/public/x", "/nothing"]) {
    const answer = await send(path, "{}");
    expect(answer.status).toBe(404);
    expectOurWords(answer);
  }
  const response = await organization.server.fetch("http://keyhearth.test/healthz", {
    method: "POST",
  });
  expectOurWords({ status: response.status, ...(await response.json()) });
});
