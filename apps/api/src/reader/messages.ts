import type { Description } from "@keyhearth/engine/core/protocol";
import type { ErrorMessage } from "@keyhearth/engine/errors";
import type { Bounds } from "@keyhearth/engine/memory/bounded-cache";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import type { Identity, User } from "@keyhearth/engine/records/organization";
import type { Rows } from "../store/db-over.ts";
import type { StoredDocument } from "../store/organizations.ts";
import type { PostgresPlace } from "../store/postgres.ts";
import type { ShownPending } from "../wire/answered.ts";

/** What the reader's thread and the thread that serves everybody tell each other. */

/** A document as it crosses to the thread, which parses it again or has it. */
export type SentDocument = Pick<StoredDocument, "organizationId" | "version" | "digest" | "bytes">;

export type QueryJob = {
  kind: "query";
  name: string;
  request: unknown;
  document: SentDocument;
  caller: { organizationId: string; organizationName: string; user: User };
  nowMs: number;
};

/** An activity as the answer to a submission shows it. */
export type ActivityJob = {
  kind: "activity";
  activity: ActivityRecord;
  document: SentDocument;
  parent: SentDocument | null;
  viewer: User | null;
  nowMs: number;
};

export type Job = QueryJob | ActivityJob;

/** Every answer is JSON already. */
export type JobAnswer = Uint8Array<ArrayBuffer>;

/** What the thread asks for while it works. */
export type Asks = {
  /** Only for the embedded database: the thread has connections of its own to another one. */
  read(text: string, parameters: unknown[]): Promise<Rows>;
  withResult(activity: ActivityRecord, bytes: Uint8Array): Promise<ActivityRecord>;
  receiptKey(): Promise<Description["receiptKey"]>;
  identityOf(oidcToken: string): Promise<Identity>;
  shownPending(activityId: string): Promise<ShownPending | undefined>;
  warn(details: object, message: string): Promise<void>;
};

export type AskName = keyof Asks;

export type ToThread =
  | { kind: "job"; id: number; job: Job }
  | { kind: "reply"; ask: number; value: unknown }
  | { kind: "refusal"; ask: number; message: string };

export type FromThread =
  | { kind: "ask"; ask: number; id: number; name: AskName; parameters: unknown[] }
  | ({ kind: "done"; id: number; answer: unknown } & Spent)
  | ({ kind: "failed"; id: number; failure: Failure } & Spent);

/** What a job took of the thread, and how many statements it ran on the thread's own connections. */
export type Spent = { tookMs: number; reads: number };

export type ReaderSetup = {
  /** What the thread reads by itself, or null: it asks for its rows. */
  place: PostgresPlace<string> | null;
  connections: number;
  /** Of its caches, in bytes of memory. */
  bounds: Record<"documents" | "policies" | "interfaces", Bounds>;
};

/** Why a job failed: the error of what it asked for, or of the database, a record that is gone, or a refusal. */
export type Failure =
  | { kind: "ask"; ask: number }
  | { kind: "database"; message: string; code: string | undefined; syscall: string | undefined }
  | { kind: "missing"; record: string }
  | { kind: "error"; error: ErrorMessage; stack: string };
