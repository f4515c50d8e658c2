import { afterAll, beforeAll, expect, test } from "vitest";
import { listActivities } from "./activities.ts";
import type { Store } from "./connect.ts";
import { createTestDatabase } from "./database.testing.ts";
import {
  listSubOrganizationsByAddress,
  listVerifiedSubOrganizations,
} from "./sub-organizations.ts";
import { listDeliveries } from "./webhook-deliveries.ts";
import { rangeOf, WINDOW_ROWS } from "./windows.ts";

// Lists with a filter read a long history window by window, and find what they would find in one.

const OWNER = "10000000-0000-4000-8000-000000000000";
const ENDPOINTS = [1, 2].map((n) => `2000000${n}-0000-4000-8000-000000000000`);
const COUNT = 3 * WINDOW_ROWS + 500;
const ADDRESS = "0x0000000000000000000000000000000000000001";
const WANTED = "ACTIVITY_TYPE_CREATE_WALLET";
/** Places of what the filters match: at the edges of windows, and far from each other. */
const RARE = [1, 2, 500, 501, 1500, 2499, 2500, COUNT];

let store: Store;
let drop: () => Promise<void>;

const idOf = (n: number) => `${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;

beforeAll(async () => {
  ({ store, drop } = await createTestDatabase());
  const rare = `n IN (${RARE.join()})`;
  const id = "(lpad(to_hex(n), 8, '0') || '-0000-4000-8000-000000000000')::uuid";
  const series = `generate_series(1, ${COUNT}) AS n`;
  const statements = [
    `INSERT INTO activities (organization_id, activity_id, fingerprint, version, type, status, record)
      SELECT '${OWNER}', ${id}, 'sha256:' || n, 1,
        CASE WHEN ${rare} THEN '${WANTED}' ELSE 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' END,
        'ACTIVITY_STATUS_COMPLETED', '\\x0102'::bytea FROM ${series}`,
    `INSERT INTO organizations
      (organization_id, parent_organization_id, version, digest, organization_name, created_at_ms)
      SELECT ${id}, '${OWNER}', 1, '', '', 0 FROM ${series}`,
    `INSERT INTO lookups (organization_id, kind, value_hash, subject_id)
      SELECT ${id}, 'VERIFIED_EMAIL', 'hash', ${id} FROM ${series} WHERE ${rare}`,
    // The others are of organizations with another parent.
    `INSERT INTO wallet_accounts (organization_id, wallet_account_id, wallet_id, path, address_format,
        place, address, created_at_ms, digest, record)
      SELECT CASE WHEN ${rare} THEN ${id} ELSE uuid(overlay(text(${id}) placing '1' from 36)) END, ${id}, ${id},
        '', '', '', '${ADDRESS}', 0, '', '' FROM ${series}`,
    `INSERT INTO wallets (organization_id, wallet_id, digest, record)
      SELECT organization_id, wallet_id, '', '' FROM wallet_accounts`,
    `INSERT INTO webhook_deliveries (delivery_id, endpoint_id, owner_id, organization_id, activity_id,
        activity_version, event_type, state, attempts, next_attempt_at_ms, created_at_ms)
      SELECT ${id}, CASE WHEN ${rare} THEN '${ENDPOINTS[0]}'::uuid ELSE '${ENDPOINTS[1]}'::uuid END,
        '${OWNER}', '${OWNER}', ${id}, 1, '', 'delivered', 1, 0, n / 10 FROM ${series}`,
  ];
  for (const [index, text] of statements.entries()) {
    await store.run(`fill ${index}`, text, []);
  }
}, 120_000);

afterAll(() => drop());

type Cursors = { limit: number; before?: number; after?: number };
type List = (page: Cursors, goOn: () => void) => Promise<string[]>;

/** Each with the order of its pages. */
const lists: [string, "newest first" | "oldest first", List][] = [
  [
    "activities of a type",
    "newest first",
    async ({ limit, before, after }, goOn) => {
      const { activities } = await listActivities(store.db, OWNER, {
        types: [WANTED],
        limit,
        maxBytes: 1000,
        maxRecordBytes: 1000,
        goOn,
        before: before && idOf(before),
        after: after && idOf(after),
      } as Parameters<typeof listActivities>[2]);
      return activities.map(({ activityId }) => activityId);
    },
  ],
  [
    "deliveries of an endpoint",
    "newest first",
    async ({ limit, before, after }, goOn) => {
      const place = (n: number | undefined) =>
        n === undefined ? undefined : { deliveryId: idOf(n), createdAtMs: Math.floor(n / 10) };
      const found = await listDeliveries(store.db, OWNER, {
        endpointId: ENDPOINTS[0],
        limit,
        before: place(before),
        after: place(after),
        goOn,
      });
      return found.map(({ deliveryId }) => deliveryId);
    },
  ],
  [
    "sub-organizations with a proven contact",
    "oldest first",
    ({ limit, before, after }, goOn) =>
      listVerifiedSubOrganizations(
        store.db,
        OWNER,
        { limit, before: before && idOf(before), after: after && idOf(after) } as Parameters<
          typeof listVerifiedSubOrganizations
        >[2],
        goOn,
      ),
  ],
  [
    "sub-organizations with an address",
    "oldest first",
    ({ limit, before, after }, goOn) =>
      listSubOrganizationsByAddress(
        store.db,
        OWNER,
        ADDRESS,
        { limit, before: before && idOf(before), after: after && idOf(after) } as Parameters<
          typeof listVerifiedSubOrganizations
        >[2],
        goOn,
      ),
  ],
];

/** The same page, of everything that matches. */
function expected({ limit, before, after }: Cursors, order: "newest first" | "oldest first") {
  const isNewest = order === "newest first";
  // A cursor names what comes before it in the list, and a page begins there.
  const older = isNewest ? before : after;
  const all = RARE.filter((n) =>
    isNewest
      ? n < (before ?? Number.POSITIVE_INFINITY) && n > (after ?? 0)
      : n > (after ?? 0) && n < (before ?? Number.POSITIVE_INFINITY),
  );
  const sorted = isNewest ? all.toReversed() : all;
  const isFromEnd = older === undefined && (isNewest ? after !== undefined : before !== undefined);
  return (isFromEnd ? sorted.slice(-limit) : sorted.slice(0, limit)).map(idOf);
}

test.each(lists)(
  "%s, %s: pages are the same wherever the windows end",
  async (_, order, list) => {
    for (const limit of [1, 3, 100]) {
      for (const before of [undefined, 3, 1501, 2500, COUNT]) {
        for (const after of [undefined, 1, 499, 1500]) {
          const page = {
            limit,
            ...(before !== undefined && { before }),
            ...(after !== undefined && { after }),
          };
          expect(await list(page, () => {})).toEqual(expected(page, order));
        }
      }
    }
  },
  60_000,
);

test.each(lists)("%s, %s: what needs more than a window is asked for", async (_, order, list) => {
  const isNewest = order === "newest first";
  const asked = async (page: Cursors) => {
    let windows = 1;
    await list(page, () => {
      windows += 1;
    });
    return windows;
  };
  expect(await asked({ limit: 100 })).toBe(4);
  expect(await asked({ limit: 1 })).toBe(1);
  // Between these places nothing matches.
  const [from, to] = isNewest ? [2499, 1500] : [1500, 2499];
  const between = isNewest ? { before: from, after: to } : { after: from, before: to };
  expect(await asked({ limit: 100, ...between })).toBe(1);
  const stop = () => {
    throw new Error("left to the reader");
  };
  await expect(list({ limit: 100 }, stop)).rejects.toThrow("left to the reader");
});

test.each([
  ["asc", {}, "asc", undefined, []],
  ["asc", { after: 3 }, "asc", 3, [[">", 3]]],
  ["asc", { before: 9 }, "desc", 9, [["<", 9]]],
  [
    "asc",
    { after: 3, before: 9 },
    "asc",
    3,
    [
      ["<", 9],
      [">", 3],
    ],
  ],
  ["desc", {}, "desc", undefined, []],
  ["desc", { before: 9 }, "desc", 9, [["<", 9]]],
  ["desc", { after: 3 }, "asc", 3, [[">", 3]]],
  [
    "desc",
    { after: 3, before: 9 },
    "desc",
    9,
    [
      ["<", 9],
      [">", 3],
    ],
  ],
] as const)(
  "a page of a list in order %s with %o is read %s, from %s",
  (order, sought, ...read) => {
    const [direction, from, bounds] = read;
    const range = rangeOf<number>(order, sought);
    const isReversed = direction !== order;
    expect(range).toMatchObject({ direction, isReversed, from });
    expect(range.bounds()).toEqual(bounds);
  },
);

test("a part of a page begins after its first key and ends with its last one", () => {
  const forward = rangeOf("asc", { after: 3, before: 9 });
  expect(forward.bounds({ from: 5, to: 7 })).toEqual([
    ["<", 9],
    [">", 5],
    ["<=", 7],
  ]);
  const backward = rangeOf("desc", { after: 3, before: 9 });
  expect(backward.bounds({ from: 7, to: 5 })).toEqual([
    ["<", 7],
    [">", 3],
    [">=", 5],
  ]);
});
