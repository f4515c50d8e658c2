import { parseUrl } from "@keyhearth/crypto/encoding/url";
import { readStateFile } from "@keyhearth/outbound/state-file";
import { SignerStateError } from "../state/state-error.ts";

/** Whose tokens count, and where the keys are that sign them. Nothing else is ever contacted. */
export type Issuer = {
  /** Exactly as in tokens. */
  issuer: string;
  /** Where the discovery document is, unless a file has the keys. */
  discoveryUrl: string;
  /** A file with the keys, for a signer without a network. */
  keysFile: string | null;
  /** May the issuer be at a private or loopback address, and speak http? */
  isPrivate: boolean;
};

export const ISSUERS_VARIABLE = "KEYHEARTH_OIDC_ISSUERS";
export const DEFAULT_ISSUERS = "google,apple,facebook";
export const MAX_DOCUMENT_BYTES = 1024 * 1024;

const MAX_ISSUERS = 100;

const presets: Record<string, string> = {
  google: "https://accounts.google.com",
  apple: "https://appleid.apple.com",
  facebook: "https://www.facebook.com",
};

const PRIVATE = "private:";

/**
 * Reads a list such as `google,apple,https://id.example.com`. `=` and a path after an entry name a file with
 * the issuer's keys, and `private:` before a URL allows a private address and http. `none` accepts no tokens.
 */
export function parseIssuers(text = DEFAULT_ISSUERS): Issuer[] {
  const entries = text.split(",").map((each) => each.trim());
  if (text.trim() === "none") return [];
  const issuers = entries.map(parseEntry);
  if (issuers.length > MAX_ISSUERS) {
    throw refused(`it lists ${issuers.length} issuers, and may list ${MAX_ISSUERS}`);
  }
  const names = issuers.map(({ issuer }) => issuer);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refused(`it lists ${twice} twice`);
  for (const { keysFile } of issuers) if (keysFile !== null) readKeysFile(keysFile);
  return issuers;
}

function parseEntry(entry: string): Issuer {
  const [name = "", keysFile, ...rest] = entry.split("=");
  const isPrivate = name.startsWith(PRIVATE);
  const given = isPrivate ? name.slice(PRIVATE.length) : name;
  const preset = !isPrivate && Object.hasOwn(presets, given) ? presets[given] : undefined;
  const issuer = preset ?? given;
  const url = parseUrl(issuer);
  const protocols = isPrivate ? ["https:", "http:"] : ["https:"];
  const isUrl =
    url !== null && protocols.includes(url.protocol) && !url.username && !url.search && !url.hash;
  if (!isUrl || rest.length > 0 || keysFile === "" || /[?#\s]/.test(issuer)) {
    throw refused(
      `\`${entry.slice(0, 80)}\` is not accepted; use google, apple, facebook, an https URL, or ${PRIVATE} and an http or https URL, each with or without = and the path of a file with its keys`,
    );
  }
  return {
    issuer,
    discoveryUrl: `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    keysFile: keysFile ?? null,
    isPrivate,
  };
}

/** The text of a file with keys. The operator may replace it at any time. */
export function readKeysFile(path: string): string {
  try {
    return readStateFile(path, MAX_DOCUMENT_BYTES).toString("utf8");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw refused(`the file ${path} with an issuer's keys cannot be read (${why})`);
  }
}

function refused(why: string): SignerStateError {
  return new SignerStateError(`${ISSUERS_VARIABLE}: ${why}`);
}
