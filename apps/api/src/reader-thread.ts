import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { createParsedInterfaces } from "@keyhearth/engine/chains/contract-interfaces";
import { toErrorMessage } from "@keyhearth/engine/errors";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import { deferred } from "@keyhearth/outbound/deferred";
import { threadMs } from "@keyhearth/outbound/thread-time";
import { createCache } from "./documents/cache.ts";
import { MissingRecord } from "./errors.ts";
import { presentActivity } from "./presentation/present.ts";
import { findQuery } from "./queries/index.ts";
import type { QueryContext } from "./query/define.ts";
import { readFrom } from "./query/read-from.ts";
import { toText } from "./query/text.ts";
import { IN_READER } from "./reader/allowance.ts";
import type {
  ActivityJob,
  AskName,
  Asks,
  Failure,
  FromThread,
  Job,
  JobAnswer,
  QueryJob,
  ReaderSetup,
  SentDocument,
  Spent,
  ToThread,
} from "./reader/messages.ts";
import type { Db } from "./store/connect.ts";
import { dbOver } from "./store/db-over.ts";
import { type StoredDocument, toStoredDocument } from "./store/organizations.ts";
import { openPostgresReads } from "./store/postgres.ts";
import { textOf } from "./wire/answered.ts";

/** The reader's thread: it answers with the code that also answers small queries. */

const port = parentPort;
if (!port) throw new Error("the reader runs as a worker thread");

// On Linux this is about this thread alone: signatures go first on a busy machine.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

// The one who starts it says so.
const { place, connections, bounds } = workerData as ReaderSetup;
const own = place === null ? null : openPostgresReads(place, connections);

const cache = createCache(bounds);
const interfaces = createParsedInterfaces(bounds.interfaces);

/** What a job asked for, until it has the reply. */
const asked = new Map<number, { resolve(value: unknown): void; reject(error: Refused): void }>();
let lastAsk = 0;

/** Something that a job asked for failed. The other thread has the error. */
class Refused extends Error {
  readonly ask: number;

  constructor(ask: number, message: string) {
    super(message);
    this.ask = ask;
  }
}

/** A statement on a connection of the thread failed. */
class ReadFailed extends Error {}

port.on("message", (message: ToThread) => {
  if (message.kind === "job") return void work(message.id, message.job);
  const waiting = asked.get(message.ask);
  asked.delete(message.ask);
  if (message.kind === "reply") waiting?.resolve(message.value);
  else waiting?.reject(new Refused(message.ask, message.message));
});

function tell(message: FromThread, transferred: ArrayBuffer[] = []) {
  port?.postMessage(message, transferred);
}

/** What the jobs under way have taken of this thread. They share what passed while several were. */
const taken = new Map<number, Spent>();
let countedMs = 0;

function share() {
  const nowMs = threadMs();
  for (const spent of taken.values()) spent.tookMs += (nowMs - countedMs) / taken.size;
  countedMs = nowMs;
}

async function work(id: number, job: Job) {
  share();
  const begun: Spent = { tookMs: 0, reads: 0 };
  taken.set(id, begun);
  const spent = () => {
    share();
    taken.delete(id);
    return begun;
  };
  try {
    const answer: JobAnswer = new TextEncoder().encode(await answerTo(id, job));
    tell({ kind: "done", id, answer, ...spent() }, [answer.buffer]);
  } catch (error) {
    tell({ kind: "failed", id, failure: failureOf(error), ...spent() });
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof Refused) return { kind: "ask", ask: error.ask };
  if (error instanceof ReadFailed) return databaseFailure(error.cause);
  if (error instanceof MissingRecord) return { kind: "missing", record: error.record };
  const stack = error instanceof Error ? (error.stack ?? "") : String(error);
  return { kind: "error", error: toErrorMessage(error), stack };
}

function databaseFailure(cause: unknown): Failure {
  const { message, code, syscall } = cause as Partial<NodeJS.ErrnoException>;
  return { kind: "database", message: message ?? String(cause), code, syscall };
}

function answerTo(id: number, job: Job): Promise<string> {
  switch (job.kind) {
    case "query":
      return answerQuery(id, job);
    case "activity":
      return showActivity(id, job);
  }
}

async function answerQuery(id: number, job: QueryJob): Promise<string> {
  const { name, request, caller, nowMs } = job;
  const declaration = findQuery(name);
  if (!declaration) throw new Error("a query without a declaration");
  const stored = documentOf(job.document);
  const asks = asksOf(id);
  const context: Omit<QueryContext, "db"> = {
    organizationId: stored.organizationId,
    stored,
    document: stored.document,
    caller,
    shownPending: asks.shownPending,
    withResult: async (activity, bytes) =>
      isReleased(activity) ? activity : asks.withResult(activity, bytes),
    receiptKey: asks.receiptKey,
    identityOf: asks.identityOf,
    interfaces,
    warn: asks.warn,
    allowance: IN_READER,
    nowMs,
  };
  const make = async (db: Db) => toText(await declaration.answer({ ...context, db }, request));
  const standbys = own?.standbys ?? null;
  return readFrom(declaration, { standbys, db: dbOf(id, asks), onRead: () => countRead(id) }, make);
}

/** Only a result that the signer keeps back has to be asked for. */
function isReleased({ sealedResult, result }: ActivityRecord): boolean {
  return !sealedResult || result !== null;
}

async function showActivity(id: number, job: ActivityJob): Promise<string> {
  const { activity, viewer, nowMs } = job;
  const asks = asksOf(id);
  const shown = await presentActivity(dbOf(id, asks), {
    activity,
    stored: documentOf(job.document),
    parent: job.parent && documentOf(job.parent),
    viewer,
    interfaces,
    warn: asks.warn,
    allowance: IN_READER,
    nowMs,
  });
  return textOf(shown);
}

function documentOf(sent: SentDocument): StoredDocument {
  const { organizationId, digest } = sent;
  const cached = cache.document(organizationId);
  if (cached?.digest === digest) return cached;
  return cache.keepDocument(toStoredDocument(organizationId, { ...sent, record: sent.bytes }));
}

function dbOf(id: number, asks: Asks) {
  const read = own ? readOwn(id, own) : asks.read;
  return dbOver(read, async () => {});
}

function readOwn(id: number, { read }: NonNullable<typeof own>): Asks["read"] {
  return async (text, parameters) => {
    countRead(id);
    try {
      return await read(text, parameters);
    } catch (cause) {
      throw new ReadFailed("a read failed", { cause });
    }
  };
}

function countRead(id: number) {
  const spent = taken.get(id);
  if (spent) spent.reads += 1;
}

function asksOf(id: number): Asks {
  const ask = (name: AskName) => {
    return (...parameters: unknown[]) => {
      const { promise, resolve, reject } = deferred<never>();
      lastAsk += 1;
      // The other thread replies to each call with what its type says.
      asked.set(lastAsk, { resolve: resolve as (value: unknown) => void, reject });
      tell({ kind: "ask", ask: lastAsk, id, name, parameters });
      return promise;
    };
  };
  return {
    read: ask("read"),
    withResult: ask("withResult"),
    receiptKey: ask("receiptKey"),
    identityOf: ask("identityOf"),
    shownPending: ask("shownPending"),
    warn: ask("warn"),
  };
}
