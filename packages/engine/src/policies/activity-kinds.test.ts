import { activityKinds } from "@keyhearth/policy/activity-kinds";
import { compile, evaluateValue } from "@keyhearth/policy/evaluate";
import { kindOf } from "@keyhearth/policy/kind-of";
import { ACTIVITY_PARAMS } from "@keyhearth/policy/schema";
import { isFailure } from "@keyhearth/policy/values";
import { expect, test } from "vitest";
import { activities } from "../activities/index.ts";
import type { ActivityDeclaration } from "../declare/define.ts";
import { waysOfNaming } from "../people/named-users.ts";
import { newOrganizationDocument, type User } from "../records/organization.ts";
import { createOrganization } from "../records/organization-index.ts";
import { parseIntent } from "../submission/envelope.ts";
import { environmentOf } from "./environment.ts";

// Defaults depend on no other member.
const submitter = { userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e", userEmail: null } as User;
const document = newOrganizationDocument({
  organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
  organizationName: "Acme",
  createdAtMs: 0,
  users: [],
  rootQuorum: { threshold: 1, userIds: [] },
});
const organization = createOrganization(document, () => []);

// Policies are not asked about votes, about what only the root quorum may do or every user may do, or
// about the founding of an organization.
const decidable = activities.filter(
  ({ vote, rootQuorumOnly, sentBy = ["user"] }) =>
    !vote && rootQuorumOnly !== true && sentBy.includes("user"),
);

test.each(decidable)(
  "$name is in the list with every version, its resource and its action",
  ({ versions, policy: { resource, action } }) => {
    const types = Object.keys(versions);
    const listed = activityKinds.filter(({ type }) => types.includes(type));
    expect(listed.map(({ type }) => type)).toEqual(types);
    for (const each of listed) {
      expect(each).toMatchObject({ resource, action, newest: each.type === types.at(-1) });
    }
  },
);

test("no type is in the list twice, and no activity that policies are not asked about", () => {
  const types = activityKinds.map(({ type }) => type);
  expect(new Set(types).size).toBe(types.length);
  const others = activities.filter((each) => !decidable.includes(each));
  expect(others.flatMap(({ versions }) => Object.keys(versions))).not.toHaveLength(0);
  for (const { versions } of others) {
    for (const type of Object.keys(versions)) expect(types).not.toContain(type);
  }
});

test.each(decidable)("policies know exactly the parameters of $name", (declaration) => {
  const { versions, defaultType, namesUserBy } = declaration;
  const shown: readonly string[] = namesUserBy ? waysOfNaming[namesUserBy].shows : [];
  const known = Object.keys(paramsOf(declaration));
  const missing = snakeCased(versions[defaultType]?.intent.shape).filter((name) => {
    return !known.includes(name);
  });
  expect(missing, "run npm run generate").toEqual([]);
  const declared = Object.values(versions).flatMap(({ intent }) => snakeCased(intent.shape));
  expect(known.filter((name) => !declared.includes(name) && !shown.includes(name))).toEqual([]);
  expect(shown.filter((name) => !known.includes(name))).toEqual([]);
});

test.each(decidable)("policies can read every parameter that $name always has", (declaration) => {
  const { defaultType: type, example: parameters, namesUserBy } = declaration;
  const { roots: _, ...rootless } = declaration;
  const intent = parseIntent(declaration, { type, parameters });
  // The result of `read` is used only for roots, and the code of the example exists nowhere.
  const shown: readonly string[] = namesUserBy ? waysOfNaming[namesUserBy].shows : [];
  const reading = { value: undefined, named: Object.fromEntries(shown.map((name) => [name, ""])) };
  const environment = environmentOf({
    declaration: rootless,
    type,
    intent,
    reading,
    organization,
    decider: organization,
    submitter,
  });
  const unread = Object.entries(paramsOf(declaration)).flatMap(([name, { isOptional }]) => {
    const value = evaluateValue(compile("condition", `activity.params.${name}`), environment);
    return isFailure(value) && !isOptional ? [name] : [];
  });
  expect(unread).toEqual([]);
});

function paramsOf({ defaultType }: ActivityDeclaration) {
  return ACTIVITY_PARAMS[kindOf(defaultType)] ?? {};
}

function snakeCased(shape: object | undefined): string[] {
  return Object.keys(shape ?? {}).map((name) => {
    return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  });
}
