import { newKey, newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import * as sdk from "@keyhearth/sdk";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { tampering } from "../sdk/tampering.ts";

// A client that pins the quorum key, and a service that answers a request with the id of something else that is in the
// organization. Programs write such ids into policies, and give keys to them.

let organization: TestOrganization;
let quorumPublicKey: string;
/** Users of the organization beside root: the host would like one of them to sign. */
let clerk: string;
let other: string;

const unverified = { name: "Unverified", code: "UNVERIFIED" };
const apiKey = () => ({
  ...{ apiKeyName: "key", publicKey: newKey().publicKey },
  curveType: "API_KEY_CURVE_P256" as const,
});
const user = (userName: string) => ({
  ...{ userName, apiKeys: [apiKey()], authenticators: [], oauthProviders: [], userTags: [] },
});

beforeAll(async () => {
  organization = await newOrganization();
  const described = organization.server.signer.handle({ call: "describe" });
  ({ quorumPublicKey } = described as { quorumPublicKey: string });
  const { userIds } = await organization.root.createUsers({
    users: [user("clerk"), user("other")],
  });
  [clerk = "", other = ""] = userIds;
});

/** What each submission is, and the member of its result that the host replaces. */
const calls: [name: string, member: string, run: (it: sdk.Connection) => Promise<unknown>][] = [
  ["users", "userIds", (it) => sdk.createUsers(it, { users: [user("new")] })],
  [
    "a policy",
    "policyId",
    (it) => {
      const policy = { policyName: "one", condition: "false", notes: "" };
      return sdk.createPolicy(it, { ...policy, effect: "EFFECT_ALLOW" });
    },
  ],
  [
    "policies",
    "policyIds",
    (it) => {
      const policy = { policyName: "of a list", condition: "false", notes: "" };
      return sdk.createPolicies(it, { policies: [{ ...policy, effect: "EFFECT_ALLOW" }] });
    },
  ],
  // An id of the request in another member would be a user, and not a key.
  ["keys", "apiKeyIds", (it) => sdk.createApiKeys(it, { userId: clerk, apiKeys: [apiKey()] })],
  ["a tag", "userTagId", (it) => sdk.createUserTag(it, { userTagName: "tag", userIds: [clerk] })],
  ["a changed user", "userId", (it) => sdk.updateUser(it, { userId: other, userTagIds: [] })],
];

describe("a host that answers with the id of something else", () => {
  test.each(calls)("for %s is refused by a client that pins the key", async (_, member, run) => {
    const honest = tampering(organization, (answer) => answer, { quorumPublicKey });
    const replaced = (answer: string) => {
      const { activity } = JSON.parse(answer);
      const [result] = Object.values(activity.result) as [Record<string, unknown>];
      if (Object.hasOwn(result, member)) {
        result[member] = member.endsWith("s") ? [clerk] : clerk;
      }
      return JSON.stringify({ activity });
    };
    const unstated = (answer: string) => {
      const { activity } = JSON.parse(replaced(answer));
      return JSON.stringify({ activity: { ...activity, appProofs: [] } });
    };
    for (const lie of [replaced, unstated]) {
      const failed = run(tampering(organization, lie, { quorumPublicKey }));
      await expect(failed).rejects.toMatchObject(unverified);
      await undo(member);
    }
    expect(await run(honest)).toMatchObject({ [member]: expect.anything() });
  });

  test("leaves exports as they are, and signatures without a statement", async () => {
    const bodies: string[] = [];
    const connection = tampering(organization, (answer) => answer, { quorumPublicKey });
    const { walletId, addresses } = await sdk.createWallet(connection, {
      walletName: "exported",
      accounts: [
        {
          curve: "CURVE_SECP256K1",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/60'/0'/0/0",
          addressFormat: "ADDRESS_FORMAT_ETHEREUM",
        },
      ],
    });
    const watched = tampering(
      organization,
      (answer) => {
        bodies.push(answer);
        return answer;
      },
      { quorumPublicKey },
    );
    await sdk.signRawPayload(watched, {
      ...{ signWith: addresses[0] ?? "", payload: "00".repeat(32) },
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_NO_OP",
    });
    expect(JSON.parse(bodies[0] ?? "").activity.appProofs).toEqual([]);
    // The result of an export is sealed when its outcome is stated: its id is that of the request.
    const { targetPublicKey } = createTargetKey();
    const target = { walletId, targetPublicKey };
    expect(await sdk.exportWallet(watched, target)).toMatchObject({ walletId });
    const elsewhere = (answer: string) =>
      answer.replace(`"walletId":"${walletId}","export`, `"walletId":"${clerk}","export`);
    const lied = tampering(organization, elsewhere, { quorumPublicKey });
    await expect(sdk.exportWallet(lied, target)).rejects.toMatchObject(unverified);
  });
});

/** Names are unique, and the request is made again. */
async function undo(member: string): Promise<void> {
  const { root } = organization;
  const { organizationData } = await root.getOrganization({});
  const { policies = [], users = [], tags = [] } = organizationData;
  const policyIds = policies.map(({ policyId }) => policyId);
  if (member.startsWith("policyId") && policyIds.length > 0)
    await root.deletePolicies({ policyIds });
  const userIds = users.filter(({ userName }) => userName === "new").map(({ userId }) => userId);
  if (userIds.length > 0) await root.deleteUsers({ userIds });
  const userTagIds = tags.map(({ tagId }) => tagId);
  if (userTagIds.length > 0) await root.deleteUserTags({ userTagIds });
}
