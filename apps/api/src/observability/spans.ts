import { AsyncLocalStorage } from "node:async_hooks";
import { ApiError } from "@keyhearth/engine/errors";

/** All that spans say. Nothing that a client sent is among it, except ids that were checked (decision 32). */
export type Attributes = {
  "http.request.method"?: string;
  "http.route"?: string;
  "http.response.status_code"?: number;
  /** The reason of an error's answer, a code of the database, or the class of an error. Never its text. */
  "error.type"?: string;
  "keyhearth.organization.id"?: string;
  "keyhearth.activity.id"?: string;
  "keyhearth.activity.type"?: string;
  "keyhearth.signer.call"?: string;
  /** What the signer says of its own time. */
  "keyhearth.signer.queue_ms"?: number;
  "keyhearth.signer.work_ms"?: number;
  /** How many requests shared the commit. */
  "keyhearth.commit.size"?: number;
  "keyhearth.delivery.outcome"?: string;
  "db.system.name"?: "postgresql";
};

/** A part of the work for a request that is traced. */
export type Span = {
  readonly ids: { traceId: string; spanId: string };
  child(name: string, kind: "internal" | "client"): Span;
  set(attributes: Attributes): void;
  end(): void;
};

/**
 * The span in which this code runs. There is none while nothing is traced, and then the functions below only call what
 * they are given.
 */
const current = new AsyncLocalStorage<Span | undefined>();

export function currentSpan(): Span | undefined {
  return current.getStore();
}

/** Does work in a span, or, without one, outside of the span that happens to be there. */
export function inSpan<T>(span: Span | undefined, work: () => T): T {
  return current.getStore() === span ? work() : current.run(span, work);
}

/** Does a part of the work in a span of its own, if the work is traced. */
export function traced<T>(
  name: string,
  work: (span: Span | undefined) => Promise<T>,
  kind: "internal" | "client" = "internal",
): Promise<T> {
  const parent = current.getStore();
  if (!parent) return work(undefined);
  const span = parent.child(name, kind);
  return endWith(span, () => current.run(span, () => work(span)));
}

/** A statement of the database, by its name. Its text and its values stay here. */
export function tracedStatement<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (!current.getStore()) return work();
  return traced(
    `statement ${name || "unnamed"}`,
    (span) => {
      span?.set({ "db.system.name": "postgresql" });
      return work();
    },
    "client",
  );
}

/** Traces how long work waits until it begins. */
export function tracedWait<T>(
  name: string,
  run: (work: () => Promise<T>) => Promise<T>,
  work: () => Promise<T>,
): Promise<T> {
  const parent = current.getStore();
  if (!parent) return run(work);
  const span = parent.child(name, "internal");
  let hasBegun = false;
  const end = (error?: unknown) => {
    if (hasBegun) return;
    hasBegun = true;
    if (error !== undefined) span.set({ "error.type": errorTypeOf(error) });
    span.end();
  };
  return run(() => {
    end();
    return inSpan(parent, work);
  }).catch((error: unknown) => {
    end(error);
    throw error;
  });
}

/** Ends the span with the work. */
export async function endWith<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    span.set({ "error.type": errorTypeOf(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** Texts of errors repeat what was sent. */
function errorTypeOf(error: unknown): string {
  if (error instanceof ApiError) return error.reason;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code === "string" && /^[\w-]{1,40}$/.test(code)) return code;
  return "error";
}

/** What the query builder's statement does, and to which table. All of its texts are in this repository. */
export function summaryOf(text: string): string {
  const [, verb = "statement"] = /^\s*(\w+)/.exec(text) ?? [];
  const [, table = ""] = /\b(?:from|into|update) "(\w+)"/.exec(text) ?? [];
  return `${verb.toLowerCase()} ${table}`.trimEnd();
}
