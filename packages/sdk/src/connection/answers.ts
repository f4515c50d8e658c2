import type { Activity } from "../generated/types.ts";
import { serviceAddress } from "./service-address.ts";

// What is read of every answer.

/** The page that lists every code. */
const ERRORS_PAGE = "/developer-reference/api-overview/errors";

/** The address of the entry for a code that the SDK itself gives. */
export function pageOf(baseUrl: string, code: string): string {
  return `${serviceAddress(baseUrl)}${ERRORS_PAGE}#${code.toLowerCase().replaceAll("_", "-")}`;
}

/** Whether the service still works on the activity. */
export function isInProgress({ status }: Activity): boolean {
  return status === "ACTIVITY_STATUS_CREATED" || status === "ACTIVITY_STATUS_PENDING";
}

/** The seconds of a Retry-After header in milliseconds. Other forms of the header are not used. */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  return value !== null && /^\d{1,9}$/.test(value) ? Number(value) * 1000 : undefined;
}

export function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
