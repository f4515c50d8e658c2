import { ApiKeyStamper, KeyhearthClient, KeyhearthError } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";

// A separate organization. Its policy lets two of three users create wallets
// together.
const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId: parentId, ...parentKey } = await readApiKeyFile(rootKeyFile);

const keys = { Root: createApiKey(), Ada: createApiKey(), Bob: createApiKey() };
const { subOrganizationId } = await clientOf(parentKey, parentId).createSubOrganization({
  subOrganizationName: "Decisions",
  rootQuorumThreshold: 1,
  rootUsers: [userParams("Root")],
});
const root = clientOf(keys.Root, subOrganizationId);
const ada = clientOf(keys.Ada, subOrganizationId);
const { userTagId } = await root.createUserTag({ userTagName: "Treasurers", userIds: [] });
await root.createUsers({
  users: [
    { ...userParams("Ada"), userTags: [userTagId] },
    { ...userParams("Bob"), userTags: [userTagId] },
  ],
});
await root.createPolicy({
  policyName: "Two treasurers make wallets",
  effect: "EFFECT_ALLOW",
  condition: "activity.resource == 'WALLET' && activity.action == 'CREATE'",
  consensus: `approvers.filter(user, user.tags.contains('${userTagId}')).count() >= 2`,
});

// Before: what would the decision be, and whose approvals are missing?
const users = new Map((await ada.listUsers()).users.map((user) => [user.userId, user.userName]));
const { outcome, neededApprovals } = await ada.simulateActivity({
  activity: {
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters: { walletName: "Savings", accounts: [] },
  },
});
console.log(outcome);
for (const set of neededApprovals) {
  console.log(`  complete with ${set.map((userId) => users.get(userId)).join(" and ")}`);
}

// After: a denied request leaves no activity, but its error names a trace.
const denial = await ada
  .createUserTag({ userTagName: "Mine", userIds: [] })
  .catch((error) => error);
if (!(denial instanceof KeyhearthError)) throw new Error("this should be denied");
const { traceId } = denial.details.find((detail) => "traceId" in detail) ?? {};
console.log(denial.code, `traceId ${traceId}`);

const { policyEvaluations } = await ada.getPolicyEvaluations({
  activityId: String(traceId),
  includeTrace: true,
});
for (const { outcome, trace = [] } of policyEvaluations[0]?.policyEvaluations ?? []) {
  console.log(outcome);
  for (const { clause, value, error, steps } of trace) {
    console.log(`  ${clause}: ${error ?? value}`);
    for (const { depth, text, value, error } of steps.slice(1, 3)) {
      console.log(`  ${"  ".repeat(depth)}${text} -> ${error ?? value}`);
    }
  }
}

// While you write: a policy that looks like a mistake is saved with a warning.
const { activity } = await root.createPolicy({
  policyName: "Small payments",
  effect: "EFFECT_ALLOW",
  condition: "activity.kind == 'SIGN_TRANSACTION' && eth.tx.value <= 1",
});
for (const { code, clause } of activity.warnings ?? []) console.log(`${clause}: ${code}`);

function userParams(userName: keyof typeof keys) {
  const publicKey = keys[userName].apiPublicKey;
  return {
    userName,
    apiKeys: [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" as const }],
    authenticators: [],
    oauthProviders: [],
  };
}

function clientOf(apiKey: { apiPublicKey: string; apiPrivateKey: string }, organizationId: string) {
  return new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(apiKey) });
}
