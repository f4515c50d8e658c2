import { expect, test } from "vitest";
import { newOrganizationDocument } from "../records/organization.ts";
import { checkLoginFeature } from "./login-features.ts";

const name = "FEATURE_NAME_EMAIL_AUTH";

function documentWith(organizationId: string, ...names: string[]) {
  return newOrganizationDocument({
    organizationId,
    organizationName: "Acme",
    createdAtMs: 0,
    users: [],
    rootQuorum: { threshold: 1, userIds: [] },
    features: names.map((each) => ({ name: each, value: null })),
  });
}

test("a sub-organization and its parent must both offer a login", () => {
  const [on, off] = [documentWith("on", name), documentWith("off", "FEATURE_NAME_SMS_AUTH")];
  expect(() => checkLoginFeature({ document: on, parent: on }, name)).not.toThrow();
  expect(() => checkLoginFeature({ document: off, parent: on }, name)).toThrow("organization off");
  expect(() => checkLoginFeature({ document: on, parent: off }, name)).toThrow("organization off");
});

test("a top-level organization needs the feature itself", () => {
  const [on, off] = [documentWith("on", name), documentWith("off")];
  expect(() => checkLoginFeature({ document: on, parent: null }, name)).not.toThrow();
  expect(() => checkLoginFeature({ document: off, parent: null }, name)).toThrow(name);
});
