import type { ReceiptsReport } from "@keyhearth/sdk/crypto";
import { expect, test } from "vitest";
import { statementAbout } from "./statement.ts";

const shown = { organizationId: "o1", activityId: "a1", fingerprint: "sha256:11" };
const stated = (facts: object) =>
  ({
    ...shown,
    status: "ACTIVITY_STATUS_COMPLETED",
    ...facts,
  }) as ReceiptsReport["statements"][number];

test("a receipt counts for the request that is shown, and for no other one with its id", () => {
  const statements = [stated({ activityVersion: 1 }), stated({ activityVersion: 2 })];
  expect(statementAbout({ statements }, shown)).toBe(statements[1]);
  expect(statementAbout({ statements: [stated({ activityId: "a2" })] }, shown)).toBeUndefined();
  for (const facts of [{ fingerprint: "sha256:22" }, { organizationId: "o2" }]) {
    expect(statementAbout({ statements: [stated(facts)] }, shown)).toBe("other");
  }
});
