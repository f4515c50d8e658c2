import type { Effect, PolicyText } from "../decide.ts";
import type { Allowance } from "../logic/reading-context.ts";
import { translateSelectors } from "../selectors.ts";
import { type Lint, type LintContext, lintPolicies } from "./lints.ts";

/** The change of policies that a request asks for, whatever the version of its activity. */
export type PolicyChange =
  | { readonly kind: "create"; readonly policies: readonly NewPolicy[] }
  | { readonly kind: "update"; readonly policyId: string; readonly update: PolicyUpdate };

type NewPolicy = Omit<PolicyText, "policyId"> & { readonly policyName: string };

/** Only given fields change. An empty clause removes the clause. */
type PolicyUpdate = Partial<NewPolicy>;

export type NamedPolicy = PolicyText & { readonly policyName?: string };

/** Whether an activity of this type creates or changes policies. */
export function isPolicyChange(type: string): boolean {
  return READERS.has(type);
}

/**
 * The change that an activity makes, read from the stamped parameters; undefined if it neither
 * creates nor changes a policy. Throws a TypeError or a SelectorError for parameters that the
 * service refuses.
 */
export function readPolicyChange(type: string, parameters: unknown): PolicyChange | undefined {
  return READERS.get(type)?.(membersOf(parameters));
}

export type LintedPolicy = {
  /** The policy as the change leaves it; its id is empty if it has none yet. */
  readonly policy: NamedPolicy;
  readonly lints: readonly Lint[];
};

/**
 * Lints of the policies that a change creates or changes, as they will be among all `policies`.
 * Hazards of the other policies are left out. `newIds` are the ids of new policies, if they have
 * ids yet. An update of a policy that is not in `policies` returns nothing.
 */
export function lintChange({
  change,
  policies,
  newIds = [],
  context = {},
  budget,
}: {
  change: PolicyChange;
  policies: readonly NamedPolicy[];
  newIds?: readonly string[];
  context?: LintContext;
  budget?: Allowance;
}): LintedPolicy[] {
  const changed = changedPolicies(change, policies, newIds);
  const updatedById = new Map(changed.map((each) => [each.policy.policyId, each.policy]));
  const after =
    change.kind === "update"
      ? policies.map((policy) => updatedById.get(policy.policyId) ?? policy)
      : [...policies, ...changed.map(({ policy }) => policy)];
  const ids = changed.map(({ policy }) => policy.policyId);
  const lints = lintPolicies(after, context, ids, budget);
  return changed.map(({ policy, policyId }) => ({
    policy: { ...policy, policyId },
    lints: lints
      .filter((lint) => lint.policyId === policy.policyId)
      .map((lint) => ({ ...lint, policyId })),
  }));
}

/**
 * `policyId` is the id for the answer. Lints tell policies apart by the policy's own id, so each
 * needs one.
 */
type Changed = { readonly policy: NamedPolicy; readonly policyId: string };

function changedPolicies(
  change: PolicyChange,
  policies: readonly NamedPolicy[],
  newIds: readonly string[],
): Changed[] {
  if (change.kind === "update") {
    const { policyId, update } = change;
    const current = policies.find((policy) => policy.policyId === policyId);
    return current ? [{ policy: updated(current, update), policyId }] : [];
  }
  const taken = new Set([...policies.map(({ policyId }) => policyId), ...newIds]);
  return change.policies.map((policy, index) => {
    const policyId = newIds[index] ?? "";
    if (policyId !== "") return { policy: { ...policy, policyId }, policyId };
    // Messages about other policies call a new one by its name.
    let name = policy.policyName;
    while (taken.has(name)) name = `${name} (new)`;
    taken.add(name);
    return { policy: { ...policy, policyId: name }, policyId };
  });
}

function updated(
  policy: NamedPolicy,
  {
    policyName = policy.policyName,
    effect = policy.effect,
    condition = policy.condition,
    consensus = policy.consensus,
    time = policy.time,
  }: PolicyUpdate,
): NamedPolicy {
  return {
    ...policy,
    policyName,
    effect,
    condition: condition || undefined,
    consensus: consensus || undefined,
    time: time || undefined,
  };
}

type Members = Readonly<Record<string, unknown>>;

const READERS: ReadonlyMap<string, (parameters: Members) => PolicyChange> = new Map([
  ["ACTIVITY_TYPE_CREATE_POLICY", (policy) => created([readSelectorPolicy(policy, readTarget)])],
  [
    "ACTIVITY_TYPE_CREATE_POLICY_V2",
    (policy) => created([readSelectorPolicy(policy, readTargets)]),
  ],
  ["ACTIVITY_TYPE_CREATE_POLICY_V3", (policy) => created([readNewPolicy(policy)])],
  [
    "ACTIVITY_TYPE_CREATE_POLICIES",
    (parameters) => {
      return created(
        listIn(parameters, "policies").map((policy) => readNewPolicy(membersOf(policy))),
      );
    },
  ],
  ["ACTIVITY_TYPE_UPDATE_POLICY", readUpdate],
  ["ACTIVITY_TYPE_UPDATE_POLICY_V2", readUpdate],
] satisfies [string, (parameters: Members) => PolicyChange][]);

function created(policies: NewPolicy[]): PolicyChange {
  return { kind: "create", policies };
}

function readNewPolicy(members: Members): NewPolicy {
  return {
    policyName: textIn(members, "policyName"),
    effect: effectIn(members, "effect"),
    condition: optionalTextIn(members, "condition"),
    consensus: optionalTextIn(members, "consensus"),
    // An empty time means always.
    time: optionalTextIn(members, "time") || undefined,
  };
}

function readUpdate(members: Members): PolicyChange {
  const update = {
    policyName: optionalTextIn(members, "policyName"),
    effect: isSet(members.policyEffect) ? effectIn(members, "policyEffect") : undefined,
    condition: optionalTextIn(members, "policyCondition"),
    consensus: optionalTextIn(members, "policyConsensus"),
    time: optionalTextIn(members, "time"),
  };
  return { kind: "update", policyId: textIn(members, "policyId"), update };
}

function readSelectorPolicy(
  members: Members,
  targetsOf: (selector: Members) => string[],
): NewPolicy {
  const selectors = listIn(members, "selectors")
    .map(membersOf)
    .map((selector) => ({
      subject: textIn(selector, "subject"),
      operator: textIn(selector, "operator"),
      targets: targetsOf(selector),
    }));
  return {
    policyName: textIn(members, "policyName"),
    effect: effectIn(members, "effect"),
    ...translateSelectors(selectors),
  };
}

function readTarget(selector: Members): string[] {
  return [textIn(selector, "target")];
}

function readTargets(selector: Members): string[] {
  return listIn(selector, "targets").map((target) => textIn({ target }, "target"));
}

/** An explicit null means unset, as the service reads it. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function membersOf(value: unknown): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    // An object that was parsed from JSON.
    return value as Members;
  }
  throw new TypeError("a value that must be an object is not one");
}

function textIn(members: Members, name: string): string {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  if (typeof value === "string") return value;
  throw new TypeError(`\`${name}\` must be text`);
}

function optionalTextIn(members: Members, name: string): string | undefined {
  return isSet(members[name]) ? textIn(members, name) : undefined;
}

function effectIn(members: Members, name: string): Effect {
  const effect = textIn(members, name);
  if (effect === "EFFECT_ALLOW" || effect === "EFFECT_DENY") return effect;
  throw new TypeError(`\`${name}\` must be EFFECT_ALLOW or EFFECT_DENY`);
}

function listIn(members: Members, name: string): readonly unknown[] {
  const value = members[name];
  if (Array.isArray(value)) return value;
  throw new TypeError(`\`${name}\` must be a list`);
}
