import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { OidcToken } from "../fields/credentials.ts";
import { unsupported } from "../fields/schemas.ts";
import {
  InvalidateExisting,
  SessionJwt,
  SessionPublicKeyAsSent,
  SessionSeconds,
} from "../fields/sessions.ts";
import { logIn, withSessionDefaults } from "../people/logins.ts";
import { checkTokenLogin, wantedForToken } from "../people/oidc-logins.ts";
import { changesOfLogin, checkSessionKey, givesSession } from "../people/sessions.ts";

const at = { token: "parameters.oidcToken", key: "parameters.publicKey" };

/** Logs in by an OpenID Connect token: registers the key of a session for the token's user. */
export const oauthLogin = defineActivity({
  name: "oauth_login",
  tag: "Sessions",
  summary: "Log in with an OIDC token",
  description:
    "Start a session of the user whose social login the token proves: the key that you made stamps requests as this user until it expires. The token's `nonce` (or `tknonce`) must be the SHA-256 digest of the text of `publicKey`, in lower-case hex. Social logins are for users of sub-organizations.",
  policy: { resource: "AUTH", action: "CREATE" },
  sentBy: ["user", "parent's user"],
  changes: changesOfLogin,
  givesBeside: givesSession,
  answer: { secret: "if voted" },
  defaultType: "ACTIVITY_TYPE_OAUTH_LOGIN",
  versions: {
    ACTIVITY_TYPE_OAUTH_LOGIN: {
      intentKey: "oauthLoginIntent",
      resultKey: "oauthLoginResult",
      intent: z.strictObject({
        oidcToken: OidcToken,
        publicKey: SessionPublicKeyAsSent,
        expirationSeconds: SessionSeconds,
        invalidateExisting: InvalidateExisting,
        sessionProfileId: unsupported(z.string(), "a session profile"),
      }),
      result: z.strictObject({ session: SessionJwt }),
    },
  },
  example: {
    oidcToken: "eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl",
    publicKey: "03a1c1c81a061767be72cc01b3039b82be3f5bb909f8efdcc5dd0728bbc2bc2b17",
    expirationSeconds: "900",
  },
  namesUserBy: "oidcToken",
  complete: withSessionDefaults,
  wants: ({ oidcToken, publicKey }, document) =>
    wantedForToken(oidcToken, document, (userId) => ({
      type: "sessions-for-login",
      userId,
      publicKey: publicKey.toLowerCase(),
    })),

  check(context, { oidcToken, publicKey }) {
    const { user } = checkTokenLogin(context, { oidcToken, publicKey }, at);
    checkAll(() => checkSessionKey(context, user.userId, publicKey.toLowerCase()));
  },

  execute(context, { oidcToken, publicKey, ...session }) {
    const { user } = checkTokenLogin(context, { oidcToken, publicKey }, at);
    const login = { ...session, publicKey: publicKey.toLowerCase(), proof: oidcToken };
    return { session: logIn(context, user, login) };
  },
});
