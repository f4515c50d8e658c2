import type { PolicyText } from "@keyhearth/policy/decide";
import { items, type Json, members, mustBe, oneOf, readJson, text, wrong } from "./json.ts";

/** A policy in a file. Its id is `policyId`, or the name if the service has not assigned an id yet. */
export type Policy = PolicyText & {
  readonly policyName?: string;
  /** Its place in the file, such as `policies[3]`. */
  readonly path: string;
};

/** The policies of a file. Throws an InputError if the file does not have the format. */
export async function readPolicies(file: string): Promise<Policy[]> {
  return decodePolicyFile(await readJson(file));
}

export function decodePolicyFile(json: Json): Policy[] {
  if (json.node.type === "array") return decodePolicies(json);
  const isOne = json.node.children?.some(({ children }) => children?.[0]?.value === "effect");
  if (isOne) return [decodePolicy(json)];
  return decodePolicies(members(json, FORMAT, ["policies"], []).policies);
}

export function decodePolicies(json: Json): Policy[] {
  const policies = items(json, "a list of policies").map((one) => ({
    one,
    policy: decodePolicy(one),
  }));
  const ids = new Map<string, string>();
  for (const { one, policy } of policies) {
    const twin = ids.get(policy.policyId);
    if (twin !== undefined)
      throw wrong(one, `has the name of \`${twin}\`: ${JSON.stringify(policy.policyId)}`);
    ids.set(policy.policyId, one.path);
  }
  return policies.map(({ policy }) => policy);
}

/** Title of a policy, with name and id. */
export function titleOf({ policyId, policyName }: Policy): string {
  return policyName === undefined || policyName === policyId
    ? policyId
    : `${policyName} (${policyId})`;
}

const FORMAT = 'a list of policies, `{ "policies": [...] }` or one policy';

function decodePolicy(json: Json): Policy {
  const found = members(json, "a policy: an object with `effect` and a name", ["effect"], OPTIONAL);
  const effect = oneOf(found.effect, ["EFFECT_ALLOW", "EFFECT_DENY"]);
  const policyName = found.policyName && nameIn(found.policyName);
  const policyId = found.policyId ? nameIn(found.policyId) : policyName;
  if (policyId === undefined) throw wrong(json, "has neither `policyId` nor `policyName`");
  if (found.notes) text(found.notes);
  // A policy that the service lists has every clause, and an absent one is an empty text. In a request
  // to the service an empty clause is an error.
  const isListed = found.createdAt !== undefined || found.updatedAt !== undefined;
  const clause = (member: Json | undefined) => {
    const source = member && text(member, "an expression in a text");
    return isListed && source === "" ? undefined : source;
  };
  return {
    policyId,
    ...(policyName !== undefined && { policyName }),
    path: json.path === "" ? "policy" : json.path,
    effect,
    condition: clause(found.condition),
    consensus: clause(found.consensus),
    time: clause(found.time),
  };
}

const OPTIONAL = [
  "policyId",
  "policyName",
  "condition",
  "consensus",
  "time",
  "notes",
  "createdAt",
  "updatedAt",
] as const;

function nameIn(json: Json): string {
  const name = text(json, "a name");
  if (name === "") throw mustBe(json, "a name");
  return name;
}
