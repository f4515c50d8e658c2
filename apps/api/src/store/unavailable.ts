import { ApiError } from "@keyhearth/engine/errors";

/**
 * Whether a statement failed because the database cannot work at the moment, which passes without anybody
 * changing the request: a connection was lost, refused, timed out or closed, the server starts or stops, has no
 * connection left, or is a standby that can only be read.
 */
export function isDatabaseDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code === "ENOENT") return "syscall" in error && error.syscall === "connect";
  if (isRefusedByPooler(error)) return false;
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|57P0|08|53300|25P03)/.test(code) ||
    isReadOnly(error) ||
    isSessionMixedUp(error) ||
    sentences.test(error.message) ||
    (code === "XX000" && LOST_NODE.test(error.message))
  );
}

/** What the driver and the embedded database say without a code. */
const sentences =
  /Connection terminated|is not queryable|Query read timeout|timeout exceeded when trying to connect|error establishing an SSL connection|database has stopped|calling end on the pool/;

/** What Citus says, with the code of an internal error, when a node ends that it was connected to. */
const LOST_NODE = /^(failure on connection marked as essential|connection to the remote node)/;

/** Whether an error passes by itself: the database or the signer is away, and comes back. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === "UNAVAILABLE";
  return isDatabaseDown(error);
}

/** Whether the database refuses to write, as a standby does. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY;
}

const READ_ONLY = "25006";

/**
 * Whether a session has not what this process prepared in it, or has it from another one: a pooler in transaction
 * mode is between, and nobody said so. The statement did not run.
 */
function isSessionMixedUp(error: unknown): boolean {
  return ["26000", "42P05"].includes(codeOf(error));
}

/** pgbouncer has one code for all that it refuses, and a wrong name or password does not pass. */
export function isRefusedByPooler(error: unknown): boolean {
  const isOwn = error instanceof Error && codeOf(error) === "08P01";
  return (
    isOwn && /^(no such|database .* does not exist|.*authentication failed)/.test(error.message)
  );
}

export function readOnlyError(): Error {
  return Object.assign(new Error("the database can only be read"), { code: READ_ONLY });
}

/**
 * Whether a connection is as good after this error as before: the statement was refused, and nothing else
 * happened.
 */
export function isRefusedStatement(error: unknown): boolean {
  return /^(22|23|40)/.test(codeOf(error));
}

export function databaseUnavailable(error: unknown): ApiError {
  if (isSessionMixedUp(error)) {
    const message =
      "a pooler lends the sessions of the database to several connections, which the service does not expect; its operator has to set DATABASE_POOLER to `transaction`; send the same bytes again then";
    return new ApiError("UNAVAILABLE", "DATABASE_UNAVAILABLE", message, { cause: error });
  }
  const message = isReadOnly(error)
    ? "the database can only be read at the moment, as a standby can; send the same bytes again once it takes writes"
    : "the database cannot be reached; send the same bytes again in a moment";
  return new ApiError("UNAVAILABLE", "DATABASE_UNAVAILABLE", message, { cause: error });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
