import { KeyhearthError } from "@keyhearth/sdk";
import { adviseOnPolicies, type KnownOrganization, type PolicyAdvice } from "@keyhearth/sdk/advice";
import type { Organization } from "./cases.ts";
import { InputError } from "./errors.ts";
import { items, type Json, membersOf, text, wrong } from "./json.ts";
import type { Policy } from "./policies.ts";

// Loaded only to check an activity, because verifying a stamp needs cryptography.

/** The request of an activity with its verified stamp, and the policies that it creates or changes. */
export type CheckedActivity = {
  readonly advice: PolicyAdvice;
  /** The user whose key stamped it, according to the service. */
  readonly claimedUser: string;
};

type Known = {
  readonly organization: Organization;
  readonly policies: readonly Policy[] | undefined;
};

/** Verifies an activity as the API returns it. It uses only the first vote of what the API shows. */
export function checkActivity(json: Json, known: Known): CheckedActivity {
  const found = membersOf(json, "an activity");
  const member = (name: string) => {
    const value = found.get(name);
    if (!value) throw wrong(json, `is not an activity: it has no \`${name}\``);
    return value;
  };
  const votes = items(member("votes"), "a list of votes");
  const activity = {
    id: text(member("id")),
    organizationId: text(member("organizationId")),
    fingerprint: text(member("fingerprint")),
    votes: votes.map(decodeVote),
  };
  try {
    const advice = adviseOnPolicies(activity, knownOf(known));
    return { advice, claimedUser: votes[0] ? userOf(votes[0]) : "" };
  } catch (cause) {
    if (!(cause instanceof KeyhearthError)) throw cause;
    const hint = cause.code === "POLICY_NOT_GIVEN" ? ": use --policies FILE" : "";
    throw new InputError(`${json.file}: ${cause.message}${hint}`, { file: json.file }, { cause });
  }
}

function decodeVote(json: Json) {
  const found = membersOf(json, "a vote");
  const textOf = (name: string) => {
    const value = found.get(name);
    if (!value) throw wrong(json, `is not a vote: it has no \`${name}\``);
    return text(value);
  };
  return {
    message: textOf("message"),
    publicKey: textOf("publicKey"),
    signature: textOf("signature"),
    scheme: textOf("scheme"),
  };
}

function userOf(vote: Json): string {
  const found = membersOf(vote, "a vote");
  const user = found.get("user");
  const name = user?.node.type === "object" && membersOf(user, "a user").get("userName");
  const userId = found.get("userId");
  const parts = [name && text(name), userId && `(${text(userId)})`];
  return parts.filter((part) => part).join(" ");
}

/** The content of the files, in the form that the SDK expects. */
function knownOf({ organization, policies }: Known): KnownOrganization {
  const { users, rootQuorum, userTagIds, privateKeyTagIds, walletIds, privateKeyIds } =
    organization;
  return {
    policies: policies?.map(({ policyName, ...policy }) => ({
      ...policy,
      policyName: policyName ?? policy.policyId,
    })),
    users: users?.map(({ id, tags, email, alias, credentials = [] }) => ({
      userId: id,
      userName: alias,
      userEmail: email,
      userTags: [...tags],
      apiKeys: credentials.map(({ id: apiKeyId, type, public_key: publicKey }) => ({
        apiKeyId,
        credential: { publicKey, type },
      })),
    })),
    userTags: userTagIds?.map((tagId) => ({ tagId })),
    privateKeyTags: privateKeyTagIds?.map((tagId) => ({ tagId })),
    wallets: walletIds?.map((walletId) => ({ walletId })),
    privateKeys: privateKeyIds?.map((privateKeyId) => ({ privateKeyId })),
    rootQuorum: rootQuorum && { ...rootQuorum, userIds: [...rootQuorum.userIds] },
  };
}
