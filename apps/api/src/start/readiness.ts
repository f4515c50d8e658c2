import {
  type Answer,
  type NewestDocument,
  olderRelease,
  PROTOCOL,
} from "@keyhearth/engine/core/protocol";
import type { Host } from "../host/host.ts";
import type { Store } from "../store/connect.ts";
import { isDiskFull } from "../store/disk-full.ts";
import { findVersions } from "../store/organizations.ts";
import { isReadOnly } from "../store/unavailable.ts";

export type Readiness = {
  ready: boolean;
  reasons: string[];
  parts: { database: boolean; signer: boolean };
};

/** How long the database and the signer each have for their answer. */
const PATIENCE_MS = 2000;

/** A busy database has other work: then the last comparison still counts. */
const COMPARE_MS = 500;

/** Anybody may ask, as often as they like, so one result is everybody's for a moment. */
const SHARED_MS = 1000;

/**
 * The answer of `/readyz`: whether database and signer each can work, and say so within two seconds. However many
 * ask, one question to each is under way at most, and their answers count for a second.
 */
export function createReadiness(
  { store, askSigner, log }: Pick<Host, "store" | "askSigner" | "log">,
  now = () => performance.now(),
): () => Promise<Readiness> {
  const probe = oneAtATime(() => store.probe());
  const describe = oneAtATime(() => askSigner({ call: "describe", protocol: PROTOCOL }));
  const compare = oneAtATime((newest: readonly NewestDocument[]) => isBehind(store, newest));
  let last: Promise<Readiness> | null = null;
  let sharedUntil = 0;
  let wasBehind = false;

  // The signer is asked before the database is read: what it has seen was committed before.
  async function compareWith(answer: Answer): Promise<string | null> {
    const newest = answer.kind === "description" ? (answer.newest ?? []) : [];
    const behind = await within(COMPARE_MS, compare(newest)).catch(() => wasBehind);
    if (behind && !wasBehind) log.error({ newest: newest.slice(0, 2) }, `ALARM: ${BEHIND}`);
    wasBehind = behind;
    return behind ? BEHIND : null;
  }

  async function check(): Promise<Readiness> {
    const failures = await Promise.all([
      within(PATIENCE_MS, probe()).then(() => null, failureOfDatabase),
      within(PATIENCE_MS, describe()).then(
        async (answer) => failureIn(answer) ?? (await compareWith(answer)),
        () => "the signer does not answer",
      ),
    ]);
    const [database, signer] = failures;
    const parts = { database: database === null, signer: signer === null };
    const reasons = failures.filter((failure) => failure !== null);
    sharedUntil = now() + SHARED_MS;
    return { ready: reasons.length === 0, reasons, parts };
  }

  return () => {
    if (last === null || now() >= sharedUntil) {
      // Until this check has ended, everybody waits for it.
      sharedUntil = Number.POSITIVE_INFINITY;
      last = check();
    }
    return last;
  };
}

const BEHIND =
  "the database is older than the signer has seen; if it was restored from a backup, stop the signer and run `npm run signer -- accept-restored-database` on its machine";

/**
 * Whether the whole database is older than the signer, and not one organization in it: then it lacks what was confirmed
 * last, in the order of the confirmations. An organization that is alone is the whole of it.
 */
async function isBehind(
  { db }: Pick<Store, "db">,
  newest: readonly NewestDocument[],
): Promise<boolean> {
  if (newest.length === 0) return false;
  const versions = await findVersions(
    db,
    newest.map(({ organizationId }) => organizationId),
  );
  const firstKept = newest.findIndex(
    ({ organizationId, version }) => (versions.get(organizationId) ?? 0) >= version,
  );
  const missing = firstKept < 0 ? newest.length : firstKept;
  return missing >= Math.min(2, newest.length);
}

function failureOfDatabase(error: unknown): string {
  if (isDiskFull(error)) return "the database's disk is full";
  return isReadOnly(error) ? "the database can only be read" : "the database does not answer";
}

function failureIn(answer: Answer): string | null {
  if (answer.kind === "error") return whyNot(answer.error.reason);
  // Somebody may have started a signer of another release since.
  return answer.kind === "description"
    ? olderRelease({ service: PROTOCOL, signer: answer.protocol ?? 0 })
    : null;
}

/** While a question is under way, everybody waits for its answer, however late that comes. */
function oneAtATime<T, Given extends unknown[]>(
  ask: (...given: Given) => Promise<T>,
): (...given: Given) => Promise<T> {
  let underWay: Promise<T> | null = null;
  return (...given) => {
    underWay ??= ask(...given).finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

function whyNot(reason: string): string {
  switch (reason) {
    case "DISK_FULL":
      return "the signer's disk is full";
    case "CLOCK_BACKWARDS":
    case "CLOCK_JUMPED":
      return "the signer does not believe its clock; its log says what to do";
    default:
      return "the signer refuses to work";
  }
}

function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("too slow")), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
