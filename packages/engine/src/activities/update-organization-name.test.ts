import { newChild } from "@keyhearth/api/queries/queries.testing";
import { newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { addUser, badRequest, expectDenied, refusal, submit } from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME";
const endpoint = "update_organization_name";

test("the organization has the new name, and is found by it", async () => {
  const parent = await newOrganization();
  const child = await newChild(parent, { name: "before" });
  const { organizationId, root } = child;
  const renamed = await root.updateOrganizationName({ organizationName: "after" });
  expect(renamed).toMatchObject({ organizationId, organizationName: "after" });
  expect(renamed.activity.result).toEqual({
    updateOrganizationNameResult: { organizationId, organizationName: "after" },
  });
  expect(await root.whoami()).toMatchObject({ organizationName: "after" });
  const found = async (filterValue: string) =>
    (await parent.root.listSuborgs({ filterType: "NAME", filterValue })).organizationIds;
  expect(await found("after")).toEqual([organizationId]);
  expect(await found("before")).toEqual([]);
});

test("no policy can grant it", async () => {
  const organization = await newOrganization();
  const user = await addUser(organization);
  await organization.root.createPolicy({
    policyName: "everything",
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(user, user.id == '${user.userId}')`,
    condition: "true",
  });
  await expectDenied(user.client.updateOrganizationName({ organizationName: "mine" }));
});

test("refuses a name that is missing, empty, too long or of several lines", async () => {
  const { root } = await newOrganization();
  for (const organizationName of [undefined, "", "  ", "a".repeat(256), "a\nb", 5]) {
    const asked = submit(root, endpoint, { type, parameters: { organizationName } });
    expect(await refusal(asked)).toEqual(
      badRequest("FIELD_INVALID", "parameters.organizationName", expect.any(String)),
    );
  }
});
