import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { Oauth2CredentialId } from "../fields/schemas.ts";
import {
  checkClientSecret,
  checkNewClient,
  credentialParams,
  findOauth2Credential,
  oauth2CredentialsOf,
} from "../people/oauth2-credentials.ts";

/** Replaces the client and the secret of a credential. */
export const updateOauth2Credential = defineActivity({
  name: "update_oauth2_credential",
  tag: "User Auth",
  summary: "Update OAuth 2.0 credential",
  description:
    "Replace a client of a provider that only speaks OAuth 2.0: its provider, its id and its secret. Social logins that people registered with another client stay, and log nobody in with this one.",
  policy: { resource: "AUTH", action: "UPDATE" },
  defaultType: "ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL",
  versions: {
    ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL: {
      intentKey: "updateOauth2CredentialIntent",
      resultKey: "updateOauth2CredentialResult",
      intent: z.strictObject({ oauth2CredentialId: Oauth2CredentialId, ...credentialParams }),
      result: z.strictObject({ oauth2CredentialId: Oauth2CredentialId }),
    },
  },
  example: {
    oauth2CredentialId: "8f415263-aeb5-4ac6-9fd7-405162738495",
    provider: "OAUTH2_PROVIDER_DISCORD",
    clientId: "1029384756",
    encryptedClientSecret: "00".repeat(129),
  },

  check(context, { oauth2CredentialId, ...given }) {
    const { document } = context;
    findOauth2Credential(document, oauth2CredentialId, "parameters.oauth2CredentialId");
    checkAll(
      () => checkNewClient(document, given, oauth2CredentialId),
      () => checkClientSecret(context, given),
    );
  },

  execute(context, { oauth2CredentialId, provider, clientId, encryptedClientSecret }) {
    const draft = context.update();
    const changed = { provider, clientId, encryptedClientSecret, updatedAtMs: context.nowMs };
    draft.oauth2Credentials = oauth2CredentialsOf(draft).map((line) =>
      line.oauth2CredentialId === oauth2CredentialId ? { ...line, ...changed } : line,
    );
    return { oauth2CredentialId };
  },
});
