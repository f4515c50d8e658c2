import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { Oauth2CredentialId } from "../fields/schemas.ts";
import {
  checkClientSecret,
  checkNewClient,
  credentialParams,
  oauth2CredentialsOf,
} from "../people/oauth2-credentials.ts";
import { checkLimit, LIMITS } from "../records/limits.ts";

/** Adds a client of a provider that only speaks OAuth 2.0. */
export const createOauth2Credential = defineActivity({
  name: "create_oauth2_credential",
  tag: "User Auth",
  summary: "Create OAuth 2.0 credential",
  description:
    "Store your application’s client at a provider that only speaks OAuth 2.0, with its secret, so that people can log in with it. An organization may have 10, each client once.",
  policy: { resource: "AUTH", action: "CREATE" },
  defaultType: "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL",
  versions: {
    ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL: {
      intentKey: "createOauth2CredentialIntent",
      resultKey: "createOauth2CredentialResult",
      intent: z.strictObject(credentialParams),
      result: z.strictObject({ oauth2CredentialId: Oauth2CredentialId }),
    },
  },
  example: {
    provider: "OAUTH2_PROVIDER_DISCORD",
    clientId: "1029384756",
    encryptedClientSecret: "00".repeat(129),
  },

  check(context, intent) {
    const { document } = context;
    checkAll(
      () => checkNewClient(document, intent),
      () => checkClientSecret(context, intent),
    );
    checkLimit(oauth2CredentialsOf(document).length + 1, LIMITS.oauth2Credentials, {
      noun: "OAuth 2.0 credentials",
      field: "parameters.clientId",
    });
  },

  execute(context, { provider, clientId, encryptedClientSecret }) {
    const { nowMs } = context;
    const oauth2CredentialId = context.newId("oauth2-credential");
    const draft = context.update();
    draft.oauth2Credentials = [
      ...oauth2CredentialsOf(draft),
      {
        oauth2CredentialId,
        provider,
        clientId,
        encryptedClientSecret,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      },
    ];
    return { oauth2CredentialId };
  },
});
