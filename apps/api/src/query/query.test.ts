import { randomUUID } from "node:crypto";
import { badRequest, refusal } from "@keyhearth/engine/organization.testing";
import { ApiKeyStamper } from "@keyhearth/sdk";
import { beforeEach, expect, test } from "vitest";
import { ownServer } from "../own-server.testing.ts";
import { queries } from "../queries/index.ts";
import { ask, newChild, newFamily } from "../queries/queries.testing.ts";
import { clientOf, newKey, newOrganization, type TestOrganization } from "../testing.ts";

let organization: TestOrganization;

beforeEach(async () => {
  organization = await newOrganization();
});

type Stamp = { publicKey: string; scheme: string; signature: string };

/** Calls whoami with a stamp that was made for `stamped` and then changed. */
async function whoamiWith({
  stamped,
  change = (stamp) => stamp,
}: {
  stamped?: string;
  change?: (stamp: Stamp) => Stamp;
}) {
  const { server, organizationId, rootKey } = organization;
  const body = JSON.stringify({ organizationId });
  const { publicKey: apiPublicKey, privateKey: apiPrivateKey } = rootKey;
  const { value } = await new ApiKeyStamper({ apiPublicKey, apiPrivateKey }).stamp(stamped ?? body);
  const changed = change(JSON.parse(Buffer.from(value, "base64url").toString()));
  const response = await server.fetch("http://keyhearth.test/public/v1/query/whoami", {
    method: "POST",
    body,
    headers: { "X-Stamp": Buffer.from(JSON.stringify(changed)).toString("base64url") },
  });
  const { message, details } = await response.json();
  return { status: response.status, reason: details?.[0]?.code, message };
}

test("every query answers not found for an organization that does not exist", async () => {
  const { root } = organization;
  const organizationId = randomUUID();
  for (const { name, example } of queries) {
    expect(await refusal(ask(root, name, organizationId, { ...example, organizationId }))).toEqual({
      httpStatus: 404,
      grpcCode: 5,
      code: "ORGANIZATION_NOT_FOUND",
      field: "organizationId",
      message: `no organization found with the given ID: \`${organizationId}\``,
    });
  }
});

test("unknown members are ignored, and null means unset", async () => {
  const { root, organizationId, userId } = organization;
  const own = await ask(root, "get_api_keys", organizationId);
  const parameters = { userId: null, generateAppProofs: true, more: { deep: [1] } };
  expect(await ask(root, "get_api_keys", organizationId, parameters)).toEqual(own);
  const paginationOptions = { limit: null, before: null, after: null };
  const activities = await ask(root, "list_activities", organizationId);
  expect(await ask(root, "list_activities", organizationId, { paginationOptions })).toEqual(
    activities,
  );
  expect(await refusal(ask(root, "get_user", organizationId, { userID: userId }))).toEqual(
    badRequest(
      "FIELD_INVALID",
      "userId",
      "invalid request body: missing field `userId`; expected a string; did you send it as `userID`?",
    ),
  );
});

test("a stamp is valid only for the exact bytes, the key and the scheme that it names", async () => {
  const { organizationId, rootKey } = organization;
  expect(await whoamiWith({})).toMatchObject({ status: 200 });
  const invalid = {
    status: 401,
    reason: "STAMP_INVALID",
    message: `could not verify api key signature organizationId=${organizationId} publicKey=${rootKey.publicKey}: the body may have been changed or serialized again after it was stamped; send exactly the bytes that were stamped`,
  };
  expect(await whoamiWith({ stamped: `${JSON.stringify({ organizationId })} ` })).toEqual(invalid);
  const flipped = (stamp: Stamp) => {
    const end = stamp.signature.endsWith("0") ? "1" : "0";
    return { ...stamp, signature: stamp.signature.slice(0, -1) + end };
  };
  expect(await whoamiWith({ change: flipped })).toEqual(invalid);
  const scheme = "SIGNATURE_SCHEME_TK_API_SECP256K1";
  expect(await whoamiWith({ change: (stamp) => ({ ...stamp, scheme }) })).toEqual(invalid);
  // A key that nobody has registered gets the same answer: its name is all that was sent of it.
  const { publicKey } = newKey();
  expect(await whoamiWith({ change: (stamp) => ({ ...stamp, publicKey }) })).toEqual({
    ...invalid,
    message: invalid.message.replace(rootKey.publicKey, publicKey),
  });
});

test("an expired key is refused with the text that clients know", async () => {
  const { server, root, organizationId, userId } = await newOrganization(await ownServer());
  const session = newKey();
  const curveType = "API_KEY_CURVE_P256" as const;
  await root.createApiKeys({
    userId,
    apiKeys: [
      { apiKeyName: "session", publicKey: session.publicKey, curveType, expirationSeconds: "60" },
    ],
  });
  const client = clientOf(server, organizationId, session);
  expect(await client.whoami()).toMatchObject({ userId });
  server.clock.offsetMs += 60_000;
  expect(await refusal(client.whoami())).toEqual({
    httpStatus: 401,
    grpcCode: 16,
    code: "CREDENTIAL_EXPIRED",
    field: undefined,
    message: `could not authenticate: rpc error: code = Unauthenticated desc = expired api key publicKey=${session.publicKey}`,
  });
});

test("only whoami finds a sub-organization by its parent's id", async () => {
  const { parent, child } = await newFamily();
  for (const { name, example } of queries.filter((each) => each.name !== "whoami")) {
    const parameters = { ...example, organizationId: parent.organizationId };
    const asked = ask(child.root, name, parent.organizationId, parameters);
    expect(await refusal(asked)).toMatchObject({ httpStatus: 401, code: "CREDENTIAL_NOT_FOUND" });
  }
});

test("a user of a sub-organization cannot read the other sub-organizations", async () => {
  const { parent, child } = await newFamily();
  const { organizationId } = await newChild(parent, { name: "sibling" });
  for (const { name, example } of queries) {
    const asked = ask(child.root, name, organizationId, { ...example, organizationId });
    expect(await refusal(asked)).toMatchObject({ httpStatus: 401, code: "CREDENTIAL_NOT_FOUND" });
  }
});

test("a user who was removed from the parent can no longer read the sub-organizations", async () => {
  const { parent, child } = await newFamily();
  const { server, root, organizationId, userId } = parent;
  const added = newKey();
  const { apiKeyIds } = await root.createApiKeys({
    userId,
    apiKeys: [{ apiKeyName: "phone", publicKey: added.publicKey, curveType: "API_KEY_CURVE_P256" }],
  });
  const client = clientOf(server, organizationId, added);
  const read = () => client.listUsers({}, { organizationId: child.organizationId });
  expect((await read()).users).toHaveLength(1);
  await root.deleteApiKeys({ userId, apiKeyIds });
  expect(await refusal(read())).toMatchObject({ httpStatus: 401, code: "CREDENTIAL_NOT_FOUND" });
});
