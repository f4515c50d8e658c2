import {
  badRequest,
  newQuorum,
  refusal,
  startWaiting,
} from "@keyhearth/engine/organization.testing";
import { beforeAll, expect, test } from "vitest";
import { listActivities as findActivities } from "../store/activities.ts";
import { newOrganization, type TestOrganization } from "../testing.ts";
import {
  badPages,
  expectBadParameters,
  expectOnlyFamilyReads,
  readPages,
  unknownId,
} from "./queries.testing.ts";

const tagged = "ACTIVITY_TYPE_CREATE_USER_TAG" as const;
const founded = "ACTIVITY_TYPE_CREATE_ORGANIZATION" as const;

/** An organization with 23 tags, and the ids of the activities that created them, newest first. */
let organization: TestOrganization;
let ids: string[];

beforeAll(async () => {
  organization = await newOrganization();
  ids = [];
  for (let i = 0; i < 23; i++) {
    const userTagName = `tag ${i}`;
    const { activity } = await organization.root.createUserTag({ userTagName, userIds: [] });
    ids.unshift(activity.id);
  }
});

async function listIds(
  { root }: TestOrganization,
  parameters: Parameters<typeof root.listActivities>[0],
): Promise<string[]> {
  const { activities } = await root.listActivities(parameters);
  return activities.map(({ id }) => id);
}

test("activities are listed in full, newest first, ten by default", async () => {
  const { root } = organization;
  const { activities } = await root.listActivities();
  expect(activities.map(({ id }) => id)).toEqual(ids.slice(0, 10));
  const [newest] = activities;
  expect({ activity: newest }).toEqual(await root.getActivity({ activityId: newest?.id ?? "" }));
  const all = await listIds(organization, { paginationOptions: { limit: "100" } });
  expect(all.slice(0, -1)).toEqual(ids);
});

test("the founding is the oldest activity", async () => {
  const { root } = organization;
  const { activities } = await root.listActivities({ filterByType: [founded] });
  expect(activities).toEqual([
    expect.objectContaining({ type: founded, status: "ACTIVITY_STATUS_COMPLETED" }),
  ]);
  expect(await listIds(organization, { paginationOptions: { before: ids.at(-1) ?? "" } })).toEqual(
    activities.map(({ id }) => id),
  );
});

test("`before` leads through all pages to the oldest", async () => {
  const pages = await readPages("before", 5, (paginationOptions) =>
    listIds(organization, { filterByType: [tagged], paginationOptions }),
  );
  expect(pages.map((page) => page.length)).toEqual([5, 5, 5, 5, 3]);
  expect(pages.flat()).toEqual(ids);
});

test("`after` leads through all pages back to the newest", async () => {
  const pages: string[][] = [];
  let after = ids.at(-1) ?? "";
  for (;;) {
    const page = await listIds(organization, { paginationOptions: { limit: "5", after } });
    if (page.length === 0) break;
    pages.unshift(page);
    after = page[0] ?? "";
  }
  expect(pages.map((page) => page.length)).toEqual([2, 5, 5, 5, 5]);
  expect([...pages.flat(), ids.at(-1)]).toEqual(ids);
});

test("`before` and `after` together select a range; empty texts mean unset", async () => {
  const stretch = { before: ids[2] ?? "", after: ids[7] ?? "", limit: "100" };
  expect(await listIds(organization, { paginationOptions: stretch })).toEqual(ids.slice(3, 7));
  const unset = { before: "", after: "", limit: "" };
  expect(await listIds(organization, { paginationOptions: unset })).toEqual(ids.slice(0, 10));
});

test("a cursor that names no activity of the organization is refused", async () => {
  const [foreign] = (await (await newOrganization()).root.listActivities()).activities;
  for (const name of ["before", "after"] as const) {
    for (const id of [unknownId, foreign?.id ?? ""]) {
      const field = `paginationOptions.${name}`;
      const message = `\`${field}\` must be the id of an object in the list: this organization has no activity \`${id}\``;
      expect(await refusal(listIds(organization, { paginationOptions: { [name]: id } }))).toEqual(
        badRequest("FIELD_INVALID", field, message),
      );
    }
  }
});

test("filters by status and by type can be combined; empty ones mean all", async () => {
  const quorum = await newQuorum();
  const { id: waiting } = await startWaiting(quorum.root, "create_user_tag", {
    type: tagged,
    parameters: { userTagName: "waiting", userIds: [] },
  });
  const rejected = await startWaiting(quorum.root, "create_user_tag", {
    type: tagged,
    parameters: { userTagName: "rejected", userIds: [] },
  });
  await quorum.second.client.rejectActivity({ fingerprint: rejected.fingerprint });
  await quorum.third.client.rejectActivity({ fingerprint: rejected.fingerprint });
  const needed = "ACTIVITY_STATUS_CONSENSUS_NEEDED" as const;
  const completed = "ACTIVITY_STATUS_COMPLETED" as const;
  const refused = "ACTIVITY_STATUS_REJECTED" as const;

  expect(await listIds(quorum, { filterByStatus: [needed] })).toEqual([waiting]);
  expect(await listIds(quorum, { filterByStatus: [refused] })).toEqual([rejected.id]);
  expect(await listIds(quorum, { filterByStatus: [needed, refused] })).toEqual([
    rejected.id,
    waiting,
  ]);
  expect(await listIds(quorum, { filterByType: [tagged], filterByStatus: [completed] })).toEqual(
    [],
  );
  expect(await listIds(quorum, { filterByType: [tagged, founded] })).toHaveLength(3);
  const all = await listIds(quorum, {});
  expect(await listIds(quorum, { filterByType: [], filterByStatus: [] })).toEqual(all);
});

test("bad parameters are refused by field", async () => {
  await expectBadParameters(organization, "list_activities", [
    ...badPages,
    [
      { filterByStatus: ["COMPLETED"] },
      "filterByStatus[0]",
      expect.stringMatching(
        /^invalid activity status: `filterByStatus\[0\]` is `COMPLETED`; accepted: ACTIVITY_STATUS_CREATED, /,
      ),
    ],
    [
      { filterByType: [tagged, "x"] },
      "filterByType[1]",
      expect.stringMatching(/^invalid activity type: `filterByType\[1\]` is `x`; accepted: /),
    ],
    [{ filterByType: tagged }, "filterByType", expect.stringContaining("`filterByType` is")],
  ]);
});

test("hundreds of wrong types are refused in a few kilobytes", async () => {
  const { server, organizationId } = organization;
  const filterByType = Array.from({ length: 500 }, () => 1);
  const response = await server.fetch("http://keyhearth.test/public/v1/query/list_activities", {
    method: "POST",
    body: JSON.stringify({ organizationId, filterByType }),
  });
  expect(response.status).toBe(400);
  const text = await response.text();
  expect(text).toContain("`filterByType[0]` is `1`");
  expect(text.length).toBeLessThan(30_000);
});

test("the organization and its parent may list them, nobody else", async () => {
  await expectOnlyFamilyReads("list_activities");
});

test("a filter has no more entries than there could be types", async () => {
  const filterByType = Array.from({ length: 501 }, () => tagged);
  await expect(organization.root.listActivities({ filterByType })).rejects.toMatchObject(
    badRequest(
      "FIELD_INVALID",
      "filterByType",
      expect.stringContaining("must have at most 500 entries: `filterByType` is a list of 501"),
    ),
  );
  expect(await listIds(organization, { filterByType: filterByType.slice(1) })).toHaveLength(10);
});

test("many waiting activities are read in windows where a list leaves some of them out", async () => {
  const { root, server, organizationId } = await newOrganization();
  const { activity } = await root.createUserTag({ userTagName: "first", userIds: [] });
  // As those of users who were deleted, which wait for good.
  await server.store.run(
    "",
    `INSERT INTO activities (organization_id, activity_id, fingerprint, version, type, status, record)
     SELECT organization_id, overlay(activity_id::text placing lpad(to_hex(n), 12, '0') from 25)::uuid,
       fingerprint || n, 1, type, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', record
     FROM activities, generate_series(1, 2500) AS n WHERE activity_id = $1::uuid`,
    [activity.id],
  );
  let windows = 0;
  const page = await findActivities(server.store.db, organizationId, {
    statuses: ["ACTIVITY_STATUS_CONSENSUS_NEEDED"],
    types: ["ACTIVITY_TYPE_CREATE_WALLET"],
    limit: 10,
    maxBytes: 1_000_000,
    maxRecordBytes: 1_000_000,
    goOn() {
      windows += 1;
    },
  });
  expect(page.activities).toEqual([]);
  expect(windows).toBe(2);
});
