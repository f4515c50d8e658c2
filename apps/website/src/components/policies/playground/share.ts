import {
  decodeBase64Url,
  decodeUtf8,
  encodeBase64Url,
  encodeUtf8,
} from "@keyhearth/crypto/encoding/bytes";
import { attempt } from "./read-json.ts";
import { type Draft, readPolicies, writePolicies } from "./read-policies.ts";

/** What a link carries, in its fragment, which no browser sends to a server. */
export type Shared = { policies: Draft[]; request: string };

const NAME = "policies";

/** More than this is not worth a link: some programs cut longer ones. */
const MOST = 16_000;

/** The fragment with its `#`. Null if it would be too long. */
export function fragmentOf({ policies, request }: Shared): string | null {
  const json = JSON.stringify([JSON.parse(writePolicies(policies)).policies, request]);
  const text = encodeBase64Url(encodeUtf8(json.toWellFormed()));
  return text.length > MOST ? null : `#${NAME}=${text}`;
}

/** What a fragment carries, or `broken`. Null if it is another one. */
export function readFragment(fragment: string): Shared | "broken" | null {
  if (!fragment.startsWith(`#${NAME}=`)) return null;
  try {
    const json: unknown = JSON.parse(decodeUtf8(decodeBase64Url(fragment.slice(NAME.length + 2))));
    if (!Array.isArray(json) || json.length !== 2 || typeof json[1] !== "string") return "broken";
    const read = attempt(() => readPolicies(JSON.stringify(json[0])));
    return "fault" in read ? "broken" : { policies: read.value, request: json[1] };
  } catch {
    return "broken";
  }
}
