import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { OidcToken } from "../fields/credentials.ts";
import { ApiKeyId, CredentialBundle, label, TargetPublicKey, UserId } from "../fields/schemas.ts";
import { InvalidateExisting, SessionSeconds } from "../fields/sessions.ts";
import { issueSessionKey, withSessionDefaults } from "../people/logins.ts";
import { checkTokenLogin, wantedForToken } from "../people/oidc-logins.ts";
import { changesOfLogin, givesSession, nameOfSession } from "../people/sessions.ts";

const at = { token: "parameters.oidcToken", key: "parameters.targetPublicKey" };

/** Logs in by an OpenID Connect token, with a key that the core makes and encrypts to the client. */
export const oauth = defineActivity({
  name: "oauth",
  tag: "User Auth",
  summary: "OAuth",
  description:
    "Start a session of the user whose social login the token proves, with a key that the service makes and returns, encrypted to your key. The token's `nonce` (or `tknonce`) must be the SHA-256 digest of the text of `targetPublicKey`, in lower-case hex. Social logins are for users of sub-organizations.",
  policy: { resource: "AUTH", action: "CREATE" },
  sentBy: ["user", "parent's user"],
  changes: changesOfLogin,
  givesBeside: givesSession,
  defaultType: "ACTIVITY_TYPE_OAUTH",
  versions: {
    ACTIVITY_TYPE_OAUTH: {
      intentKey: "oauthIntent",
      resultKey: "oauthResult",
      intent: z.strictObject({
        oidcToken: OidcToken,
        targetPublicKey: TargetPublicKey,
        apiKeyName: label("Name of the session's key. `Oauth` and the time by default.").optional(),
        expirationSeconds: SessionSeconds,
        invalidateExisting: InvalidateExisting,
      }),
      result: z.strictObject({
        userId: UserId,
        apiKeyId: ApiKeyId,
        credentialBundle: CredentialBundle,
      }),
    },
  },
  example: {
    oidcToken: "eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl",
    targetPublicKey:
      "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
    expirationSeconds: "900",
  },
  namesUserBy: "oidcToken",
  complete: withSessionDefaults,
  wants: ({ oidcToken }, document) =>
    wantedForToken(oidcToken, document, (userId) => ({ type: "sessions", userId })),

  check(context, { oidcToken, targetPublicKey }) {
    checkTokenLogin(context, { oidcToken, publicKey: targetPublicKey }, at);
  },

  execute(context, { oidcToken, targetPublicKey, apiKeyName, ...session }) {
    const { user } = checkTokenLogin(context, { oidcToken, publicKey: targetPublicKey }, at);
    const { entry, credentialBundle } = issueSessionKey(context, user, targetPublicKey, {
      ...session,
      apiKeyName: apiKeyName ?? nameOfSession("Oauth", context.nowMs),
      type: "CREDENTIAL_TYPE_OAUTH_KEY_P256",
    });
    return { userId: user.userId, apiKeyId: entry.apiKeyId, credentialBundle };
  },
});
