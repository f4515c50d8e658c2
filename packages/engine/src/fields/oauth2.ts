import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { QUORUM_MESSAGE_OVERHEAD } from "@keyhearth/crypto/sealing/quorum-message";
import * as z from "zod";
import { boundedText } from "./bounded-text.ts";
import { missingText, unshown } from "./parse.ts";
import { oneLine } from "./schemas.ts";

export const OAUTH2_PROVIDERS = ["OAUTH2_PROVIDER_X", "OAUTH2_PROVIDER_DISCORD"] as const;

export const Oauth2ProviderName = z
  .enum(OAUTH2_PROVIDERS, "invalid OAuth 2.0 provider")
  .describe("A provider that only speaks OAuth 2.0.")
  .meta({ id: "Oauth2Provider" });

export type Oauth2Provider = (typeof OAUTH2_PROVIDERS)[number];

/** As in the list of providers and in issuers: `x`. */
export function shortNameOf(provider: Oauth2Provider): string {
  return provider.replace("OAUTH2_PROVIDER_", "").toLowerCase();
}

export const Oauth2ClientId = oneLine
  .regex(/^[\x21-\x7e]+$/, "client_id must be set, in visible ASCII characters")
  .describe("The id that the provider gave to your application.")
  .meta({ examples: ["1029384756"] })
  .register(missingText, { text: "client_id must be set" });

/** Of a client secret. Those of providers have 32 to 64. */
export const MAX_CLIENT_SECRET_BYTES = 512;

const MAX_SECRET_HEX = 2 * (MAX_CLIENT_SECRET_BYTES + 256 + QUORUM_MESSAGE_OVERHEAD);

export const EncryptedClientSecret = boundedText(MAX_SECRET_HEX)
  .regex(/^([0-9a-f]{2})+$/, "must be the encrypted secret in lower-case hex")
  .describe(
    "The secret that the provider gave to your application, encrypted to the first half of the service’s quorum public key, as client libraries do it: `encryptOauth2ClientSecret`. Only the signer opens it.",
  )
  .meta({ examples: [encodeHex(new Uint8Array(QUORUM_MESSAGE_OVERHEAD + 32))] })
  .register(unshown, {});

const bounded = (name: string, most: number) =>
  z
    .string()
    .min(1, `${name} must be set`)
    .max(most, `must have at most ${most} characters`)
    .regex(/^[\x21-\x7e]*$/, "must have visible ASCII characters only");

export const AuthCode = bounded("auth_code", 4096)
  .describe("The code with which the provider sent the person back to your page.")
  .meta({ examples: ["NhhvTDYsFcdgNLnnLijcl7Ku7bEEeee"] })
  .register(unshown, {})
  .register(missingText, { text: "auth_code must be set" });

export const RedirectUri = bounded("redirect_uri", 2048)
  .describe("Where the provider sent the person back to, exactly as your page asked for it.")
  .meta({ examples: ["https://app.example.com/callback"] })
  .register(missingText, { text: "redirect_uri must be set" });

export const CodeVerifier = bounded("code_verifier", 256)
  .describe(
    "The verifier of PKCE (RFC 7636) whose digest your page sent to the provider. If it ends with `~` and 64 hex digits, these must be the `nonce`: then nobody who carries the request can use the code for another nonce.",
  )
  .meta({ examples: ["dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"] })
  .register(unshown, {})
  .register(missingText, { text: "code_verifier must be set" });

export const Oauth2Nonce = oneLine
  .min(1, "nonce must be set")
  .describe(
    "What the token has as its `nonce`. For a login it is the SHA-256 digest of the text of the public key that will log in, in lower-case hex.",
  )
  .meta({ examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"] });
