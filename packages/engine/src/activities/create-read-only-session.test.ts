import { newOrganization, type TestClient } from "@keyhearth/api/testing";
import type { Activity } from "@keyhearth/sdk";
import { expect, test } from "vitest";
import { addUser, badRequest, bodyOf, post, refusal, submit } from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION";

test("says whose session it is and when it expires", async () => {
  const organization = await newOrganization();
  const { root, organizationId, userId } = organization;
  const { activity, ...result } = await root.createReadOnlySession();
  expect(result).toEqual({
    organizationId,
    organizationName: "Test organization",
    userId,
    username: "Root user",
    session: expect.stringMatching(/^[\w-]+\.[\w-]+$/),
    sessionExpiry: expect.stringMatching(/^\d{10}$/),
  });
  expect(activity.result).toEqual({ createReadOnlySessionResult: result });
  expect(activity.intent).toEqual({ createReadOnlySessionIntent: {} });
  expect(Math.abs(Number(result.sessionExpiry) - Date.now() / 1000 - 3600)).toBeLessThan(5);
});

test("every user may read, so no policy is asked", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  await organization.root.createPolicy({
    policyName: "nothing",
    effect: "EFFECT_DENY",
    condition: "true",
    notes: "",
  });
  expect(await grace.client.createReadOnlySession()).toMatchObject({ userId: grace.userId });
});

test("only the user who asked for the token is shown it, whoever sends the same bytes", async () => {
  const organization = await newOrganization();
  const { root, organizationId } = organization;
  const ada = await addUser(organization, "Ada");
  const body = bodyOf(organizationId, { type, parameters: {} });
  const tokenOf = ({ result }: Activity) => result.createReadOnlySessionResult?.session;
  const ask = (client: TestClient) => post(client, "create_read_only_session", body);
  const activity = await ask(root);
  const token = tokenOf(activity);
  expect(token).toMatch(/^[\w-]+\.[\w-]+$/);

  const own = await root.getActivity({ activityId: activity.id });
  expect(tokenOf(own.activity)).toBe(token);
  expect(tokenOf(await ask(root))).toBe(token);

  const others = await ada.client.getActivity({ activityId: activity.id });
  expect(tokenOf(others.activity)).toBe("");
  const { activities } = await ada.client.listActivities();
  expect(activities.map(tokenOf)).not.toContain(token);
  // As a request of hers, the same bytes would be for a token of her own.
  expect(await refusal(ask(ada.client))).toMatchObject({
    httpStatus: 403,
    code: "REQUEST_NOT_AUTHORIZED",
    field: "timestampMs",
    message: expect.stringContaining("use approve_activity"),
  });
});

test("refuses parameters", async () => {
  const organization = await newOrganization();
  const parameters = { userId: organization.userId };
  expect(
    await refusal(submit(organization.root, "create_read_only_session", { type, parameters })),
  ).toEqual(badRequest("FIELD_UNKNOWN", "parameters.userId", expect.any(String)));
});

test("a request that was stamped before the sessions were ended gets none", async () => {
  const { root, userId } = await newOrganization();
  await root.logOutEverywhere({ userId });
  const early = { type, parameters: {}, timestampMs: Date.now() - 60_000 };
  expect(await refusal(submit(root, "create_read_only_session", early))).toMatchObject({
    httpStatus: 400,
    code: "TIMESTAMP_OUT_OF_RANGE",
  });
});
