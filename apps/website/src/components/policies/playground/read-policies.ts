import { CLAUSES, type Clause } from "@keyhearth/policy/ast";
import type { Effect } from "@keyhearth/policy/decide";
import {
  FaultyText,
  items,
  type Json,
  members,
  membersOf,
  mustBe,
  parseJson,
  text,
} from "./read-json.ts";

/** A policy as a reader writes it. An empty clause is absent. */
export type Draft = { name: string; effect: Effect } & Record<Clause, string>;

/** More than an organization may have. */
const MOST_POLICIES = 500;

/** Policies as `create_policy` takes them and `list_policies` returns them: one, a list, or a whole request or answer. */
export function readPolicies(json: string): Draft[] {
  const list = listIn(parseJson(json));
  if (list.length > MOST_POLICIES) throw new FaultyText({ kind: "large", most: MOST_POLICIES });
  return list.map(readPolicy);
}

function listIn(json: Json): Json[] {
  if (Array.isArray(json.value)) return items(json);
  const found = membersOf(json);
  if (found.parameters) return listIn(found.parameters);
  return found.policies ? items(found.policies) : [json];
}

function readPolicy(json: Json): Draft {
  const found = members(json, ["effect"], OPTIONAL);
  const name = found.policyName ?? found.policyId;
  const effect = text(found.effect);
  if (effect !== "EFFECT_ALLOW" && effect !== "EFFECT_DENY") throw mustBe(found.effect, "effect");
  const [condition, consensus, time] = CLAUSES.map((clause) => {
    const given = found[clause];
    return given ? text(given) : "";
  });
  return {
    name: name ? text(name) : json.path,
    effect,
    condition: condition ?? "",
    consensus: consensus ?? "",
    time: time ?? "",
  };
}

const OPTIONAL = [
  ...["policyId", "policyName", "condition", "consensus", "time", "notes"],
  ...["createdAt", "updatedAt"],
] as const;

/** The policies as `create_policies` takes them. */
export function writePolicies(drafts: readonly Draft[]): string {
  const policies = drafts.map(({ name, effect, condition, consensus, time }) => ({
    policyName: name,
    effect,
    ...(consensus !== "" && { consensus }),
    ...(condition !== "" && { condition }),
    ...(time !== "" && { time }),
    notes: "",
  }));
  return JSON.stringify({ policies }, null, 2);
}
