import type * as z from "zod";
import type { ParsedInterfaces } from "../chains/contract-interfaces.ts";
import type { Roots } from "../policies/roots.ts";
import type { Facts } from "../records/facts.ts";
import type { OrganizationDocument, User } from "../records/organization.ts";
import type { Context } from "./execution.ts";

/** A record that a request needs besides the organization's document. */
export type Want =
  | { type: "wallet"; walletId: string }
  | { type: "signing-key"; signWith: string }
  | { type: "sessions"; userId: string }
  /** Accounts that already stand at these places of the wallet, if there are any. */
  | { type: "accounts-at"; walletId: string; places: { path: string; addressFormat: string }[] }
  | { type: "smart-contract-interface"; smartContractInterfaceId: string }
  | { type: "activity"; fingerprint: string };

export type Version = {
  /** Key of the activity's `intent` and, capitalised, name of the parameters' schema. */
  intentKey: string;
  /** Key of the activity's `result`; `*` where the answer is another activity. */
  resultKey: string;
  intent: z.ZodObject;
  result: z.ZodObject;
};

/** What `read` reads from, beside the stamped bytes. */
export type Sources = Facts & { readonly interfaces: ParsedInterfaces };

/**
 * An activity: contract, policy, records and handler. `I` is the intent of the newest version;
 * `upgrade` brings older ones to it and `downgrade` answers them in their own shape. `R` is what
 * `read` makes of the intent, once for all the steps that follow.
 */
export type ActivityDeclaration<I = unknown, R = unknown> = {
  /** URL name, file name (with hyphens) and export (in camel case). */
  name: string;
  tag: string;
  summary: string;
  description: string;
  policy: { resource: string; action: string };
  /** Type that the SDK and the reference use. */
  defaultType: string;
  versions: Record<string, Version>;
  /** An example of the default version's parameters. */
  example: Record<string, unknown>;
  /** Only the root quorum may do this, whatever policies say. */
  rootQuorumOnly?: boolean;
  /** It never writes the organization's document, so many may run at once. */
  keepsDocument?: boolean;
  /** It votes on another activity and is answered with that one. */
  vote?: "VOTE_SELECTION_APPROVED" | "VOTE_SELECTION_REJECTED";
  /** True where a user may do this to itself without a policy. */
  isOwn?(intent: I, user: User): boolean;
  wants?(intent: I, document: OrganizationDocument): Want[];
  /** The intent with what `execute` takes for what it leaves out: what policies read. */
  complete?(intent: I): I;
  /**
   * Reads the intent and the records it asked for, such as the key that signs and the transaction.
   * Refuses what a client can mend before policies are asked.
   */
  read?(sources: Sources, intent: I): R;
  /** What conditions of policies see of it beside `activity`. */
  roots?(read: R): Roots;
  /** Preconditions that a client can mend; they answer before policies are asked. */
  check?(context: Context, intent: I, read: R): void;
  execute(context: Context, intent: I, read: R): Record<string, unknown>;
  upgrade?: Record<string, (intent: never) => I>;
  downgrade?: Record<string, (result: never) => Record<string, unknown>>;
};

type Intents<V extends Record<string, Version>> = {
  [T in keyof V]: z.output<V[T]["intent"]>;
};

type Definition<V extends Record<string, Version>, D extends keyof V & string, R> = Omit<
  ActivityDeclaration<Intents<V>[D], R>,
  "versions" | "defaultType" | "upgrade" | "downgrade"
> & {
  versions: V;
  defaultType: D;
  upgrade?: { [T in Exclude<keyof V, D>]?: (intent: Intents<V>[T]) => Intents<V>[D] };
  downgrade?: {
    [T in Exclude<keyof V, D>]?: (result: z.output<V[D]["result"]>) => z.output<V[T]["result"]>;
  };
};

/** Ties the types of one declaration together. It adds nothing at run time. */
export function defineActivity<V extends Record<string, Version>, D extends keyof V & string, R>(
  definition: Definition<V, D, R>,
): ActivityDeclaration {
  // Its steps are only ever called with an intent that its own schema produced, and what it read.
  return definition as unknown as ActivityDeclaration;
}
