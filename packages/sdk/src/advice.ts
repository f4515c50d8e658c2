/**
 * Warnings to read before approving a change of policies. A separate entry:
 * `@keyhearth/sdk/advice`.
 */
import { activityKinds } from "@keyhearth/policy/activity-kinds";
import {
  lintChange,
  type NamedPolicy,
  type PolicyChange,
  readPolicyChange,
} from "@keyhearth/policy/advice/changes";
import type { LintContext } from "@keyhearth/policy/advice/lints";
import { CLAUSES } from "@keyhearth/policy/ast";
import { PolicyError } from "@keyhearth/policy/errors";
import { compile } from "@keyhearth/policy/evaluate";
import {
  type PendingActivity,
  type VerifiedRequest,
  verifyStampedRequest,
} from "./approvals/consensus.ts";
import { asObject } from "./errors/as-object.ts";
import { KeyhearthError } from "./errors/errors.ts";
import { invalidFields } from "./errors/invalid-fields.ts";
import type {
  Policy,
  PolicyWarning,
  PrivateKey,
  Quorum,
  SmartContractInterface,
  User,
  Wallet,
} from "./generated/types.ts";

/**
 * What you know about the organization, in the form of the queries' answers. Anything left out is not
 * looked up. The service can answer queries falsely. If that matters, use facts from another source.
 */
export type KnownOrganization = {
  /** All policies, as `listPolicies` returns them. An update changes one of them. */
  policies?: readonly KnownPolicy[] | undefined;
  users?: readonly KnownUser[] | undefined;
  userTags?: readonly { tagId: string }[] | undefined;
  privateKeyTags?: readonly { tagId: string }[] | undefined;
  wallets?: readonly Pick<Wallet, "walletId">[] | undefined;
  privateKeys?: readonly Pick<PrivateKey, "privateKeyId">[] | undefined;
  smartContractInterfaces?:
    | readonly Pick<SmartContractInterface, "smartContractAddress" | "type">[]
    | undefined;
  rootQuorum?: Quorum | undefined;
};

type KnownUser = Pick<User, "userId" | "userName" | "userEmail" | "userTags"> & {
  apiKeys: readonly { apiKeyId: string; credential: { publicKey: string; type: string } }[];
};

/** A policy as a query shows it, or without the clauses that it does not have. */
type KnownPolicy = Pick<Policy, "policyId" | "policyName" | "effect" | "time"> & {
  condition?: string | undefined;
  consensus?: string | undefined;
};

/** The policies that a request creates or changes, with errors and warnings. */
export type PolicyAdvice = {
  /** The request, read from its verified bytes. */
  request: VerifiedRequest;
  /** The policies that it creates or changes, in their new form. */
  policies: AdvisedPolicy[];
};

export type AdvisedPolicy = Pick<KnownPolicy, "policyName" | "effect"> & {
  /** Empty for a new policy, which has no id yet. */
  policyId: string;
  condition?: string | undefined;
  consensus?: string | undefined;
  time?: string | undefined;
  /** Clauses that cannot be parsed: the service would refuse them, or it is newer than this SDK. */
  errors: ClauseProblem[];
  /** Parts that may not do what they seem to do. Only computed if there are no errors. */
  warnings: PolicyWarning[];
};

/** What is wrong at characters `start` to `end` of a clause, in UTF-16 code units. */
export type ClauseProblem = Pick<PolicyWarning, "message" | "clause" | "start" | "end">;

/**
 * The warnings about a change of policies, computed here from the bytes that the requester stamped.
 * It ignores the intent and the warnings that the service shows. Throws `Unverified` as
 * `verifyStampedRequest` does. Throws a `KeyhearthError` with the code `NOT_ABOUT_POLICIES` if the activity
 * does not create or change a policy, and `POLICY_NOT_GIVEN` if it changes one that is not in `known`.
 */
export function adviseOnPolicies(
  activity: PendingActivity,
  known: KnownOrganization = {},
): PolicyAdvice {
  return adviseOnRequest(verifyStampedRequest(activity), known);
}

/**
 * The same for a request that is already verified, such as the one that `client.approve` passes to
 * `decide`.
 */
export function adviseOnRequest(
  request: VerifiedRequest,
  given: KnownOrganization = {},
): PolicyAdvice {
  const change = changeOf(request);
  const known = asObject(given);
  const policies = (known.policies ?? []).map(policyText).filter((policy) => {
    // Names are unique, so a policy with the name of a new one is that policy, already created.
    const isMade = ({ policyName }: { policyName: string }) => policyName === policy.policyName;
    return change.kind === "update" || !change.policies.some(isMade);
  });
  const linted = lintChange({ change, policies, context: contextOf(known) });
  if (change.kind === "update" && linted.length === 0) {
    const { policyId } = change;
    throw new KeyhearthError(
      `Activity ${request.activityId} changes the policy ${policyId}, which is not among the given policies. Give all policies, as listPolicies returns them`,
      { code: "POLICY_NOT_GIVEN" },
    );
  }
  return {
    request,
    policies: linted.map(({ policy, lints }) => ({
      ...policy,
      policyName: policy.policyName ?? "",
      errors: errorsOf(policy),
      warnings: [...lints],
    })),
  };
}

function changeOf(request: VerifiedRequest): PolicyChange {
  const { activityId, type, parameters } = asObject(request);
  if (typeof type !== "string") {
    throw invalidFields({ field: "request", message: "must be a verified request" });
  }
  try {
    const change = readPolicyChange(type, parameters);
    if (change) return change;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "it cannot be parsed";
    throw noChange(
      `The service would refuse the request of activity ${activityId}: ${reason}. Do not approve it`,
      cause,
    );
  }
  throw noChange(
    `Activity ${activityId} does not create or change a policy: it is ${type}. Ask for advice about policies only`,
  );
}

function noChange(message: string, cause?: unknown): KeyhearthError {
  return new KeyhearthError(message, { code: "NOT_ABOUT_POLICIES", cause });
}

function errorsOf(policy: NamedPolicy): ClauseProblem[] {
  return CLAUSES.flatMap((clause) => {
    const source = policy[clause];
    if (source === undefined) return [];
    try {
      compile(clause, source);
      return [];
    } catch (cause) {
      if (!(cause instanceof PolicyError)) throw cause;
      const { message, start, end } = cause;
      return [{ message, clause, start, end }];
    }
  });
}

/** In the answer of a query an empty clause means that the clause is absent. */
function policyText({ condition, consensus, time, ...policy }: KnownPolicy): NamedPolicy {
  const { policyId, policyName, effect } = policy;
  return {
    policyId,
    policyName,
    effect,
    condition: condition || undefined,
    consensus: consensus || undefined,
    time: time || undefined,
  };
}

function contextOf(known: KnownOrganization): LintContext {
  const { users, wallets, privateKeys, smartContractInterfaces, rootQuorum } = known;
  return {
    activities: activityKinds,
    ...(users && { users: users.map(userOf) }),
    ...(known.userTags && { userTagIds: known.userTags.map(({ tagId }) => tagId) }),
    ...(known.privateKeyTags && {
      privateKeyTagIds: known.privateKeyTags.map(({ tagId }) => tagId),
    }),
    ...(wallets && { walletIds: wallets.map(({ walletId }) => walletId) }),
    ...(privateKeys && { privateKeyIds: privateKeys.map(({ privateKeyId }) => privateKeyId) }),
    ...(smartContractInterfaces && {
      interfaces: smartContractInterfaces.map(({ smartContractAddress: address, type }) => ({
        address,
        type,
      })),
    }),
    ...(rootQuorum && { rootQuorum }),
  };
}

function userOf({ userId, userName, userEmail, userTags, apiKeys }: KnownUser) {
  return {
    id: userId,
    tags: userTags,
    email: userEmail ?? "",
    alias: userName,
    credentials: apiKeys.map(({ apiKeyId, credential: { publicKey, type } }) => ({
      id: apiKeyId,
      user_id: userId,
      type,
      credential_id: "",
      public_key: publicKey,
    })),
  };
}
