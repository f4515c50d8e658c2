import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCache } from "../documents/cache.ts";
import { createFamilies } from "../fairness/families.ts";
import { placeOfSignup } from "../host/signup.ts";
import {
  newKey,
  newOrganization,
  rootOrganizationIdOf,
  startTestServer,
  type TestServer,
} from "../testing.ts";
import { readMigrations } from "./migrate.ts";
import { findSignup } from "./signups.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server?.stop());

test("organizations from before signups were kept have signed up, except the first", async () => {
  const { store } = server;
  const rootId = await rootOrganizationIdOf(server);
  const { organizationId, root } = await newOrganization(server);
  const { publicKey } = newKey();
  const apiKeys = [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" as const }];
  const { subOrganizationId } = await root.createSubOrganization({
    subOrganizationName: "end user",
    rootUsers: [{ userName: "Ada", apiKeys, authenticators: [], oauthProviders: [] }],
    rootQuorumThreshold: 1,
  });
  await store.run("", "DROP TABLE signups", []);
  const migration = readMigrations().find(({ name }) => name.endsWith("signups"));
  for (const sql of (migration?.sql ?? "").split(";\n")) await store.run("", sql, []);

  expect(await findSignup(store.db, rootId)).toBeUndefined();
  expect(await findSignup(store.db, subOrganizationId)).toBeUndefined();
  const unknown = { networkHash: null, siteHash: null };
  expect(await findSignup(store.db, organizationId)).toEqual(unknown);

  const families = createFamilies(store.db, createCache());
  expect(await families.signupOf(rootId)).toBeNull();
  // It shares its network with nobody.
  expect(await families.signupOf(organizationId)).toEqual({ network: organizationId, site: null });
});

test("a family is read once, and of two at one place the networks are the same", async () => {
  const place = placeOfSignup("2001:db8:7:1::5");
  const ids = [randomUUID(), randomUUID()];
  for (const id of ids) {
    const text = "INSERT INTO signups VALUES ($1::uuid, $2::text, $3::text)";
    await server.store.run("new-signup", text, [id, place.networkHash, place.siteHash]);
  }
  const families = createFamilies(server.store.db, createCache());
  const [one, other] = await Promise.all(ids.map((id) => families.signupOf(id)));
  expect(one).toEqual({ network: place.networkHash, site: place.siteHash });
  expect(other).toEqual(one);
  await server.store.run("", "DELETE FROM signups", []);
  expect(await families.signupOf(ids[0] ?? "")).toBe(one);
});

test("what is stored of an address is its network, and the site if it has one", () => {
  const { networkHash, siteHash } = placeOfSignup("2001:db8:7:1::5");
  expect(placeOfSignup("2001:db8:7:1:ffff::9")).toEqual({ networkHash, siteHash });
  const sibling = placeOfSignup("2001:db8:7:2::5");
  expect(sibling).toEqual({ networkHash: expect.not.stringMatching(networkHash ?? ""), siteHash });
  expect(placeOfSignup("2001:db8:8:1::5").siteHash).not.toBe(siteHash);
  expect(placeOfSignup("203.0.113.7").siteHash).toBeNull();
  expect(placeOfSignup("203.0.113.7")).not.toEqual(placeOfSignup("203.0.113.8"));
  expect(JSON.stringify(placeOfSignup("203.0.113.7"))).not.toContain("203.0");
});
