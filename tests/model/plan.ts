import type { Policy } from "./policies.ts";

// A plan: what people ask for, and what the host does with it. Things are called by the steps that made
// them, so that a plan still makes sense if steps are left out.

export type Plan = { seed: number; isHonest: boolean; rules: Rules; steps: Step[] };

/** How the organization begins: how many root users must agree, and whom a policy allows everything. */
export type Rules = {
  threshold: number;
  allowed: "nobody else" | "any two users" | "ada and the clerk" | "the clerk";
};

export type Step = { id: string } & (
  | {
      does: "ask";
      by: string;
      organization: string;
      request: Wish;
      aheadMs: number;
      delivery: Delivery | null;
    }
  | { does: "send"; request: string; by: string; delivery: Delivery }
  | { does: "confirm"; proposals: string[]; how: HowConfirmed; releases?: string }
  | { does: "wait"; ms: number }
  | { does: "restart" }
);

/** By the document of a sub-organization alone, if that is what the proposal makes. */
type HowConfirmed = "ticket" | "documents" | "sub-organization";

/** A request before it is stamped. Things are named by the steps that made them. */
export type Wish = {
  kind: string;
  /** Names of people, keys, paths and new things. */
  name?: string;
  key?: string;
  path?: string;
  seconds?: number;
  endsOthers?: boolean;
  threshold?: number;
  /** Steps that made what this is about. */
  thing?: string;
  user?: string;
  users?: string[];
  /** An address, and what somebody types as the code that was sent there: any other is wrong. */
  email?: string;
  code?: "right" | string;
  /** The step that verified a code, and the key that signs for its token. */
  token?: string;
  signedBy?: string;
  /** The key of another login that the signature is for. */
  signedFor?: string;
  /** The step whose invitation was read, or the step whose acceptance was copied. */
  letter?: string;
  copied?: string;
  /** The step of the request that is voted on. */
  about?: string;
  policy?: Omit<Policy, "consensus" | "name"> & {
    consensus: { users: string[] } | { count: number } | null;
  };
};

/** What a host brings with a request, and whether it keeps what comes of it. */
export type Delivery = {
  /** Instead of the newest record of its kind: another one, or none. */
  instead: { wanted: string; brought: string | null }[];
  /** Records that nobody asked for. */
  more: string[];
  /** Whether the host stores the proposal, and says so. */
  commits: boolean;
};

/** The plan as people read it. */
export function print({ seed, isHonest, rules, steps }: Plan): string {
  const host = isHonest ? "an honest host" : "a hostile host";
  return [
    `seed ${seed}, ${host}, ${rules.threshold} of the three root users must agree, a policy allows ${rules.allowed}`,
    ...steps.map((step) => `  ${step.id.padEnd(4)} ${describe(step)}`),
  ].join("\n");
}

function describe(step: Step): string {
  switch (step.does) {
    case "ask": {
      const { kind, policy, ...rest } = step.request;
      const details = Object.entries(rest).map(([name, value]) => `${name} ${text(value)}`);
      if (policy) details.push(text(policy));
      const ahead = step.aheadMs === 0 ? "" : `, stamped ${step.aheadMs} ms ahead`;
      const where = step.organization === "acme" ? "" : ` in ${step.organization}`;
      return `${step.by} asks for ${kind}${where} (${details.join(", ")})${ahead}${delivered(step.delivery)}`;
    }
    case "send":
      return `the request of ${step.request}, stamped by ${step.by}, is sent${delivered(step.delivery)}`;
    case "confirm": {
      const released = step.releases ? `, for the result of ${step.releases}` : "";
      return `the host confirms ${step.proposals.join(" and ")} by ${step.how}${released}`;
    }
    case "wait":
      return `${step.ms / 1000} s pass`;
    case "restart":
      return "the signer starts again";
  }
}

function delivered(delivery: Delivery | null): string {
  if (!delivery) return "; the host keeps it back";
  const instead = delivery.instead.map(
    ({ wanted, brought }) => `${brought ?? "nothing"} instead of ${wanted}`,
  );
  const more = delivery.more.map((each) => `also ${each}`);
  const brought = [...instead, ...more];
  const how = brought.length > 0 ? `, with ${brought.join(", ")}` : "";
  return `${how}${delivery.commits ? "" : "; not committed"}`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
