import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { OidcToken } from "../fields/credentials.ts";
import { AuthCode, CodeVerifier, Oauth2Nonce, RedirectUri } from "../fields/oauth2.ts";
import { Oauth2CredentialId, TargetPublicKey } from "../fields/schemas.ts";
import { checkVerifier, exchangeCode, findOauth2Credential } from "../people/oauth2-credentials.ts";
import { OAUTH2_TOKEN_SECONDS } from "../people/oauth2-tokens.ts";
import { encodeSecret } from "../vault/secrets.ts";

const credentialAt = "parameters.oauth2CredentialId";

/** Exchanges the code of a provider that only speaks OAuth 2.0 for a token that says who somebody is. */
export const oauth2Authenticate = defineActivity({
  name: "oauth2_authenticate",
  tag: "User Auth",
  summary: "OAuth 2.0 authentication",
  description:
    "Exchange the code of a provider that only speaks OAuth 2.0. The signer asks the provider who the person is, and signs a token that every request with an `oidcToken` accepts for 15 minutes: in the organization whose credential it is, and in its sub-organizations. A code works once.",
  policy: { resource: "AUTH", action: "CREATE" },
  changes: "nothing",
  givesBeside: () => ({ seconds: OAUTH2_TOKEN_SECONDS }),
  answer: { secret: "if voted", private: ["oidcToken"], failures: "refused" },
  defaultType: "ACTIVITY_TYPE_OAUTH2_AUTHENTICATE",
  versions: {
    ACTIVITY_TYPE_OAUTH2_AUTHENTICATE: {
      intentKey: "oauth2AuthenticateIntent",
      resultKey: "oauth2AuthenticateResult",
      intent: z.strictObject({
        oauth2CredentialId: Oauth2CredentialId.describe("The credential of the provider."),
        authCode: AuthCode,
        redirectUri: RedirectUri,
        codeVerifier: CodeVerifier,
        nonce: Oauth2Nonce,
        bearerTokenTargetPublicKey: TargetPublicKey.describe(
          "Public key to which the provider’s own token is encrypted, as the claim `encrypted_bearer_token`. Without it, nobody gets that token.",
        ).optional(),
      }),
      result: z.strictObject({
        oidcToken: OidcToken.describe("The token, which says who the person is at the provider."),
      }),
    },
  },
  example: {
    oauth2CredentialId: "8f415263-aeb5-4ac6-9fd7-405162738495",
    authCode: "NhhvTDYsFcdgNLnnLijcl7Ku7bEEeee",
    redirectUri: "https://app.example.com/callback",
    codeVerifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    nonce: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  },

  check({ document }, intent) {
    checkAll(
      () => void findOauth2Credential(document, intent.oauth2CredentialId, credentialAt),
      () => checkVerifier(intent),
    );
  },

  // Only a request that is allowed gets to reach the provider.
  execute(context, { oauth2CredentialId, nonce, bearerTokenTargetPublicKey, ...code }) {
    const line = findOauth2Credential(context.document, oauth2CredentialId, credentialAt);
    const { provider, clientId } = line;
    const wantsBearerToken = bearerTokenTargetPublicKey !== undefined;
    const { subject, bearerToken, askedAtMs } = exchangeCode(context, line, {
      ...code,
      wantsBearerToken,
    });
    const encryptedBearerToken =
      bearerToken !== null && bearerTokenTargetPublicKey !== undefined
        ? context.bundles.credential(
            encodeSecret(bearerToken),
            decodeHex(bearerTokenTargetPublicKey),
          )
        : undefined;
    const oidcToken = context.oauth2.createToken({
      provider,
      clientId,
      subject,
      nonce,
      authCode: code.authCode,
      issuedAtMs: askedAtMs,
      encryptedBearerToken,
      ...(!context.isVoted && { request: context.requestName() }),
    });
    return { oidcToken };
  },
});
