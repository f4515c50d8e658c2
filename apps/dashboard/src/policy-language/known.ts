import type { KnownValues } from "@keyhearth/policy/advice/completion";
import type { LintContext } from "@keyhearth/policy/advice/lints";
import type { User as PolicyUser } from "@keyhearth/policy/consensus";
import {
  type Connection,
  listPrivateKeys,
  listUsers,
  listUserTags,
  listWallets,
  type Quorum,
  type SimulateActivityResponse,
  simulateActivity,
} from "@keyhearth/sdk";
import { useMemo } from "react";
import type { Simulated } from "../approvals/asked.ts";
import { useOrganization } from "../data/organization.ts";
import { useRead } from "../data/read.ts";
import { seenName } from "../ui/seen.ts";
import type { Situation } from "./decide.ts";
import { credentialsOf, policyUser } from "./voters.ts";

/** What is known about the organization: warnings, completions and decisions in this browser need it. */
export type Known = {
  users: readonly PolicyUser[];
  rootQuorum: Quorum;
  lints: Omit<LintContext, "activities">;
  values: KnownValues;
  nameOf: (userId: string) => string;
};

/** Undefined until it is read. What somebody may not read is left out. */
export function useKnown(): Known | undefined {
  const users = useRead("list_users", listUsers, {}).data?.users;
  const tags = useRead("list_user_tags", listUserTags, {}).data?.userTags;
  const wallets = useRead("list_wallets", listWallets, {}).data?.wallets;
  const keys = useRead("list_private_keys", listPrivateKeys, {}).data?.privateKeys;
  const rootQuorum = useOrganization().data?.organizationData.rootQuorum;
  return useMemo(() => {
    if (!users || !rootQuorum) return undefined;
    const people = users.map(policyUser);
    const options = (list: readonly { label: string; detail: string }[] = []) => list;
    const ids = {
      users: options(users.map((each) => ({ label: each.userId, detail: each.userName }))),
      tags: options(tags?.map((each) => ({ label: each.tagId, detail: each.tagName }))),
      wallets: options(wallets?.map((each) => ({ label: each.walletId, detail: each.walletName }))),
      keys: options(
        keys?.map((each) => ({ label: each.privateKeyId, detail: each.privateKeyName })),
      ),
    };
    return {
      users: people,
      rootQuorum,
      lints: {
        users: people,
        rootQuorum,
        ...(tags && { userTagIds: tags.map(({ tagId }) => tagId) }),
        ...(wallets && { walletIds: wallets.map(({ walletId }) => walletId) }),
        ...(keys && { privateKeyIds: keys.map(({ privateKeyId }) => privateKeyId) }),
      },
      values: (subject) => {
        if (/(^|\.)tags$/.test(subject)) return [...ids.tags];
        if (subject === "wallet.id") return [...ids.wallets];
        if (subject === "private_key.id") return [...ids.keys];
        return /(user|approver|\bx)\.id$|user_id$/.test(subject) ? [...ids.users] : [];
      },
      nameOf: (userId) =>
        seenName(users.find((each) => each.userId === userId)?.userName ?? userId),
    };
  }, [users, tags, wallets, keys, rootQuorum]);
}

/** What the saved policies would decide, and all that another decision about the same needs. */
export async function simulate(
  connection: Connection,
  { activity, userId, approverUserIds, publicKeys }: Simulated,
  { users, rootQuorum }: Known,
  options: { organizationId: string; signal?: AbortSignal },
): Promise<{ saved: SimulateActivityResponse; situation: Situation }> {
  const asked = { activity, userId, approverUserIds, includeContext: true };
  const saved = await simulateActivity(connection, asked, options);
  const { context = {}, reason, outcome, evaluations } = saved;
  const isRootQuorumOnly =
    reason === "rootQuorum" && evaluations.length === 0 && outcome !== "OUTCOME_ALLOW";
  const approvedBy = [userId, ...approverUserIds];
  return {
    saved,
    situation: {
      users,
      rootQuorum,
      approvedBy,
      credentials: credentialsOf(users, approvedBy, publicKeys),
      now: new Date().toISOString(),
      context,
      ...(reason === "ownCredentials" && { ownCredentialChange: true }),
      ...(isRootQuorumOnly && { isRootQuorumOnly }),
    },
  };
}
