import { isUuid } from "@keyhearth/engine/fields/schemas";

/** A larger body that is refused is not read again. */
const MAX_BYTES = 16 * 1024;

/** The organization that a refused request names, for the log: whatever else is wrong with the request. */
export function organizationNamedIn(body: Uint8Array): string | undefined {
  if (body.length > MAX_BYTES) return undefined;
  try {
    const { organizationId }: { organizationId?: unknown } = JSON.parse(
      new TextDecoder().decode(body),
    );
    return typeof organizationId === "string" && isUuid(organizationId)
      ? organizationId
      : undefined;
  } catch {
    return undefined;
  }
}
