import type { Clause } from "@keyhearth/policy/ast";
import { compilePolicies, type PolicyList } from "@keyhearth/policy/decide";
import { type Compiled, compile } from "@keyhearth/policy/evaluate";
import { countTokens } from "@keyhearth/policy/tokens";
import { type Bounds, createBoundedCache } from "../memory/bounded-cache.ts";
import type { OrganizationDocument } from "./organization.ts";
import { policyText } from "./terms.ts";

/** A cache of compiled policies. Each organization has those of one version of its document. */
export type CompiledPolicies = {
  /** Bytes of memory that all of them cost together. */
  readonly cost: number;
  /**
   * The policies of a document, in its order. The digest names the document. A clause that the
   * version before had too is not compiled again.
   */
  of(
    document: Pick<OrganizationDocument, "organizationId" | "policies">,
    digest: string,
  ): PolicyList;
};

/** Clauses are not shared between organizations: their timing would tell who has the same ones. */
type Version = {
  digest: string;
  policies: PolicyList;
  clauses: ReadonlyMap<string, Compiled>;
};

/** Compiles the policies of a document that is not kept. */
export function compileAll({ policies }: Pick<OrganizationDocument, "policies">): PolicyList {
  return compilePolicies(policies.map(policyText));
}

export function createCompiledPolicies(bounds: Bounds): CompiledPolicies {
  const versions = createBoundedCache<Version>(bounds);
  return {
    get cost() {
      return versions.cost;
    },
    of({ organizationId, policies }, digest) {
      const known = versions.get(organizationId);
      if (known?.digest === digest) return known.policies;
      const clauses = new Map<string, Compiled>();
      let cost = 0;
      const compileOnce = (clause: Clause, source: string) => {
        const key = `${clause} ${source}`;
        const compiled = known?.clauses.get(key) ?? compile(clause, source);
        if (!clauses.has(key)) cost += costOf(key);
        clauses.set(key, compiled);
        return compiled;
      };
      const value = {
        digest,
        policies: compilePolicies(policies.map(policyText), compileOnce),
        clauses,
      };
      cost += policies.length * POLICY_COST;
      versions.set(organizationId, { organizationId, value, cost });
      return value.policies;
    },
  };
}

// The texts that take the most memory for their length were measured: `measure-policies.testing.ts`.
const POLICY_COST = 500;
const TOKEN_COST = 320;

function costOf(text: string): number {
  return TOKEN_COST * countTokens(text) + 4 * text.length + POLICY_COST;
}
