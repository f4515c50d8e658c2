import { type KeyFormat, keyFormats } from "@keyhearth/crypto/sealing/key-text";
import { Refusal } from "./refusal.ts";

// What a message holds. It is from another page, so nothing about it is known.

export type Given = Readonly<Record<string, unknown>>;

/** The longest body of a request that the service takes, and of a bundle and settings much more than any has. */
export const LONGEST_PAYLOAD = 1024 * 1024;
const LONGEST_TEXT = 64 * 1024;

export function payloadOf(given: Given): string {
  return boundedTextOf(given, LONGEST_PAYLOAD);
}

/** A bundle, or settings. */
export function textOf(given: Given): string {
  return boundedTextOf(given, LONGEST_TEXT);
}

function boundedTextOf({ value }: Given, longest: number): string {
  if (typeof value === "string" && value !== "" && value.length <= longest) return value;
  const what =
    typeof value !== "string"
      ? "is no text"
      : value === ""
        ? "is empty"
        : `has ${value.length} characters`;
  throw new Refusal(`value ${what}; it must be text of 1 to ${longest} characters`);
}

/** Without it, a bundle of anybody would do. */
export function idOf(given: Given, name: "organizationId" | "userId"): string {
  const id = given[name];
  if (typeof id === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
  const what = id === undefined || id === null ? "is missing" : "is not an id";
  throw new Refusal(
    `${name} ${what}; pass the UUID, in lower case, of the one that the bundle was requested for`,
  );
}

export function keyFormatOf({ keyFormat }: Given): KeyFormat {
  if (keyFormat === undefined || keyFormat === null) return "HEXADECIMAL";
  const known = keyFormats.find((format) => format === keyFormat);
  if (known) return known;
  throw new Refusal(`keyFormat is not known; it must be one of ${keyFormats.join(", ")}`);
}

/** Of the key that signs. Refusals name it. */
export function addressOf({ address }: Given): string | undefined {
  if (address === undefined || address === null) return undefined;
  if (typeof address === "string" && /^[0-9A-Za-z:._-]{1,128}$/.test(address)) return address;
  throw new Refusal("address must be text of 1 to 128 letters and digits");
}

/** Undefined for a message that is none of this protocol. */
export function asGiven(data: unknown): Given | undefined {
  return typeof data === "object" && data !== null && !Array.isArray(data)
    ? (data as Given) // members are unknown
    : undefined;
}
