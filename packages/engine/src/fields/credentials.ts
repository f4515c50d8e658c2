import { decodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import * as z from "zod";
import { boundedText } from "./bounded-text.ts";
import { missingText, unshown } from "./parse.ts";
import { label, list, MAX_OIDC_TOKEN_LENGTH, oneLine, UserId } from "./schemas.ts";

/** Field types of the credentials that requests register: API keys, passkeys and social logins. */

/** Seconds as a decimal string. Some clients send a number. */
export const ExpirationSeconds = z
  .union(
    [
      z.string().regex(/^[1-9]\d{0,9}$/, "invalid api key expiration"),
      z.int("invalid api key expiration").min(1, "invalid api key expiration").max(9_999_999_999),
    ],
    "invalid api key expiration",
  )
  .transform(String)
  .describe("Lifetime in seconds, as a decimal string. Leave it out for a long-lived key.")
  .meta({ examples: ["900"] });

const ApiKeyCurve = z
  .enum(
    ["API_KEY_CURVE_P256", "API_KEY_CURVE_SECP256K1", "API_KEY_CURVE_ED25519"],
    "invalid api key curve",
  )
  .describe("Curve of the API key.")
  .meta({ id: "ApiKeyCurve" });

const ApiKeyPublicKey = z
  .string()
  .regex(/^([0-9a-fA-F]{66}|[0-9a-fA-F]{64})$/, "expected 66 hex characters (64 for Ed25519)")
  .transform((value) => value.toLowerCase())
  .describe("Compressed public key in hex: 66 characters, or 64 for Ed25519.")
  .meta({
    examples: ["02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"],
  });

export const ApiKeyParams = z
  .strictObject({
    apiKeyName: label("Name of the API key."),
    publicKey: ApiKeyPublicKey,
    expirationSeconds: ExpirationSeconds.optional(),
  })
  .describe("A P-256 API key to register.")
  .meta({ id: "ApiKeyParams" });

export const ApiKeyParamsV2 = z
  .strictObject({
    apiKeyName: label("Name of the API key."),
    publicKey: ApiKeyPublicKey,
    curveType: ApiKeyCurve,
    expirationSeconds: ExpirationSeconds.optional(),
  })
  .describe("An API key to register.")
  .meta({ id: "ApiKeyParamsV2" });
export type ApiKeyParamsV2 = z.output<typeof ApiKeyParamsV2>;

export const AuthenticatorTransport = z
  .enum([
    "AUTHENTICATOR_TRANSPORT_BLE",
    "AUTHENTICATOR_TRANSPORT_INTERNAL",
    "AUTHENTICATOR_TRANSPORT_NFC",
    "AUTHENTICATOR_TRANSPORT_USB",
    "AUTHENTICATOR_TRANSPORT_HYBRID",
  ])
  .describe("How the browser communicates with the authenticator.")
  .meta({ id: "AuthenticatorTransport" });

function base64Url(max: number, description: string) {
  return boundedText(max)
    .regex(/^[A-Za-z0-9_-]+$/, "expected base64url without padding")
    .refine((value) => value.length % 4 !== 1, "expected base64url without padding")
    .refine(
      isBase64Url,
      "expected base64url in which the unused bits of the last character are zero",
    )
    .describe(`${description}, base64url.`);
}

/** Bytes have one spelling here: the last character may have bits that belong to no byte. */
function isBase64Url(value: string): boolean {
  try {
    decodeBase64Url(value);
    return true;
  } catch {
    return false;
  }
}

const CredentialId = base64Url(256, "Credential id");
const ClientData = base64Url(4096, "Client data");
const AttestationObject = base64Url(16_384, "Attestation object");
const Challenge = base64Url(256, "Challenge used at registration");

const Attestation = z
  .strictObject({
    credentialId: CredentialId,
    clientDataJson: ClientData,
    attestationObject: AttestationObject,
    transports: list(
      AuthenticatorTransport,
      "Transports by which the authenticator can be reached.",
    ),
  })
  .describe("What the browser returned at registration.")
  .meta({ id: "Attestation" })
  .register(missingText, { text: "missing parameter: user authenticator attestation" });

export const AuthenticatorParamsV2 = z
  .strictObject({
    authenticatorName: label("Name of the authenticator."),
    challenge: Challenge,
    attestation: Attestation,
  })
  .describe("A passkey to register.")
  .meta({ id: "AuthenticatorParamsV2" });
export type AuthenticatorParamsV2 = z.output<typeof AuthenticatorParamsV2>;

const SimpleClientExtensionResults = z
  .strictObject({
    appid: z.boolean().describe("Result of the appid extension.").optional(),
    appidExclude: z.boolean().describe("Result of the appidExclude extension.").optional(),
    credProps: z
      .strictObject({ rk: z.boolean().describe("Whether the key is discoverable.") })
      .describe("Result of the credProps extension.")
      .meta({ id: "CredPropsAuthenticationExtensionsClientOutputs" })
      .optional(),
  })
  .describe("Client extension results.")
  .meta({ id: "SimpleClientExtensionResults" });

const Attachment = z
  .enum(["cross-platform", "platform"])
  .describe("Whether the authenticator is built in.");

export const AuthenticatorParams = z
  .strictObject({
    authenticatorName: label("Name of the authenticator."),
    userId: UserId,
    attestation: z
      .strictObject({
        id: CredentialId,
        type: z.enum(["public-key"]).describe("Always `public-key`."),
        rawId: CredentialId,
        authenticatorAttachment: Attachment.optional(),
        response: z
          .strictObject({
            clientDataJson: ClientData,
            attestationObject: AttestationObject,
            transports: z
              .array(AuthenticatorTransport)
              .max(100, "must have at most 100 entries")
              .describe("Transports by which the authenticator can be reached.")
              .optional(),
            authenticatorAttachment: Attachment.optional(),
          })
          .describe("The authenticator's answer.")
          .meta({ id: "AuthenticatorAttestationResponse" }),
        clientExtensionResults: SimpleClientExtensionResults,
      })
      .refine(({ id, rawId }) => id === rawId, { error: "must be the `id`", path: ["rawId"] })
      .describe("The browser's credential.")
      .meta({ id: "PublicKeyCredentialWithAttestation" })
      .register(missingText, { text: "missing parameter: user authenticator attestation" }),
    challenge: Challenge,
  })
  .describe("A passkey to register, in the oldest format.")
  .meta({ id: "AuthenticatorParams" });
export type AuthenticatorParams = z.output<typeof AuthenticatorParams>;

const ProviderName = label("Name of the provider.");

/** Until it expires it says who somebody is, so no message shows the value. */
export const OidcToken = z
  .string()
  .min(1, "must not be empty")
  .max(MAX_OIDC_TOKEN_LENGTH, `must have at most ${MAX_OIDC_TOKEN_LENGTH} characters`)
  .describe("OpenID Connect ID token, as the provider issued it.")
  .register(unshown, {});

export const OauthProviderParams = z
  .strictObject({ providerName: ProviderName, oidcToken: OidcToken })
  .describe("A social login to register, by token.")
  .meta({ id: "OauthProviderParams" });

/** Identity providers and clients choose these. They match only exactly. */
const Claim = oneLine.min(1, "must not be empty");

const OidcClaims = z
  .strictObject({
    iss: Claim.describe("Issuer, exactly as in tokens.").meta({
      examples: ["https://accounts.example.com"],
    }),
    sub: Claim.describe("Subject: the person, as the issuer names them.").meta({
      examples: ["110169484474386276334"],
    }),
    aud: Claim.describe("Audience: your client id at the issuer.").meta({
      examples: ["my-app.example.com"],
    }),
  })
  .describe("Claims to trust instead of a token. Nothing proves that they are the user's.")
  .meta({ id: "OidcClaims" });

export const OauthProviderParamsV2 = z
  .strictObject({
    providerName: ProviderName,
    oidcToken: OidcToken.optional(),
    oidcClaims: OidcClaims.optional(),
  })
  .refine(({ oidcToken, oidcClaims }) => oidcToken !== undefined || oidcClaims !== undefined, {
    error: "expected `oidcToken`, or `oidcClaims` with iss, sub and aud",
    path: ["oidcToken"],
  })
  .refine(({ oidcToken, oidcClaims }) => oidcToken === undefined || oidcClaims === undefined, {
    error: "expected `oidcToken` or `oidcClaims`, not both",
    path: ["oidcToken"],
  })
  .describe("A social login to register: by token, or by claims.")
  .meta({ id: "OauthProviderParamsV2" });
