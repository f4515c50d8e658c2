import { clientOf, newKey, newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  expectDenied,
  impatient,
  post,
  refusal,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE";
const unknownId = "00000000-0000-4000-8000-000000000000";
const gone = { httpStatus: 401, code: "CREDENTIAL_NOT_FOUND" };

async function logIn({ server, organizationId }: TestOrganization, by: TestOrganization["root"]) {
  const key = newKey();
  await by.stampLogin({ publicKey: key.publicKey });
  return clientOf(server, organizationId, key);
}

test("ends everything of the user that expires, and nothing else", async () => {
  const organization = await newOrganization();
  const { server, organizationId } = organization;
  const grace = await addUser(organization);
  const hers = await logIn(organization, grace.client);
  const mine = await logIn(organization, organization.root);
  const expiring = newKey();
  await grace.client.createApiKeys({
    userId: grace.userId,
    apiKeys: [
      {
        apiKeyName: "phone",
        publicKey: expiring.publicKey,
        curveType: "API_KEY_CURVE_P256",
        expirationSeconds: "3600",
      },
    ],
  });
  // A session may end itself with the others.
  const { userId, activity } = await hers.logOutEverywhere({ userId: grace.userId });
  expect(userId).toBe(grace.userId);
  expect(activity.result).toEqual({ logOutEverywhereResult: { userId } });
  for (const client of [hers, clientOf(server, organizationId, expiring)]) {
    expect(await refusal(client.whoami())).toMatchObject(gone);
  }
  expect(await mine.whoami()).toMatchObject({ userId: organization.userId });
  expect((await grace.client.getApiKeys({ userId })).apiKeys).toHaveLength(1);
  // The user may log in again at once.
  expect(await (await logIn(organization, grace.client)).whoami()).toMatchObject({ userId });
});

test("only the user may do it, or whom a policy allows to update users", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const grace = await addUser(organization);
  const session = await logIn(organization, root);
  await expectDenied(grace.client.logOutEverywhere({ userId }));
  expect(await session.whoami()).toMatchObject({ userId });
  await root.createPolicy({
    policyName: "log others out",
    effect: "EFFECT_ALLOW",
    condition: `activity.resource == 'USER' && activity.action == 'UPDATE' && activity.params.user_id == '${userId}'`,
    consensus: `approvers.any(user, user.id == '${grace.userId}')`,
    notes: "",
  });
  await grace.client.logOutEverywhere({ userId });
  expect(await refusal(session.whoami())).toMatchObject(gone);
});

test("a login that was stamped before is refused, and says why", async () => {
  const organization = await newOrganization();
  const { root, organizationId, userId } = organization;
  const parameters = { publicKey: newKey().publicKey };
  const stamped = { type: "ACTIVITY_TYPE_STAMP_LOGIN", parameters };
  const early = bodyOf(organizationId, { ...stamped, timestampMs: Date.now() - 60_000 });
  await root.logOutEverywhere({ userId });
  const message = expect.stringMatching(
    /^`timestampMs` is \d+ s before .*, when the user's sessions were ended: stamp the request again; if it is refused again, check this machine's clock$/,
  );
  expect(await refusal(post(root, "stamp_login", early))).toEqual(
    badRequest("TIMESTAMP_OUT_OF_RANGE", "timestampMs", message),
  );
  await post(root, "stamp_login", bodyOf(organizationId, stamped));
});

test("a clock that is ahead ends what it stamped just before", async () => {
  const { root, organizationId, userId } = await newOrganization();
  const ahead = Date.now() + 120_000;
  const parameters = { publicKey: newKey().publicKey };
  const login = { type: "ACTIVITY_TYPE_STAMP_LOGIN", parameters, timestampMs: ahead - 1000 };
  const logOut = bodyOf(organizationId, { type, parameters: { userId }, timestampMs: ahead });
  await post(root, "log_out_everywhere", logOut);
  expect(await refusal(post(root, "stamp_login", bodyOf(organizationId, login)))).toMatchObject({
    code: "TIMESTAMP_OUT_OF_RANGE",
    message: expect.stringContaining("stamp the request again after that time"),
  });
  const later = bodyOf(organizationId, { ...login, timestampMs: ahead + 1 });
  await post(root, "stamp_login", later);
});

test("a user who changed own credentials too often may still end them", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  const { userId, key } = grace;
  const client = impatient({ ...organization, rootKey: key });
  const thief = await logIn(organization, grace.client);
  const more = () =>
    client.createApiKeys({
      userId,
      apiKeys: [
        {
          apiKeyName: "k",
          publicKey: newKey().publicKey,
          curveType: "API_KEY_CURVE_P256",
          expirationSeconds: "1",
        },
      ],
    });
  for (let i = 0; i < 20; i++) await more();
  expect(await refusal(more())).toMatchObject({ httpStatus: 429, code: "LIMIT_EXCEEDED" });
  await client.logOutEverywhere({ userId });
  expect(await refusal(thief.whoami())).toMatchObject(gone);
});

test("refuses an unknown user and bad parameters", async () => {
  const { root, organizationId } = await newOrganization();
  expect(await refusal(root.logOutEverywhere({ userId: unknownId }))).toEqual({
    httpStatus: 404,
    grpcCode: 5,
    code: "NOT_FOUND",
    field: "parameters.userId",
    message: `user not found: unable to find user ${unknownId} in organization ${organizationId}`,
  });
  for (const parameters of [{}, { userId: "ada" }, { userId: 1 }]) {
    const refused = refusal(submit(root, "log_out_everywhere", { type, parameters }));
    expect(await refused).toMatchObject({ httpStatus: 400, field: "parameters.userId" });
  }
});
