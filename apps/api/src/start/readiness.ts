import { type Answer, olderRelease, PROTOCOL } from "@keyhearth/engine/core/protocol";
import type { Host } from "../host/host.ts";
import { isDiskFull } from "../store/disk-full.ts";
import { isReadOnly } from "../store/unavailable.ts";

export type Readiness = { ready: boolean; reasons: string[] };

/** How long the database and the signer each have for their answer. */
const PATIENCE_MS = 2000;

/** Anybody may ask, as often as they like, so one result is everybody's for a moment. */
const SHARED_MS = 1000;

/**
 * The answer of `/readyz`: whether database and signer each can work, and say so within two seconds. However many
 * ask, one question to each is under way at most, and their answers count for a second.
 */
export function createReadiness(
  { store, askSigner }: Pick<Host, "store" | "askSigner">,
  now = () => performance.now(),
): () => Promise<Readiness> {
  const probe = oneAtATime(() => store.probe());
  const describe = oneAtATime(() => askSigner({ call: "describe", protocol: PROTOCOL }));
  let last: Promise<Readiness> | null = null;
  let sharedUntil = 0;

  async function check(): Promise<Readiness> {
    const failures = await Promise.all([
      within(PATIENCE_MS, probe()).then(() => null, failureOfDatabase),
      within(PATIENCE_MS, describe()).then(failureIn, () => "the signer does not answer"),
    ]);
    const reasons = failures.filter((failure) => failure !== null);
    sharedUntil = now() + SHARED_MS;
    return { ready: reasons.length === 0, reasons };
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
function oneAtATime<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= ask().finally(() => {
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
