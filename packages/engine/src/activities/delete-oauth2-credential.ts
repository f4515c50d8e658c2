import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { Oauth2CredentialId } from "../fields/schemas.ts";
import { findOauth2Credential, oauth2CredentialsOf } from "../people/oauth2-credentials.ts";

/** Removes a client of a provider. Nobody logs in with it from then on. */
export const deleteOauth2Credential = defineActivity({
  name: "delete_oauth2_credential",
  tag: "User Auth",
  summary: "Delete OAuth 2.0 credential",
  description:
    "Delete a client of a provider that only speaks OAuth 2.0. Tokens that were made with it count until they expire, for at most 15 minutes.",
  policy: { resource: "AUTH", action: "DELETE" },
  defaultType: "ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL",
  versions: {
    ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL: {
      intentKey: "deleteOauth2CredentialIntent",
      resultKey: "deleteOauth2CredentialResult",
      intent: z.strictObject({ oauth2CredentialId: Oauth2CredentialId }),
      result: z.strictObject({ oauth2CredentialId: Oauth2CredentialId }),
    },
  },
  example: { oauth2CredentialId: "8f415263-aeb5-4ac6-9fd7-405162738495" },

  check({ document }, { oauth2CredentialId }) {
    findOauth2Credential(document, oauth2CredentialId, "parameters.oauth2CredentialId");
  },

  execute(context, { oauth2CredentialId }) {
    const draft = context.update();
    draft.oauth2Credentials = oauth2CredentialsOf(draft).filter(
      (line) => line.oauth2CredentialId !== oauth2CredentialId,
    );
    return { oauth2CredentialId };
  },
});
