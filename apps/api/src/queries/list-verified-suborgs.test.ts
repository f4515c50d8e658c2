import { badRequest, refusal } from "@keyhearth/engine/organization.testing";
import { beforeAll, expect, test } from "vitest";
import type { TestOrganization } from "../testing.ts";
import {
  badPages,
  expectBadParameters,
  expectOnlyFamilyReads,
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
