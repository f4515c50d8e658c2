import { type Credential, readsCredentials, type Vote } from "../../consensus.ts";
import { type CompiledPolicy, decide } from "../../decide.ts";
import { inputFromJson, makeEnvironment } from "../../environment.ts";
import { leastOf } from "../../logic/bits.ts";
import type { Domains } from "../../logic/solve.ts";
import type { Term } from "../../logic/terms.ts";
import type { KnownActivity } from "./activities.ts";
import { contextOf, type Json } from "./context.ts";
import { timeOf } from "./time.ts";
import type { Ballot } from "./votes.ts";

// Examples: a request that only the second set allows, decided by both.

/** A request that the second of two policy sets allows and the first does not. */
export type Example = {
  /**
   * What conditions see, in the JSON of published cases: `{"$int": "…"}` and `{"$uint": "…"}` for
   * large integers, `{"$ci": "…"}` for text that compares without regard to case. Parts that no
   * policy reads are left out.
   */
  readonly context: Readonly<Record<string, unknown>>;
  /** Whose approvals are counted; the first one submitted the request. */
  readonly approvers: readonly Approver[];
  /** The time of the request, RFC 3339 in UTC. */
  readonly now: string;
  /** Ids of the policies in the second set that allow it. */
  readonly allowedBy: readonly string[];
  /** Ids of the policies in the first set that deny it; none where no policy allows it. */
  readonly deniedBy: readonly string[];
};

export type Approver = {
  readonly userId: string;
  readonly tags: readonly string[];
  readonly email: string;
  readonly alias: string;
  /** What the approval was given with, if a policy asks for it. */
  readonly credential?: Credential;
};

/** The compiled sets, and what is known of the organization and the service. */
export type Sides = {
  readonly activities?: readonly KnownActivity[];
  readonly before: readonly CompiledPolicy[];
  readonly after: readonly CompiledPolicy[];
  readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] };
};

/**
 * Makes a request from a solution and decides about it with both sets. Undefined if the second set
 * is not the only one to allow it: the search then assumed the wrong value for an opaque part.
 */
export function exampleOf(
  solution: Domains,
  terms: readonly Term[],
  ballots: readonly Ballot[],
  sides: Sides,
): Example | undefined {
  const context = contextOf(solution, terms, sides.activities);
  const votes = ballots.flatMap(({ variable, votesOf }) => {
    return votesOf(leastOf(solution[variable] ?? 0n));
  });
  const now = timeOf(solution, terms);
  const environment = environmentOf(context);
  if (!environment || now === undefined) return undefined;
  const request = {
    environment,
    now,
    users: votes.map(({ user }) => user),
    approvals: votes.map(({ user, credential }) => ({ userId: user.id, credential })),
    rootQuorum: sides.rootQuorum,
  };
  const [before, after] = [sides.before, sides.after].map((policies) => {
    return decide({ ...request, policies });
  });
  const isMore = after?.outcome === "OUTCOME_ALLOW" && before?.outcome !== "OUTCOME_ALLOW";
  if (!isMore || after.reason !== "policies") return undefined;
  const idsOf = (evaluations: typeof after.evaluations | undefined, wanted: string) => {
    return (evaluations ?? []).flatMap(({ policyId, outcome }) => {
      return outcome === wanted ? policyId : [];
    });
  };
  return {
    context,
    approvers: votes.map(asksForCredentials(sides) ? approverWithCredential : approverOf),
    now,
    allowedBy: idsOf(after.evaluations, "OUTCOME_ALLOW"),
    deniedBy: idsOf(before?.evaluations, "OUTCOME_DENY_EXPLICIT"),
  };
}

function asksForCredentials({ before, after }: Sides) {
  return [...before, ...after].some(({ consensus }) => consensus && readsCredentials(consensus));
}

function approverWithCredential(vote: Vote): Approver {
  return { ...approverOf(vote), credential: vote.credential };
}

function approverOf({ user: { id, tags, email, alias } }: Vote): Approver {
  return { userId: id, tags, email, alias };
}

function environmentOf(context: Json) {
  const roots = Object.entries(context).map(([name, json]) => [name, inputFromJson(json)]);
  try {
    return makeEnvironment(Object.fromEntries(roots));
  } catch (error) {
    // A parameter has a value that no activity of its kind can have.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
