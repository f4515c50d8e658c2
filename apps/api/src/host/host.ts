import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import {
  importVerificationPublicKey,
  type VerificationKey,
} from "@keyhearth/crypto/tokens/verification-token";
import {
  createParsedInterfaces,
  type ParsedInterfaces,
} from "@keyhearth/engine/chains/contract-interfaces";
import type { Answer, Description, Request } from "@keyhearth/engine/core/protocol";
import { createStampKeys, type StampKeys } from "@keyhearth/engine/people/stamp-keys";
import type { PrivateReceiver } from "../config/private-receivers.ts";
import { DEFAULT_RETENTION, type Retention } from "../config/retention.ts";
import { CACHE_BOUNDS, type Cache, createCache } from "../documents/cache.ts";
import {
  type ConcurrencyLimit,
  createConcurrencyLimit,
  SUBMISSION_BOUNDS,
} from "../fairness/concurrency-limit.ts";
import { createFamilies, type Families } from "../fairness/families.ts";
import { createFamilyTurns, type FamilyTurns } from "../fairness/family-turns.ts";
import { createUnderWay, UNDER_WAY_LIMITS, type UnderWay } from "../fairness/under-way.ts";
import {
  createWaitingBytes,
  WAITING_LIMITS,
  type WaitingBytes,
} from "../fairness/waiting-bytes.ts";
import type { Log } from "../observability/log.ts";
import type { Metrics } from "../observability/metrics.ts";
import { traced } from "../observability/spans.ts";
import { NO_TRACING, type Tracing } from "../observability/tracing.ts";
import { once } from "../once.ts";
import { partOf, partOfNumber } from "../part-of.ts";
import { createReader, type Reader } from "../reader/reader.ts";
import { createReaderTurns, READER_LIMITS, type ReaderTurns } from "../reader/reader-turns.ts";
import type { SignerClient } from "../signer/client.ts";
import { createSignerClock } from "../signer/clock.ts";
import { findDescription } from "../signer/description.ts";
import { createSignerRuns } from "../signer/runs.ts";
import { type Committer, createCommitter } from "../store/commit.ts";
import type { Store } from "../store/connect.ts";
import { createFindPointer, type FindPointer } from "../store/pointers.ts";
import { type Bell, createBell } from "./bell.ts";
import { createFamilyStorage, type FamilyStorage } from "./family-storage.ts";
import { type LargeRequests, NO_WAITING } from "./large-requests.ts";
import { type Limits, NO_LIMITS } from "./limits.ts";
import { createMessagesUnderWay, type MessagesUnderWay } from "./messages-under-way.ts";
import { createPending, PENDING_BOUNDS, type Pending } from "./pending.ts";

/**
 * Everything the untrusted host works with. The service makes one at its start; tests make their
 * own.
 */
export type Host = {
  store: Store;
  committer: Committer;
  signer: SignerClient;
  /** Calls the signer and measures the call. */
  askSigner(request: Request, organizationId?: string, familyId?: string): Promise<Answer>;
  /** The key of the signer that signs session tokens. */
  sessionPublicKey(): Promise<Uint8Array>;
  /** The key of the signer that signs verification tokens. */
  verificationKey(): Promise<Pick<VerificationKey, "publicKey">>;
  cache: Cache;
  findPointer: FindPointer;
  pending: Pending;
  /** Interfaces of contracts that were parsed to explain calls: parsing one takes long. */
  interfaces: ParsedInterfaces;
  stampKeys: StampKeys;
  /** Rung when a message was committed. */
  bell: Bell;
  log: Log;
  metrics: Metrics;
  tracing: Tracing;
  now: () => number;
  /** How long a request waits for its commit before it is answered all the same. */
  commitDeadlineMs: number;
  /** Whether other processes may get the next request of a client. */
  mayHaveOthers: boolean;
  /** How many processes share the port, this one included. What is bounded for the service, each bounds a part of. */
  workers: number;
  concurrency: {
    submissions: ConcurrencyLimit;
    idTokens: ConcurrencyLimit;
    queries: ConcurrencyLimit;
  };
  turns: { queries: FamilyTurns; reader: ReaderTurns };
  /** The memory of large requests and of answers, until their last byte has left. */
  underWay: UnderWay;
  /** The bytes of queries until they are answered. */
  waitingBytes: WaitingBytes;
  largeRequests: LargeRequests;
  families: Families;
  storage: FamilyStorage;
  /** Makes the answers that take long. */
  reader: Reader;
  /** What webhooks may reach although it is private. */
  webhookPrivateTargets: readonly PrivateReceiver[];
  /** After what time the service deletes what it could keep. */
  retention: Retention;
  /** The signer's key that signs deliveries to webhooks. */
  webhookKey(): Promise<Description["webhookKey"]>;
  limits: Limits;
  messagesUnderWay: MessagesUnderWay;
  /** Work on one organization's document runs one at a time. */
  inTurn<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
};

const MB = 1024 * 1024;

export function createHost({
  store,
  signer,
  log,
  metrics,
  now = Date.now,
  commitDeadlineMs = 10_000,
  mayHaveOthers = false,
  workers = 1,
  limits = NO_LIMITS,
  storageLimit = null,
  largeRequests = NO_WAITING,
  tracing = NO_TRACING,
  webhookPrivateTargets = [],
  retention = DEFAULT_RETENTION,
}: Pick<Host, "store" | "signer" | "log" | "metrics"> &
  Partial<
    Pick<
      Host,
      | "now"
      | "commitDeadlineMs"
      | "mayHaveOthers"
      | "workers"
      | "limits"
      | "largeRequests"
      | "tracing"
      | "webhookPrivateTargets"
      | "retention"
    >
  > & {
    storageLimit?: FamilyStorage["limit"];
  }): Host {
  const runs = createSignerRuns({ log, metrics });
  const clock = createSignerClock({ log, metrics, now });
  const cache = createCache(partOf(CACHE_BOUNDS, workers));
  const describe = () => findDescription((request) => signer.call(request));
  return {
    store,
    signer,
    sessionPublicKey: once(async () => decodeHex((await describe()).sessionPublicKey)),
    verificationKey: once(async () =>
      importVerificationPublicKey(decodeHex((await describe()).verificationPublicKey)),
    ),
    bell: createBell(),
    log,
    metrics,
    tracing,
    now,
    commitDeadlineMs,
    mayHaveOthers,
    workers,
    webhookPrivateTargets,
    retention,
    // Anybody may ask for it, so only the first of them asks the signer.
    webhookKey: once(async () => (await describe()).webhookKey),
    limits,
    messagesUnderWay: createMessagesUnderWay(),
    committer: createCommitter(store, ({ size, seconds }) => metrics.commit(size, seconds)),
    cache,
    findPointer: createFindPointer(store),
    pending: createPending(partOf(PENDING_BOUNDS, workers)),
    interfaces: createParsedInterfaces(
      partOf({ max: 32 * MB, maxPerOrganization: 16 * MB }, workers),
    ),
    stampKeys: createStampKeys(partOf({ max: 8 * MB, maxPerOrganization: 2 * MB }, workers)),
    concurrency: {
      submissions: createConcurrencyLimit(partOf(SUBMISSION_BOUNDS, workers)),
      // Logins by ID tokens, which may wait for an issuer before anybody knows who sent them.
      idTokens: createConcurrencyLimit(partOf({ free: 32, most: 128, atOnce: 128 }, workers)),
      // A query takes connections of the database, of which there are few.
      queries: createConcurrencyLimit(partOf({ free: 64, most: 256, atOnce: 4 }, workers)),
    },
    turns: {
      // However many sub-organizations a family has. What waits here already has a place of an organization.
      queries: createFamilyTurns(partOfNumber(8, workers)),
      reader: createReaderTurns(partOf(READER_LIMITS, workers)),
    },
    underWay: createUnderWay(partOf(UNDER_WAY_LIMITS, workers)),
    waitingBytes: createWaitingBytes(partOf(WAITING_LIMITS, workers)),
    largeRequests,
    families: createFamilies(store.db, cache),
    storage: createFamilyStorage(store, storageLimit),
    reader: createReader({ database: store.place, workers }),
    inTurn: createOrganizationTurns(),
    async askSigner(request, organizationId, familyId) {
      const startedAt = performance.now();
      try {
        const answer = await traced(
          `signer ${request.call}`,
          () => signer.call(request, organizationId, familyId),
          "client",
        );
        if (answer.kind === "description") runs.note(answer);
        clock.note(answer);
        return answer;
      } catch (error) {
        metrics.signerFailure(request.call);
        throw error;
      } finally {
        metrics.signerCall(request.call, (performance.now() - startedAt) / 1000);
      }
    },
  };
}

function createOrganizationTurns(): Host["inTurn"] {
  const turns = new Map<string, Promise<unknown>>();
  return async (organizationId, work) => {
    const before = turns.get(organizationId) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.catch(() => {});
    turns.set(organizationId, settled);
    try {
      return await mine;
    } finally {
      if (turns.get(organizationId) === settled) turns.delete(organizationId);
    }
  };
}
