import { ApiError } from "@keyhearth/engine/errors";

export function organizationNotFound(organizationId: string): ApiError {
  return new ApiError(
    "NOT_FOUND",
    "ORGANIZATION_NOT_FOUND",
    `no organization found with the given ID: \`${organizationId}\``,
    { field: "organizationId" },
  );
}

/** What clients see of a bug: no details. */
export function internalError(cause?: unknown): ApiError {
  return new ApiError("INTERNAL", "INTERNAL", "internal server error", { cause });
}
