import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { ApiKeyParams, ApiKeyParamsV2 } from "../fields/credentials.ts";
import { ApiKeyId, list, UserId } from "../fields/schemas.ts";
import {
  checkApiKeys,
  checkLongLivedKeys,
  createApiKeys as createKeys,
  withCurve,
} from "../people/api-keys.ts";
import { checkStampedSince } from "../people/sessions.ts";
import { keyHolderWant, takenPublicKeys } from "../people/taken-keys.ts";
import { requireUser } from "../records/organization.ts";
import { addEntries, addKeyEpoch } from "../records/sessions.ts";

const result = z.strictObject({
  apiKeyIds: z.array(ApiKeyId).describe("Ids of the API keys, in the order of the request."),
});

/** Registers public keys of a user. */
export const createApiKeys = defineActivity({
  name: "create_api_keys",
  tag: "API Keys",
  summary: "Create API keys",
  description: "Add API keys to an existing user.",
  policy: { resource: "CREDENTIAL", action: "CREATE" },
  defaultType: "ACTIVITY_TYPE_CREATE_API_KEYS_V2",
  versions: {
    ACTIVITY_TYPE_CREATE_API_KEYS: {
      intentKey: "createApiKeysIntent",
      resultKey: "createApiKeysResult",
      intent: z.strictObject({
        apiKeys: list(ApiKeyParams, "API keys to register."),
        userId: UserId,
      }),
      result,
    },
    ACTIVITY_TYPE_CREATE_API_KEYS_V2: {
      intentKey: "createApiKeysIntentV2",
      resultKey: "createApiKeysResult",
      intent: z.strictObject({
        apiKeys: list(ApiKeyParamsV2, "API keys to register."),
        userId: UserId,
      }),
      result,
    },
  },
  example: {
    apiKeys: [
      {
        apiKeyName: "phone",
        publicKey: "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
        curveType: "API_KEY_CURVE_SECP256K1",
        expirationSeconds: "900",
      },
    ],
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
  },
  upgrade: { ACTIVITY_TYPE_CREATE_API_KEYS: (old) => withCurve(old) },
  isOwn: ({ userId }, user) => userId === user.userId,
  wants: ({ userId, apiKeys }) => [{ type: "sessions", userId }, keyHolderWant({ apiKeys })],

  check(context, { userId, apiKeys }) {
    const { document, records, nowMs } = context;
    const user = requireUser(document, userId);
    const taken = takenPublicKeys({ document, records, nowMs });
    const isExpiring = apiKeys.some(({ expirationSeconds }) => expirationSeconds !== undefined);
    checkAll(
      () => isExpiring && checkStampedSince(context, user),
      () => checkApiKeys(apiKeys, "parameters.apiKeys", taken),
      () => checkLongLivedKeys(user, apiKeys, "parameters.apiKeys"),
    );
  },

  execute(context, { userId, apiKeys }) {
    const { nowMs } = context;
    // The document is written for expiring keys too, so that it remembers this request. Otherwise
    // the same bytes could bring back a key that was deleted in the meantime.
    const user = requireUser(context.update(), userId);
    const lifetimes = apiKeys.flatMap(({ expirationSeconds = [] }) => expirationSeconds);
    const untilMs = nowMs + Math.max(0, ...lifetimes.map(Number)) * 1000;
    const { random } = context;
    const sessionEpoch = lifetimes.length > 0 ? addKeyEpoch(user, { random, nowMs, untilMs }) : 0;
    const keys = createKeys(apiKeys, { sessionEpoch, newId: context.newId, nowMs });
    if (keys.longLived.length > 0) {
      user.apiKeys.push(...keys.longLived);
      user.updatedAtMs = nowMs;
    }
    if (keys.expiring.length > 0) {
      const current = context.records.sessions(userId);
      context.write.sessions(addEntries(current, keys.expiring, { user, nowMs }));
    }
    return { apiKeyIds: keys.apiKeyIds };
  },
});
