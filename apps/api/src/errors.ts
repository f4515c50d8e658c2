import { ApiError } from "@keyhearth/engine/errors";

export function organizationNotFound(organizationId: string): ApiError {
  return new ApiError(
    "NOT_FOUND",
    "ORGANIZATION_NOT_FOUND",
    `no organization found with the given ID: \`${organizationId}\``,
    { field: "organizationId" },
  );
}

/** A bug, as clients hear of it: without detail. */
export function internalError(cause?: unknown): ApiError {
  return new ApiError("INTERNAL", "INTERNAL", "internal server error", { cause });
}
