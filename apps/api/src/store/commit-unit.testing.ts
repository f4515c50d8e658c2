import { randomUUID } from "node:crypto";
import type { CommitUnit } from "./commit-unit.ts";

/** A made-up unit that only adds an activity, by the first document of its organization. */
export function newUnit(
  change: Pick<CommitUnit, "organizationId"> & Partial<CommitUnit>,
): CommitUnit {
  const activityId = randomUUID();
  return {
    guard: { version: 1, digest: "digest 1" },
    activity: {
      activityId,
      fingerprint: `fingerprint ${activityId}`,
      version: 1,
      type: "TYPE",
      status: "ACTIVITY_STATUS_COMPLETED",
      record: new TextEncoder().encode(`activity ${activityId}`),
      statement: null,
      size: 1000,
    },
    leaf: { hash: "hash", tag: "tag" },
    document: null,
    organizations: [],
    isRoot: false,
    signup: null,
    records: [],
    lookups: [],
    removedLookups: [],
    removedRecords: [],
    messages: [],
    parentOrganizationId: null,
    atMs: 7,
    targets: { written: [], removed: [] },
    resent: null,
    ...change,
  };
}
