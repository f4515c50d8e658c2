import { asObject } from "../errors/as-object.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import type { EndReason } from "./tabs.ts";

/** Who is logged in, with what, until when. */
export type Session = {
  readonly organizationId: string;
  readonly userId: string;
  /** The session's key: P-256, compressed, in hex. */
  readonly publicKey: string;
  readonly expiresAtMs: number;
  /** The signed statement (JWT) of all this. It authenticates nobody. */
  readonly token: string;
};

/** `revoked`: the service no longer knows the session. `lost`: the browser no longer has its key. */
export type SessionEvent =
  | { type: "started" | "refreshed"; session: Session }
  | { type: "ended"; session: Session; reason: EndReason };

export type SessionListener = (event: SessionEvent) => void;

/** How long a session lasts, and whether it ends others. */
export type SessionRequest = {
  /** In seconds. Default: 900. */
  expirationSeconds?: number;
  /** Ends the user's other sessions. Default: false. */
  invalidateExisting?: boolean;
  signal?: AbortSignal;
};

/** Throws `InvalidField` for something else in the place of a keeper. */
export function checkKeeper(keeper: { connectionFor: unknown }): void {
  if (typeof keeper?.connectionFor === "function") return;
  throw invalidFields({ field: "keeper", message: "must be a SessionKeeper" });
}

/** Throws `InvalidField` unless the program's backend has these functions. */
export function checkBackend(backend: object, ...names: string[]): void {
  const has: Record<string, unknown> = { ...backend };
  // A class has its methods in its prototype.
  const missing = names.filter(
    (name) => typeof (has[name] ?? Reflect.get(Object(backend), name)) !== "function",
  );
  if (missing.length === 0) return;
  throw invalidFields(
    ...missing.map((name) => ({ field: `backend.${name}`, message: "must be a function" })),
  );
}

/** What the program's backend answers to a login. Without an organization, the login may be in any one. */
export function loginAnswer(answer: { session: string; organizationId?: string }) {
  const { session, organizationId } = asObject(answer);
  return organizationId === undefined ? { session } : { session, organizationId };
}

/** The parameters and options of a login. */
export function loginOf({ expirationSeconds, invalidateExisting, signal }: SessionRequest) {
  return {
    parameters: {
      ...(expirationSeconds === undefined ? {} : { expirationSeconds: String(expirationSeconds) }),
      ...(invalidateExisting === undefined ? {} : { invalidateExisting }),
    },
    options: signal ? { signal } : {},
  };
}
