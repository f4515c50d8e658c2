import { badRequest, refusal } from "@keyhearth/engine/organization.testing";
import { tokenOf } from "@keyhearth/engine/verification-tokens.testing";
import { beforeAll, expect, test } from "vitest";
import type { TestOrganization } from "../testing.ts";
import {
  badPages,
  expectBadParameters,
  expectOnlyFamilyReads,
  newChild,
  newFamily,
  unknownId,
} from "./queries.testing.ts";

let parent: TestOrganization;

beforeAll(async () => {
  parent = (await newFamily()).parent;
});

test("a contact that nobody has proven is not verified", async () => {
  for (const filter of [
    {},
    { filterType: "EMAIL", filterValue: "ada@example.com" },
    { filterType: "PHONE_NUMBER", filterValue: "+14155550100" },
  ]) {
    expect(await parent.root.listVerifiedSuborgs(filter)).toEqual({ organizationIds: [] });
  }
  const filter = { filterType: "EMAIL", filterValue: "ada@example.com" };
  expect((await parent.root.listSuborgs(filter)).organizationIds).toHaveLength(1);
});

test("a proven contact is found, in any case of ASCII letters and page by page", async () => {
  const family = await newFamily();
  const { organizationId } = family.parent;
  const children = [family.child, await newChild(family.parent), await newChild(family.parent)];
  const contact = "grace\u212a@example.com";
  for (const { server, root, rootKey, userId } of children) {
    const claims = { contact, organization_id: organizationId, public_key: rootKey.publicKey };
    const verificationToken = tokenOf(server, claims);
    await root.updateUserEmail({ userId, userEmail: contact, verificationToken });
  }
  await newChild(family.parent);
  const ids = children.map((child) => child.organizationId).sort();
  const found = async (filter: object) =>
    (await family.parent.root.listVerifiedSuborgs(filter)).organizationIds;
  const sought = { filterType: "EMAIL", filterValue: "GRACE\u212a@example.com" };
  expect(await found(sought)).toEqual(ids);
  expect(await found({})).toEqual(ids);
  // A letter that only looks like one of them is of another address.
  expect(await found({ ...sought, filterValue: "gracek@example.com" })).toEqual([]);
  expect(await found({ filterType: "PHONE_NUMBER", filterValue: contact })).toEqual([]);
  const [first = "", second = "", last = ""] = ids;
  for (const filter of [sought, {}]) {
    const page = (paginationOptions: object) => found({ ...filter, paginationOptions });
    expect(await page({ limit: "2" })).toEqual([first, second]);
    expect(await page({ limit: "2", after: second })).toEqual([last]);
    expect(await page({ limit: "1", before: last })).toEqual([second]);
  }
});

test("bad parameters are refused by field", async () => {
  const accepted = "EMAIL, PHONE_NUMBER, OIDC_TOKEN";
  await expectBadParameters(parent, "list_verified_suborgs", [
    ...badPages,
    [
      { filterType: "NAME", filterValue: "x" },
      "filterType",
      `\`filterType\` is \`NAME\`; it accepts ${accepted}`,
    ],
    [{ filterValue: "x" }, "filterType", `\`filterType\` is \`\`; it accepts ${accepted}`],
    [{ filterType: "EMAIL" }, "filterValue", "`filterValue` must be given with `filterType`"],
  ]);
  const field = "paginationOptions.after";
  const asked = parent.root.listVerifiedSuborgs({ paginationOptions: { after: unknownId } });
  expect(await refusal(asked)).toEqual(
    badRequest("FIELD_INVALID", field, expect.stringContaining("must be the id of an object")),
  );
});

test("the organization and its parent may list them, nobody else", async () => {
  await expectOnlyFamilyReads("list_verified_suborgs");
});
