import { createReadOnlySession as createToken } from "@keyhearth/crypto/tokens/session-token";
import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { sessionOwner } from "../fields/sessions.ts";
import { checkStampedSince } from "../people/sessions.ts";

const LIFETIME_MS = 60 * 60 * 1000;

/**
 * Signs a token with which the user may send queries. Nothing is stored: the token ends with its
 * hour, with the user, or with the user's session epoch.
 */
export const createReadOnlySession = defineActivity({
  name: "create_read_only_session",
  tag: "Sessions",
  summary: "Create read only session",
  description:
    "Get a token that you send in `X-Session` instead of a stamp. It permits queries, and only those, for one hour. With the id of a parent organization and a credential of exactly one of its sub-organizations, the session is for that sub-organization.",
  policy: { resource: "AUTH", action: "CREATE" },
  // Users may read everything in their organization, and policies do not apply to queries.
  sentBy: ["any user", "user by the parent's id"],
  changes: "nothing",
  // Anyone who sees the token can use it for the rest of its hour.
  answer: { private: ["session"] },
  defaultType: "ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION",
  versions: {
    ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION: {
      intentKey: "createReadOnlySessionIntent",
      resultKey: "createReadOnlySessionResult",
      intent: z.strictObject({}),
      result: z.strictObject({
        ...sessionOwner,
        session: z.string().describe("The token, for the header `X-Session`. Keep it secret."),
        sessionExpiry: z
          .string()
          .describe("When the token expires, in seconds since 1970, as a decimal string.")
          .meta({ examples: ["1767229200"] }),
      }),
    },
  },
  example: {},

  check(context) {
    checkStampedSince(context, context.user);
  },

  execute({ document, organizationId, user, nowMs, tokens }) {
    const { userId, userName: username, sessionEpoch } = user;
    const expiresAtMs = nowMs + LIFETIME_MS;
    const { organizationName } = document;
    return {
      organizationId,
      organizationName,
      userId,
      username,
      session: createToken(
        { organizationId, userId, sessionEpoch, expiresAtMs },
        tokens.signSession,
      ),
      sessionExpiry: String(Math.floor(expiresAtMs / 1000)),
    };
  },
});
