import { decodeBase64Url, decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { tokenName, type Verdicts } from "@keyhearth/engine/people/attestation-statements";
import { TOKEN_ALGORITHMS } from "@keyhearth/engine/people/oidc-tokens";
import { createIssuerKeys, type IssuerKeys, type KeyHint, KeysError } from "./issuer-keys.ts";
import type { Issuer } from "./issuers.ts";

/**
 * Verifies the signatures of tokens with the keys of their issuers. The verdict is about exactly this text;
 * the core reads what it says.
 */
export type TokenVerifier = (tokens: readonly string[]) => Promise<Verdicts>;

export function createTokenVerifier(
  issuers: readonly Issuer[],
  keysOf: (issuer: Issuer) => IssuerKeys = createIssuerKeys,
): TokenVerifier {
  const keys = new Map(issuers.map((each) => [each.issuer, keysOf(each)]));
  const accepted = issuers.map(({ issuer }) => issuer).join(", ") || "none";

  async function verify(token: string): Promise<true | string> {
    const { issuer, hint } = read(token);
    const known = keys.get(issuer);
    if (!known) return `its issuer is not accepted; this service accepts ${accepted}`;
    try {
      return await isSignedBy(await known.find(hint), token, hint.alg);
    } catch (error) {
      return error instanceof KeysError ? error.message : "it does not verify";
    }
  }

  return async (tokens) => {
    const verdicts = await Promise.all(
      tokens.map(
        async (token) => [tokenName(token), await verify(token).catch(() => false)] as const,
      ),
    );
    return new Map(verdicts);
  };
}

async function isSignedBy(keys: readonly CryptoKey[], token: string, alg: string) {
  // The library takes 12 MB of memory, and most signers see no tokens.
  const { compactVerify } = await import("jose");
  for (const key of keys) {
    try {
      // Headers that name or contain a key mean nothing here.
      await compactVerify(token, key, { algorithms: [alg] });
      return true;
    } catch {
      // The next key may have signed it.
    }
  }
  return "its signature does not verify with the keys of its issuer";
}

/** The core has read the token before, in the same way. */
function read(token: string): { issuer: string; hint: KeyHint } {
  const [header, payload] = token
    .split(".", 2)
    .map((part) => parseStrictJson(decodeUtf8(decodeBase64Url(part))) as Record<string, unknown>);
  const { alg, kid } = header ?? {};
  if (typeof alg !== "string" || !TOKEN_ALGORITHMS.includes(alg)) throw new Error("algorithm");
  if (kid !== undefined && typeof kid !== "string") throw new Error("key id");
  return { issuer: String(payload?.iss), hint: { alg, kid } };
}
