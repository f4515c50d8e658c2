import { setImmediate } from "node:timers/promises";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import { policyText, policyUsers } from "@keyhearth/engine/records/terms";
import { parseAccepted } from "@keyhearth/engine/submission/envelope";
import { activityKinds } from "@keyhearth/policy/activity-kinds";
import { isPolicyChange, lintChange, readPolicyChange } from "@keyhearth/policy/advice/changes";
import { type LintContext, MAX_LINT_WORK } from "@keyhearth/policy/advice/lints";
import type * as z from "zod";
import { type Allowance, assertLight } from "../reader/allowance.ts";
import type { StoredDocument } from "../store/organizations.ts";
import type * as objects from "../wire/objects.ts";

export type Warning = z.output<typeof objects.PolicyWarning>;

/** Limit on the warnings of one activity. */
const MAX_WARNINGS = 50;

/** Limit on the work for one answer, as lints count it. Activities beyond it show no warnings. */
const MAX_WORK = MAX_LINT_WORK;

/** Each activity counts for at least this much work. */
const LEAST_WORK = 1000;

/** Writes a line into the log, wherever it is. */
export type Warn = (details: object, message: string) => unknown;

/** The warnings for the activities in one answer, found while the documents they name are read. */
export type Warnings = {
  look(read: Pick<StoredDocument, "version" | "document">): Promise<void>;
  of(activity: ActivityRecord): Warning[];
};

/**
 * Warnings about activities that change policies, computed from the stamped bytes and the document
 * version that the first vote names. They are advice and decide nothing: a failure is logged, and the
 * activity shows no warnings. Other activities are skipped.
 */
export function collectWarnings(
  activities: readonly ActivityRecord[],
  warn: Warn,
  allowance: Allowance,
): Warnings {
  const found = new Map<ActivityRecord, Warning[]>();
  const changes = activities.filter(({ type }) => isPolicyChange(type));
  let work = 0;
  return {
    async look({ version, document }) {
      for (const activity of changes) {
        if (activity.votes[0]?.documentVersion !== version) continue;
        if (work > MAX_WORK) return;
        const most = Math.min(MAX_WORK, allowance.warnings) - work;
        const length = lengthOf(document) + (activity.votes[0].message?.length ?? 0);
        assertLight(allowance, length < most);
        const budget = { steps: most };
        try {
          found.set(activity, warningsOf(activity, document, budget));
        } catch (err) {
          const { activityId } = activity;
          warn({ activityId, err }, "warnings about policies could not be computed");
        }
        assertLight(allowance, budget.steps > 0);
        work += LEAST_WORK + lengthOf(document) + most - budget.steps;
        if (!allowance.isHere) await setImmediate();
      }
    },
    of: (activity) => found.get(activity) ?? [],
  };
}

function warningsOf(
  { votes, result }: ActivityRecord,
  document: OrganizationDocument,
  budget: { steps: number },
): Warning[] {
  const { type, parameters } = parseAccepted(votes[0]?.message ?? "");
  const change = readPolicyChange(type, parameters);
  if (!change) return [];
  const linted = lintChange({
    change,
    policies: document.policies.map(policyText),
    newIds: policyIdsIn(result),
    context: contextOf(document),
    budget,
  });
  return linted.flatMap(({ lints }) => lints).slice(0, MAX_WARNINGS);
}

/** The ids of the policies that a completed activity created. Only the core can derive them. */
function policyIdsIn(result: ActivityRecord["result"]): string[] {
  const { policyId, policyIds } = result ?? {};
  // The results of create_policy and create_policies, as their schemas accepted them.
  return typeof policyId === "string" ? [policyId] : ((policyIds as string[] | undefined) ?? []);
}

function contextOf(document: OrganizationDocument): LintContext {
  return {
    users: policyUsers(document.users),
    userTagIds: document.userTags.map(({ tagId }) => tagId),
    privateKeyTagIds: document.privateKeyTags.map(({ tagId }) => tagId),
    walletIds: document.wallets.map(({ walletId }) => walletId),
    privateKeyIds: document.privateKeys.map(({ privateKeyId }) => privateKeyId),
    interfaces: document.smartContractInterfaces.map(({ smartContractAddress: address, type }) => ({
      address,
      type,
    })),
    rootQuorum: document.rootQuorum,
    activities: activityKinds,
  };
}

/** Policies must be parsed before they can be judged, and that work grows with their length. */
function lengthOf({ policies }: OrganizationDocument): number {
  return policies.reduce(
    (sum, { condition, consensus, time }) =>
      sum + (condition?.length ?? 0) + (consensus?.length ?? 0) + (time?.length ?? 0),
    0,
  );
}
