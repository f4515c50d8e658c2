import { decodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import { alreadyExists, invalid } from "../errors.ts";
import type { CredentialType } from "../fields/logins.ts";
import { requireUser, type User } from "../records/organization.ts";
import {
  addEntries,
  addKeyEpoch,
  endRecovery,
  isEpochOf,
  isRecoveryKey,
  moveToNewEpoch,
  type SessionEntry,
} from "../records/sessions.ts";
import { PASSKEY_SCHEME } from "./authenticate.ts";
import { keyEndedAtMs } from "./ended-users.ts";
import { keyNameOf, takenPublicKeys } from "./taken-keys.ts";
import type { PersonTools } from "./tools.ts";

// Sessions: expiring credentials that a login adds to the user's sessions record (decision 11).

export const DEFAULT_SESSION_SECONDS = "900";

/**
 * Refuses a login, or another request for an expiring key, that was stamped before the user's sessions
 * were ended. The host could deliver one again until its timestamp is too old: nothing remembers
 * logins, nor a request that the host said to have committed and did not.
 */
export function checkStampedSince(
  { requestedAtMs, nowMs }: Pick<PersonTools, "requestedAtMs" | "nowMs">,
  { sessionEpochStartedAtMs }: Pick<User, "sessionEpochStartedAtMs">,
) {
  if (requestedAtMs > sessionEpochStartedAtMs) return;
  const ended = new Date(sessionEpochStartedAtMs).toISOString();
  const seconds = Math.max(0, Math.ceil((sessionEpochStartedAtMs - requestedAtMs) / 1000));
  const isAhead = sessionEpochStartedAtMs > nowMs;
  throw invalid(
    "timestampMs",
    `\`timestampMs\` is ${seconds} s before ${ended}, when the user's sessions were ended: stamp the request again${isAhead ? " after that time" : ""}; if it is refused again, check this machine's clock`,
    "TIMESTAMP_OUT_OF_RANGE",
  );
}

/** The same for a login that an API key or a passkey proves, if another user had it when the login was stamped. */
export function checkKeySince(
  context: Pick<PersonTools, "requestedAtMs" | "nowMs" | "document" | "startedBy">,
) {
  const { publicKey, scheme } = context.startedBy;
  const name = scheme === PASSKEY_SCHEME ? keyNameOf(decodeBase64Url(publicKey)) : publicKey;
  const sessionEpochStartedAtMs = keyEndedAtMs(context, name);
  checkStampedSince(context, { sessionEpochStartedAtMs });
}

/** A key belongs to one user, who may log in with it again. */
export function checkSessionKey(
  { document, records, nowMs }: PersonTools,
  userId: string,
  publicKey: string,
) {
  if (!takenPublicKeys({ document, records, nowMs }, userId).has(publicKey)) return;
  const message = `an API key with public key \`${publicKey}\` already exists in this organization: make a new key pair for each session`;
  throw alreadyExists("PUBLIC_KEY_TAKEN", "parameters.publicKey", message);
}

export type NewSession = {
  apiKeyId: string;
  apiKeyName: string;
  publicKey: string;
  type: CredentialType;
  expirationSeconds?: string | undefined;
  invalidateExisting?: boolean | undefined;
  /**
   * Whether the key counts only with the document that registers it. So the request runs once, and a
   * host cannot use what was never committed.
   */
  isRegistered?: boolean;
};

/** A session counts without the document that began it, until it expires. */
export function givesSession({
  expirationSeconds = DEFAULT_SESSION_SECONDS,
}: {
  expirationSeconds?: string | undefined;
}) {
  return { seconds: Number(expirationSeconds) };
}

/** A login that ends other sessions changes the document, which alone can end them for certain. */
export function changesOfLogin({
  invalidateExisting = false,
}: {
  invalidateExisting?: boolean | undefined;
}) {
  return invalidateExisting ? ("document" as const) : ("sessions" as const);
}

/** Adds a session of the user. Returns its entry. */
export function startSession(context: PersonTools, user: User, given: NewSession): SessionEntry {
  const { userId } = user;
  const { nowMs } = context;
  const { apiKeyId, apiKeyName, publicKey, type, expirationSeconds } = given;
  const { entries } = context.records.sessions(userId);
  const isOther = ({ credential }: SessionEntry) => credential.publicKey !== publicKey;
  const seconds = Number(expirationSeconds ?? DEFAULT_SESSION_SECONDS);
  const begun = beginSession(context, user, {
    kept: entries.filter((each) => isOther(each) && isEpochOf(user, each)),
    given,
    untilMs: nowMs + seconds * 1000,
  });
  const entry: SessionEntry = {
    apiKeyId,
    apiKeyName,
    credential: { publicKey, type },
    sessionEpoch: begun.sessionEpoch,
    expirationSeconds: seconds,
    createdAtMs: nowMs,
    ...(!context.isVoted && { request: context.requestName() }),
  };
  const current = { userId, entries: begun.kept };
  context.write.sessions(addEntries(current, [entry], { user: begun.user, nowMs }));
  return entry;
}

/**
 * The epoch of a new session, and the entries that stay. Only the document can end sessions for certain:
 * the host could bring an earlier sessions record. A session that votes decided counts with the document
 * that says so alone, or it could begin although the activity was rejected in the end. A new key that
 * recovers the user ends the one before, and no other session.
 */
function beginSession(
  context: PersonTools,
  user: User,
  {
    kept,
    given: { type, invalidateExisting, isRegistered },
    untilMs,
  }: { kept: SessionEntry[]; given: NewSession; untilMs: number },
): { user: User; sessionEpoch: number; kept: SessionEntry[] } {
  if (!invalidateExisting && !isRegistered && !context.isVoted) {
    return { user, sessionEpoch: user.sessionEpoch, kept };
  }
  const draft = requireUser(context.update(), user.userId);
  const isRecovery = isRecoveryKey({ type });
  if (isRecovery) endRecovery(draft);
  else if (invalidateExisting) {
    const others = kept.filter(({ credential }) => credential.type !== type);
    const moved = moveToNewEpoch(draft, others, context);
    return { user: draft, sessionEpoch: draft.sessionEpoch, kept: moved };
  }
  const { random, nowMs } = context;
  const line = { random, nowMs, untilMs, ...(isRecovery && { isRecovery }) };
  return { user: draft, sessionEpoch: addKeyEpoch(draft, line), kept };
}

/** The default name of a session's key. */
export function nameOfSession(kind: string, nowMs: number): string {
  return `${kind} - ${new Date(nowMs).toISOString()}`;
}
