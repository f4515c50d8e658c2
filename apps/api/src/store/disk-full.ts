import { ApiError } from "@keyhearth/engine/errors";

/** Whether a write failed because its disk, or this user's share of it, is full. */
export function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  // 53100 is PostgreSQL's own code, and the embedded database uses it too.
  return ["53100", "ENOSPC", "EDQUOT"].includes(code);
}

export function databaseDiskFull(): ApiError {
  return new ApiError(
    "UNAVAILABLE",
    "DISK_FULL",
    "the database's disk is full, so nothing can be written; send the same bytes again once its operator has freed some space",
  );
}
