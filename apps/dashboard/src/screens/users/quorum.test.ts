import type { User } from "@keyhearth/sdk";
import { expect, test } from "vitest";
import { judgeQuorum, sentenceOf } from "./quorum.ts";

const at = { seconds: "0", nanos: "0" };

function user(userId: string, keys: (string | undefined)[]): User {
  return {
    userId,
    userName: userId,
    authenticators: [],
    apiKeys: keys.map((expirationSeconds) => ({
      credential: { publicKey: "02", type: "CREDENTIAL_TYPE_API_KEY_P256" },
      apiKeyId: "key",
      apiKeyName: "key",
      createdAt: at,
      updatedAt: at,
      ...(expirationSeconds && { expirationSeconds }),
    })),
    userTags: [],
    oauthProviders: [],
    createdAt: at,
    updatedAt: at,
    mfaPolicies: [],
  };
}

const users = [user("Ada", [undefined]), user("Grace", [undefined]), user("Joan", ["900"])];
const judge = (threshold: number, userIds: string[], before = { threshold: 1, userIds: ["Ada"] }) =>
  judgeQuorum({ threshold, userIds }, { users, ownId: "Ada", before });

test("a quorum that can never come together is refused", () => {
  expect(judge(1, []).refusals).toHaveLength(1);
  expect(judge(3, ["Ada", "Grace"]).refusals).toEqual([
    expect.stringContaining("3 approvals of 2 users can never come together"),
  ]);
  expect(judge(2, ["Ada", "Joan"]).refusals).toEqual([
    expect.stringContaining("Everybody would be locked out for good"),
  ]);
  expect(judge(0, ["Ada"]).refusals).toHaveLength(1);
});

test("a member whom the list of users does not have is said, and not saved with the others", () => {
  expect(judge(1, ["Ada", "Grace", "Mallory"]).refusals).toEqual([
    expect.stringContaining("1 member who is not among its users: Mallory"),
  ]);
});

test("what is risky is said, and what is safe says nothing", () => {
  expect(judge(1, ["Ada", "Grace"])).toEqual({ refusals: [], warnings: [] });
  expect(judge(1, ["Ada"]).warnings).toEqual([expect.stringContaining("choose a second user")]);
  expect(judge(2, ["Ada", "Grace"]).warnings).toEqual([
    expect.stringContaining("All 2 of them are needed"),
  ]);
  const { warnings } = judge(1, ["Grace", "Joan"], { threshold: 2, userIds: ["Ada", "Grace"] });
  expect(warnings).toEqual([
    expect.stringContaining("one person without whom nothing works"),
    expect.stringContaining("Joan has no passkey"),
    expect.stringContaining("You remove yourself"),
    expect.stringContaining("1 instead of 2"),
  ]);
});

test.each([
  [1, ["Ada"], "Ada alone can do everything."],
  [1, ["Ada", "Grace"], "Ada or Grace can do everything alone."],
  [2, ["Ada", "Grace"], "Ada and Grace can do everything, if all of them approve."],
  [1, ["Ada", "Mallory"], "Ada or the unknown user Mallory can do everything alone."],
  [2, ["Ada", "Grace", "Joan"], "Any 2 of Ada, Grace, and Joan can do everything together."],
])("%i of %j is said in a sentence", (threshold, userIds, sentence) => {
  expect(sentenceOf({ threshold, userIds }, users)).toBe(sentence);
});
