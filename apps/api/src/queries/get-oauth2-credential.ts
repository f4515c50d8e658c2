import { Oauth2CredentialId, OrganizationId } from "@keyhearth/engine/fields/schemas";
import { findOauth2Credential } from "@keyhearth/engine/people/oauth2-credentials";
import * as z from "zod";
import { renderOauth2Credential } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { Oauth2Credential } from "../wire/objects.ts";

/** A client of a provider that only speaks OAuth 2.0. */
export const getOauth2Credential = defineQuery({
  name: "get_oauth2_credential",
  tag: "User Auth",
  summary: "Get OAuth 2.0 credential",
  description:
    "Get a client of a provider that only speaks OAuth 2.0 by its id. Its secret stays encrypted.",
  requestName: "GetOauth2CredentialRequest",
  responseName: "GetOauth2CredentialResponse",
  request: z.object({ organizationId: OrganizationId, oauth2CredentialId: Oauth2CredentialId }),
  response: z.object({ oauth2Credential: Oauth2Credential }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    oauth2CredentialId: "8f415263-aeb5-4ac6-9fd7-405162738495",
  },

  async answer({ organizationId, document }, { oauth2CredentialId }) {
    const line = findOauth2Credential(document, oauth2CredentialId, "oauth2CredentialId");
    return { oauth2Credential: renderOauth2Credential(organizationId, line) };
  },
});
