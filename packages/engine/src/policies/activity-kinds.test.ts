import { activityKinds } from "@keyhearth/policy/activity-kinds";
import { expect, test } from "vitest";
import { activities } from "../activities/index.ts";

// Votes are no matter of policies, and neither is what only the root quorum does.
const decidable = activities.filter(({ vote, rootQuorumOnly }) => !vote && !rootQuorumOnly);

test.each(decidable)(
  "$name stands in the list with every version, its resource and its action",
  ({ versions, policy: { resource, action } }) => {
    const types = Object.keys(versions);
    const listed = activityKinds.filter(({ type }) => types.includes(type));
    expect(listed.map(({ type }) => type)).toEqual(types);
    for (const each of listed) {
      expect(each).toMatchObject({ resource, action, newest: each.type === types.at(-1) });
    }
  },
);

test("no type stands twice, and no activity that policies are not asked about", () => {
  const types = activityKinds.map(({ type }) => type);
  expect(new Set(types).size).toBe(types.length);
  const others = activities.filter((each) => !decidable.includes(each));
  expect(others.flatMap(({ versions }) => Object.keys(versions))).not.toHaveLength(0);
  for (const { versions } of others) {
    for (const type of Object.keys(versions)) expect(types).not.toContain(type);
  }
});
