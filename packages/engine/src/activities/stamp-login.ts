import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { unsupported } from "../fields/schemas.ts";
import {
  InvalidateExisting,
  SessionJwt,
  SessionPublicKey,
  SessionSeconds,
} from "../fields/sessions.ts";
import { checkLoginKey, logIn, proofOfStamp, withSessionDefaults } from "../people/logins.ts";
import {
  changesOfLogin,
  checkKeySince,
  checkSessionKey,
  checkStampedSince,
  givesSession,
} from "../people/sessions.ts";

/** Logs in: registers the key of a session for the user who stamps the request. */
export const stampLogin = defineActivity({
  name: "stamp_login",
  tag: "Sessions",
  summary: "Log in with a stamp",
  description:
    "Start a session: a key that you made stamps requests as you until it expires. A key that nobody has registered can stamp this request too, in `X-Stamp-Attested`, with a verification token or an OIDC token that was made for it: then `publicKey` is that key itself, and otherwise it is a new one. With the id of a parent organization and a credential of exactly one of its sub-organizations, the session is for that sub-organization.",
  policy: { resource: "AUTH", action: "CREATE" },
  sentBy: ["user", "user by the parent's id", "attested key"],
  changes: changesOfLogin,
  givesBeside: givesSession,
  answer: { secret: "if voted" },
  defaultType: "ACTIVITY_TYPE_STAMP_LOGIN",
  versions: {
    ACTIVITY_TYPE_STAMP_LOGIN: {
      intentKey: "stampLoginIntent",
      resultKey: "stampLoginResult",
      intent: z.strictObject({
        publicKey: SessionPublicKey,
        expirationSeconds: SessionSeconds,
        invalidateExisting: InvalidateExisting,
        sessionProfileId: unsupported(z.string(), "a session profile"),
      }),
      result: z.strictObject({ session: SessionJwt }),
    },
  },
  example: {
    publicKey: "03a1c1c81a061767be72cc01b3039b82be3f5bb909f8efdcc5dd0728bbc2bc2b17",
    expirationSeconds: "900",
  },
  isOwn: () => true,
  complete: withSessionDefaults,
  wants: ({ publicKey }, _document, userId) => [{ type: "sessions-for-login", userId, publicKey }],

  check(context, { publicKey }) {
    checkLoginKey(context.startedBy, publicKey);
    checkAll(
      () => checkStampedSince(context, context.user),
      () => checkKeySince(context),
      () => checkSessionKey(context, context.user.userId, publicKey),
    );
  },

  execute(context, login) {
    const { user, startedBy } = context;
    const { attestationDigest } = startedBy;
    const proof = proofOfStamp(startedBy);
    return { session: logIn(context, user, { ...login, proof, attestationDigest }) };
  },
});
