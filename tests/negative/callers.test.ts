import { newKey, type TestClient } from "@keyhearth/api/testing";
import { activities } from "@keyhearth/engine/activities/index";
import {
  addUser,
  expectStrangersRefused,
  refusal,
  type TestUser,
} from "@keyhearth/engine/organization.testing";
import { endpoint } from "@keyhearth/engine/webhooks.testing";
import { serializeTransaction } from "viem";
import { beforeAll, expect, test } from "vitest";
import { exampleOf } from "./example.ts";
import { type Operation, operations } from "./operations.ts";
import { newWorld, type World } from "./world.ts";
import { written } from "./written.ts";

// Requests of every kind from callers without the right: a key of another organization, an unknown key, and for
// activities a user outside the root quorum whom no policy allows it. Each is refused and changes nothing.

let world: World;
let foreign: World;
/** No root user. */
let grace: TestUser;
/** What a request needs instead of its example, so that only its sender is wrong. */
let needed: Record<string, object>;

beforeAll(async () => {
  world = await newWorld();
  foreign = await newWorld();
  const { organization } = world;
  const { root } = organization;
  grace = await addUser(organization);
  const ada = await addUser(organization, "Ada");
  const { policies } = await root.listPolicies();
  for (const { policyId } of policies) {
    await root.updatePolicy({ policyId, policyCondition: "false" });
  }
  for (const name of ["FEATURE_NAME_OTP_EMAIL_AUTH", "FEATURE_NAME_SMS_AUTH"] as const) {
    await root.setOrganizationFeature({ name });
  }
  const { endpointId } = await root.createWebhookEndpoint(endpoint);
  const apiKey = { apiKeyName: "k", publicKey: newKey().publicKey };
  const apiOnlyUser = { userName: "bot", userTags: [], apiKeys: [apiKey] };
  needed = {
    create_api_only_users: { apiOnlyUsers: [apiOnlyUser] },
    create_smart_contract_interface: { smartContractAddress: `0x${"11".repeat(20)}` },
    create_webhook_endpoint: { subscriptions: [] },
    delete_users: { userIds: [ada.userId] },
    delete_webhook_endpoint: { endpointId },
    init_import_private_key: { userId: grace.userId },
    init_import_wallet: { userId: grace.userId },
    init_otp: { contact: "+14155550100" },
    set_organization_feature: { name: "FEATURE_NAME_SMS_AUTH", value: "" },
    sign_raw_payload: { payload: "00".repeat(32) },
    sign_raw_payloads: { payloads: ["00".repeat(32)] },
    sign_transaction: {
      unsignedTransaction: serializeTransaction({ chainId: 1, type: "eip1559" }),
    },
    update_private_key_tag: { removePrivateKeyIds: [] },
    update_user_tag: { removeUserIds: [] },
    update_webhook_endpoint: { endpointId },
  };
});

/** Requests that a credential without a user stamps. */
const forNewcomers = new Map([
  ["accept_invitation", "stamped with the passkey that it registers"],
  ["create_organization", "stamped with the key that it registers"],
]);

/** Activities that no example can have denied. The tests of their own do, where there is something to deny. */
const notDenied = new Map([
  ["approve_activity", "a vote, which every user has"],
  ["reject_activity", "a vote, which every user has"],
  ["create_read_only_session", "every user may start one"],
  ["stamp_login", "every user may log in"],
  ["delete_oauth_providers", "needs a social login"],
  ["delete_sub_organization", "needs a sub-organization"],
  ["oauth", "needs a sub-organization"],
  ["oauth_login", "needs a sub-organization"],
  ["email_auth", "needs a user with an address"],
  ["init_otp_auth", "needs a user with an address"],
  ["init_user_email_recovery", "needs a user with an address"],
  ["recover_user", "needs a recovery that has started"],
  ["otp_auth", "needs a code that was sent"],
  ["verify_otp", "needs a code that was sent"],
  ["otp_login", "needs a verification token"],
  ["update_user_email", "needs a verification token"],
  ["update_user_phone_number", "needs a verification token"],
  ["import_private_key", "needs a key bundle of the user's own"],
  ["import_wallet", "needs a key bundle of the user's own"],
]);

const nameOf = ({ path }: Operation) => path.replace(/^.*\//, "");

function bodyOf(operation: Operation): string {
  // The schema of an operation is an object.
  const body = exampleOf(operation.schema, "", world) as Record<string, unknown>;
  if (!("timestampMs" in body)) return JSON.stringify(body);
  // The parameters of a submission are an object.
  const parameters = { ...(body.parameters as object), ...needed[nameOf(operation)] };
  return JSON.stringify({ ...body, timestampMs: String(Date.now()), parameters });
}

function send(client: TestClient, operation: Operation) {
  return client.request(`/public/v1/${operation.path}`, bodyOf(operation));
}

test.each(operations.filter((operation) => !forNewcomers.has(nameOf(operation))))(
  "$name refuses strangers",
  async (operation) => {
    const before = await written([world, foreign]);
    const { organization } = world;
    await expectStrangersRefused(
      organization,
      (client) => send(client, operation),
      foreign.organization,
    );
    expect(await written([world, foreign])).toEqual(before);
  },
);

const names = [...new Set(activities.map(({ name }) => name))].filter(
  (name) => !forNewcomers.has(name) && !notDenied.has(name),
);

test.each(names)("submit/%s is denied without a policy", async (name) => {
  const before = await written([world, foreign]);
  const codes: string[] = [];
  for (const operation of operations.filter(({ path }) => path === `submit/${name}`)) {
    const { code, httpStatus, message } = await refusal(send(grace.client, operation));
    codes.push(code);
    if (code !== "POLICY_DENIED") continue;
    expect(httpStatus).toBe(403);
    expect(message).toMatch(/^You don't have sufficient permissions to take this action\./);
  }
  // Some versions need what this organization does not have, such as the token of an issuer.
  expect(codes).toContain("POLICY_DENIED");
  expect(await written([world, foreign])).toEqual(before);
});

test("the activities that are left out exist", () => {
  const left = [...forNewcomers.keys(), ...notDenied.keys()];
  const all = new Set(activities.map(({ name }) => name));
  expect(left.filter((name) => !all.has(name))).toEqual([]);
});
