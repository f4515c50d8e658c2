import { readFileSync } from "node:fs";
import type { Clause } from "./ast.ts";
import { inputFromJson, makeEnvironment } from "./environment.ts";

export type ExpressionCase = {
  name: string;
  kind: Clause;
  expression: string;
  context: Record<string, unknown>;
  expected: boolean | "error(parse)" | "error(type)" | "error(runtime)";
};

export type DecisionCase = {
  name: string;
  users: { id: string; tags: string[]; email: string; alias: string }[];
  rootQuorum: { threshold: number; userIds: string[] };
  approvedBy: string[];
  now?: string;
  ownCredentialChange?: boolean;
  context: Record<string, unknown>;
  policies: {
    policyId: string;
    effect: "EFFECT_ALLOW" | "EFFECT_DENY";
    condition?: string;
    consensus?: string;
    time?: string;
  }[];
  expected: { outcome: string; policyOutcomes: Record<string, string> };
};

const file = new URL("./vectors/policy-cases.json", import.meta.url);

export const vectors: { cases: ExpressionCase[]; decision_cases: DecisionCase[] } = JSON.parse(
  readFileSync(file, "utf8"),
);

export function environmentOf(context: Record<string, unknown>) {
  const roots = Object.entries(context).map(([name, json]) => [name, inputFromJson(json)]);
  return makeEnvironment(Object.fromEntries(roots));
}

/** The tree without its positions. */
export function bare(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(bare);
  if (typeof tree !== "object" || tree === null) return tree;
  const kept = Object.entries(tree).filter(([key]) => !POSITIONS.has(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, bare(value)]));
}

const POSITIONS = new Set(["start", "end", "nameSpan"]);
