import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { activities } from "@keyhearth/engine/activities/index";
import { parseSubmission } from "@keyhearth/engine/submission/envelope";
import { beforeAll, describe, expect, test } from "vitest";
import { exampleOf } from "./example.ts";
import { type Operation, operations } from "./operations.ts";
import { newWorld, type World } from "./world.ts";

// What every endpoint accepts and sends because released clients expect it, and what none offers yet.

let world: World;

beforeAll(async () => {
  world = await newWorld();
});

type Json = Record<string, unknown>;

async function post(path: string, body: Json, at = "/public/v1/") {
  const { server, rootKey } = world.organization;
  const text = JSON.stringify(body);
  const signer = {
    privateKey: decodeHex(rootKey.privateKey),
    scheme: "SIGNATURE_SCHEME_TK_API_P256" as const,
  };
  const stamp = createApiKeyStamp(signer, encodeUtf8(text));
  const init = { method: "POST", body: text, headers: { "X-Stamp": stamp } };
  const response = await server.fetch(`http://keyhearth.test${at}${path}`, init);
  const answer = await response.text();
  const isJson = response.headers.get("content-type") === "application/json";
  return { status: response.status, answer: (isJson ? JSON.parse(answer) : { answer }) as Json };
}

/** The example of an operation, with the current time. */
function bodyOf({ schema }: Operation): Json {
  // The schema of an operation is an object.
  const body = exampleOf(schema, "", world) as Json;
  return "timestampMs" in body ? { ...body, timestampMs: String(Date.now()) } : body;
}

function detailsOf({ details = [] }: Json): { code?: string; field?: string }[] {
  // The shape of every error.
  return details as { code?: string; field?: string }[];
}

const submissions = activities.flatMap((declaration) =>
  Object.keys(declaration.versions).map((type) => ({ type, declaration })),
);

test.each(submissions)(
  "$type accepts `generateAppProofs` beside its parameters",
  ({ type, declaration }) => {
    const operation = operations.find(({ name }) => name.endsWith(`(${type})`));
    if (!operation) throw new Error(`${type} is no operation`);
    const { generateAppProofs: _, ...body } = bodyOf(operation);
    for (const generateAppProofs of [true, false, null, undefined]) {
      const text = JSON.stringify({ ...body, generateAppProofs });
      const { envelope } = parseSubmission(declaration, text);
      expect(envelope.generateAppProofs).toBe(generateAppProofs === true);
    }
  },
);

test.each(submissions)(
  "$type accepts `generateAppProofs` among its parameters, where it means nothing",
  ({ type, declaration }) => {
    const operation = operations.find(({ name }) => name.endsWith(`(${type})`));
    if (!operation) throw new Error(`${type} is no operation`);
    const { generateAppProofs: _, ...body } = bodyOf(operation);
    const parse = (more: object) => {
      // The parameters of a submission are an object.
      const parameters = { ...(body.parameters as Json), ...more };
      return parseSubmission(declaration, JSON.stringify({ ...body, parameters }));
    };
    const { intent } = parse({});
    for (const generateAppProofs of [true, false, null]) {
      const parsed = parse({ generateAppProofs });
      expect(parsed.intent).toEqual(intent);
      expect(parsed.envelope.generateAppProofs).toBe(false);
    }
    for (const more of [{ generateAppProofs: "yes" }, { generateProofs: true }]) {
      const [name] = Object.keys(more);
      expect(() => parse(more)).toThrow(`unknown field \`${name}\` in \`parameters\``);
    }
  },
);

/** A vote shows the activity that it is about, with the statement that its own request asked for. */
const votes = new Set(activities.filter(({ vote }) => vote).map(({ name }) => `submit/${name}`));

/** It may delete the key that stamps. */
const isDeletion = ({ path }: Operation) => path.startsWith("submit/delete_");

test("`appProofs` is empty unless a submission asks, whatever the submission", async () => {
  const asked = new Set<string>();
  const notAsked = new Set<string>();
  for (const operation of operations) {
    if (!operation.path.startsWith("submit/") || votes.has(operation.path)) continue;
    for (const generateAppProofs of [false, true]) {
      if (isDeletion(operation)) world = await newWorld();
      const { answer } = await post(operation.path, { ...bodyOf(operation), generateAppProofs });
      // Absent if the request was refused.
      const activity = answer.activity as { appProofs: unknown } | undefined;
      if (!activity) {
        expect(detailsOf(answer).map(({ field }) => field)).not.toContain("generateAppProofs");
        continue;
      }
      expect(activity.appProofs, operation.name).toHaveLength(generateAppProofs ? 1 : 0);
      (generateAppProofs ? asked : notAsked).add(operation.path);
    }
  }
  world = await newWorld();
  expect(asked.size, [...asked].join()).toBeGreaterThan(20);
  expect(notAsked.size, [...notAsked].join()).toBeGreaterThan(20);
}, 60_000);

test("every user in every answer has `mfaPolicies`, which is empty", async () => {
  let users = 0;
  const check = (value: unknown, name: string) => {
    if (typeof value !== "object" || value === null) return;
    if (
      "userName" in value &&
      "apiKeys" in value &&
      "oauthProviders" in value &&
      "createdAt" in value
    ) {
      users += 1;
      expect(value, name).toMatchObject({ mfaPolicies: [] });
    }
    for (const inner of Object.values(value)) check(inner, name);
  };
  for (const operation of operations) {
    if (isDeletion(operation)) continue;
    check((await post(operation.path, bodyOf(operation))).answer, operation.name);
  }
  expect(users).toBeGreaterThan(20);
});

describe("what this version does not offer is refused clearly:", () => {
  test.each([
    "submit/create_session_profile",
    "query/get_session_profile",
    "query/get_session_profiles",
    "submit/create_mfa_policy",
    "submit/update_mfa_policy",
    "submit/delete_mfa_policy",
    "query/get_mfa_policies",
    "query/get_mfa_policy",
    "query/get_mfa_status",
    "submit/set_ip_allowlist",
    "submit/remove_ip_allowlist",
    "query/get_ip_allowlist",
  ])("%s is no endpoint", async (path) => {
    const { organizationId } = world.organization;
    const { status, answer } = await post(path, { organizationId });
    expect(status).toBe(404);
    expect(answer).toMatchObject({ code: 5, details: [{ code: "ROUTE_NOT_FOUND" }] });
    expect(answer.message).toContain(`\`/public/v1/${path}\``);
  });

  test.each(["wallet_kit_config", "otp_init", "otp_verify", "signup", "account"])(
    "the auth proxy's %s is no endpoint",
    async (name) => {
      expect((await post(name, {}, "/v1/")).status).toBe(404);
    },
  );

  test("a feature that does not exist", async () => {
    const { status, answer } = await post("submit/set_organization_feature", {
      type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
      timestampMs: String(Date.now()),
      organizationId: world.organization.organizationId,
      parameters: { name: "FEATURE_NAME_SWAP_CONFIG", value: "" },
    });
    expect(status).toBe(400);
    expect(detailsOf(answer)[0]?.field).toBe("parameters.name");
  });

  const logins = operations.filter(({ path }) => path.endsWith("_login"));

  test.each(logins)("a session profile in $name", async (operation) => {
    const body = bodyOf(operation);
    // The parameters of a submission are an object.
    const parameters = { ...(body.parameters as Json), sessionProfileId: "profile" };
    const { status, answer } = await post(operation.path, { ...body, parameters });
    expect(status).toBe(400);
    expect(detailsOf(answer)).toContainEqual(
      expect.objectContaining({
        code: "FIELD_UNSUPPORTED",
        field: "parameters.sessionProfileId",
      }),
    );
  });
});
