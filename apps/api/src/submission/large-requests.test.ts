import { first, impatient, refusal } from "@keyhearth/engine/organization.testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  clientOf,
  newKey,
  newOrganization,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from "../testing.ts";
import { createLargeRequests, LARGE_LENGTH } from "./large-requests.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Half a second for each large request after the second one. */
const limits = {
  organization: { perSecond: 2 * LARGE_LENGTH, atOnce: 2 * LARGE_LENGTH },
  subOrganizations: { perSecond: 2 * LARGE_LENGTH, atOnce: 2 * LARGE_LENGTH },
  waitMs: 10_000,
};

async function newSigning({ root }: Pick<TestOrganization, "root">) {
  const { addresses } = await root.createWallet({
    walletName: "wallet",
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
  });
  let count = 0;
  return (client = root, length = LARGE_LENGTH) =>
    client.signRawPayload({
      signWith: first(addresses),
      payload: `${++count} `.padEnd(length, "x"),
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_SHA256",
    });
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

test("large requests of one organization wait, and small ones and those of others do not", async () => {
  const sign = await newSigning(await newOrganization(server));
  const signElsewhere = await newSigning(await newOrganization(server));
  for (let i = 0; i < 5; i++) await Promise.all([sign(), signElsewhere()]);
  server.host.largeRequests = createLargeRequests(limits);
  const all = seconds(() => Promise.all(Array.from({ length: 8 }, () => sign())));
  const others = await seconds(async () => {
    await signElsewhere();
    await sign(undefined, 100);
  });
  expect(await all).toBeGreaterThan(2);
  expect(others).toBeLessThan((await all) / 2);
});

test("sub-organizations share what they may send, beside their application", async () => {
  server.host.largeRequests = createLargeRequests(limits);
  const parent = await newOrganization(server);
  const subs = await Promise.all(
    ["one", "two", "three", "four"].map(async (subOrganizationName) => {
      const key = newKey();
      const apiKeys = [
        { apiKeyName: "k", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" as const },
      ];
      const person = { userName: "Ada", apiKeys, authenticators: [], oauthProviders: [] };
      const { subOrganizationId } = await parent.root.createSubOrganization({
        subOrganizationName,
        rootQuorumThreshold: 1,
        rootUsers: [person],
      });
      return newSigning({ root: clientOf(server, subOrganizationId, key) });
    }),
  );
  const sign = await newSigning(parent);
  const ofSubs = seconds(() => Promise.all(subs.map((each) => each())));
  const ofParent = await seconds(() => sign());
  expect(await ofSubs).toBeGreaterThan(0.4);
  expect(ofParent).toBeLessThan((await ofSubs) / 2);
});

test("what strangers send is not charged, and who would wait too long is told so", async () => {
  server.host.largeRequests = createLargeRequests({ ...limits, waitMs: 400 });
  const organization = await newOrganization(server);
  const sign = await newSigning(organization);
  const stranger = clientOf(server, organization.organizationId, newKey());
  for (let i = 0; i < 5; i++) {
    expect((await refusal(sign(stranger))).httpStatus).toBe(401);
  }
  await sign();
  await sign();
  await sign();
  expect(await refusal(sign(impatient(organization)))).toMatchObject({
    httpStatus: 429,
    code: "RATE_LIMITED",
    message: expect.stringContaining("send the same bytes again in a few seconds"),
  });
  // The client waits and sends the same bytes again.
  await sign();
});
