import { expect, test } from "vitest";
import { clientOf, newKey, newOrganization, type TestClient } from "../testing.ts";
import { createRounds, sealSegments } from "./seal-segments.ts";

test("one of many sub-organizations is not sealed before all other families had a turn", async () => {
  const { server } = await newOrganization();
  // What the tests before this one have left fills no round.
  await sealSegments(server.host);
  const busy = await newOrganization(server);
  const other = await newOrganization(server);
  const children = new Map<string, TestClient>();
  for (let index = 0; index < 7; index++) {
    const key = newKey();
    const { subOrganizationId } = await busy.root.createSubOrganization({
      subOrganizationName: `child ${index}`,
      rootUsers: [
        {
          userName: "root",
          apiKeys: [
            {
              apiKeyName: "key",
              publicKey: key.publicKey,
              curveType: "API_KEY_CURVE_P256",
            },
          ],
          authenticators: [],
          oauthProviders: [],
        },
      ],
      rootQuorumThreshold: 1,
    });
    children.set(subOrganizationId, clientOf(server, subOrganizationId, key));
  }
  const family = [busy.organizationId, ...children.keys()];
  const sealedOf = async (organizationIds: string[]) => {
    const rows = await server.store.run(
      "",
      "SELECT DISTINCT organization_id FROM segments WHERE organization_id = ANY ($1::uuid[])",
      [organizationIds],
    );
    return rows.length;
  };

  const sealRound = createRounds(server.host, 3);
  for (const sealed of [3, 6, 8]) {
    // Those that had a turn have something new each time, and keep no later one from its own.
    for (const client of [busy.root, ...children.values()]) {
      await client.createUserTag({ userTagName: `tag ${sealed}`, userIds: [] });
    }
    await sealRound();
    expect(await sealedOf(family)).toBe(sealed);
    expect(await sealedOf([other.organizationId])).toBe(1);
  }
});

test("everything that is there is sealed, however many organizations a family has", async () => {
  const { server, root } = await newOrganization();
  await root.createUserTag({ userTagName: "one", userIds: [] });
  expect(await sealSegments(server.host)).toBeGreaterThan(0);
  expect(await sealSegments(server.host)).toBe(0);
  expect(await root.getReceipts({})).toMatchObject({ unsealed: 0 });
});
