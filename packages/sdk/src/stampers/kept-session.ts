import { SessionEnded } from "../errors/errors.ts";
import type { KeyEntry } from "./key-storage.ts";
import type { P256Key } from "./p256-key.ts";

/** A session with its key, as it is kept. */
export type KeptSession = P256Key & {
  readonly organizationId: string;
  readonly userId: string;
  readonly expiresAtMs: number;
  /** The signed statement with which the login was answered. */
  readonly token: string;
  /** How long the login asked for, in seconds, if it did. */
  readonly expirationSeconds?: number | undefined;
  /** The key of the session that this one prolongs. */
  readonly prolongs?: string | undefined;
};

/** Who logged in. */
export type Person = { readonly organizationId: string; readonly userId: string };

export function isSamePerson(one: Person, other: Person): boolean {
  return one.organizationId === other.organizationId && one.userId === other.userId;
}

/** The name of the entry for the session of this name. */
export function sessionEntry(name: string): string {
  return `session:${name}`;
}

/** The entry as a session, or undefined if it is something else. */
export function asSession(entry: KeyEntry | undefined): KeptSession | undefined {
  if (!entry) return undefined;
  const { publicKey, privateKey, organizationId, userId, expiresAtMs, token } = entry;
  const seconds = entry.expirationSeconds;
  const expirationSeconds = typeof seconds === "number" ? seconds : undefined;
  const prolongs = typeof entry.prolongs === "string" ? entry.prolongs : undefined;
  if (
    typeof organizationId !== "string" ||
    typeof userId !== "string" ||
    typeof expiresAtMs !== "number" ||
    typeof token !== "string"
  ) {
    return undefined;
  }
  const key = { publicKey, privateKey };
  return { ...key, organizationId, userId, expiresAtMs, token, expirationSeconds, prolongs };
}

/** The error for a request without a session. */
export function ended(
  what: string,
  facts: { docsUrl?: string; cause?: unknown } = {},
): SessionEnded {
  return new SessionEnded(`${what}. Ask the user to log in again`, {
    ...facts,
    code: "SESSION_ENDED",
  });
}
