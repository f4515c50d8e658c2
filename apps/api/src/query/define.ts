import type { ParsedInterfaces } from "@keyhearth/engine/chains/contract-interfaces";
import type { Description } from "@keyhearth/engine/core/protocol";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import type { Identity, OrganizationDocument, User } from "@keyhearth/engine/records/organization";
import type * as z from "zod";
import type { Warn } from "../policies/warnings.ts";
import type { Allowance } from "../reader/allowance.ts";
import type { Db } from "../store/connect.ts";
import type { StoredDocument } from "../store/organizations.ts";
import type { ShownPending } from "../wire/answered.ts";

/** Who sent the query, and the organization it reads. The caller is a user of it or of its parent. */
export type QueryContext = {
  db: Db;
  organizationId: string;
  /** The organization the query is about, as the host has it. */
  stored: StoredDocument;
  document: OrganizationDocument;
  /** The organization that the caller's credential belongs to: `document` or its parent. */
  caller: { organizationId: string; organizationName: string; user: User };
  /** The answer that a client got for an activity whose commit takes longer than a request. */
  shownPending(activityId: string): Promise<ShownPending | undefined>;
  /** An activity with its result, if the signer keeps that back until it knows of the commit. */
  withResult(activity: ActivityRecord, bytes: Uint8Array): Promise<ActivityRecord>;
  /** The signer's receipt key, certified by the quorum key. */
  receiptKey(): Promise<Description["receiptKey"]>;
  /** Whom an OpenID Connect token is about. Throws if the signer does not verify it. */
  identityOf(oidcToken: string): Promise<Identity>;
  /** Interfaces of contracts that were parsed before. */
  interfaces: ParsedInterfaces;
  /** Writes a line into the log. */
  warn: Warn;
  /** How much work the answer may take here. Throws a `TooHeavy` if it takes more. */
  allowance: Allowance;
  nowMs: number;
};

/** A query: contract and handler. Its file, its URL and its export all follow its name. */
export type QueryDeclaration<Q = unknown, R = unknown> = {
  name: string;
  tag: string;
  summary: string;
  description: string;
  /** Names of the schemas in the contract. */
  requestName: string;
  responseName: string;
  request: z.ZodObject;
  response: z.ZodObject;
  /** An example of the request. */
  example: Record<string, unknown>;
  /** Whether `organizationId` may name the parent of the credential's organization. */
  findsSubOrganization?: boolean;
  /** The largest body, if it may be larger than those of other queries. */
  maxBodyBytes?: number;
  /**
   * Whether a standby may answer, which has everything that was in the database when the query came. For what reads many
   * rows and writes nothing. The caller is always looked up at the primary.
   */
  mayAskStandby?: true;
  /** Memory that the reader needs for an answer. */
  maxBytes?: number;
  /** Whether the reader makes every answer, because the work grows with what somebody wrote. */
  isHeavy?(context: Pick<QueryContext, "stored">): boolean;
  /**
   * Throws a `MissingRecord` if a record that the document names is gone. Then it is called again with the
   * newest document.
   */
  answer(context: QueryContext, request: Q): Promise<R>;
};

/** Showing all of a document takes as long as it is. */
export function isLarge({ bytes }: StoredDocument): boolean {
  return bytes.length > 256 * 1024;
}

type Definition<Q extends z.ZodObject, R extends z.ZodObject> = Omit<
  QueryDeclaration<z.output<Q>, z.output<R>>,
  "request" | "response"
> & { request: Q; response: R };

/** Ties the types of one declaration together. It adds nothing at run time. */
export function defineQuery<Q extends z.ZodObject, R extends z.ZodObject>(
  definition: Definition<Q, R>,
): QueryDeclaration {
  // The handler is only ever called with a request that its own schema produced.
  return definition as unknown as QueryDeclaration;
}
