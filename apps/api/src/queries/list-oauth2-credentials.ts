import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import { oauth2CredentialsOf } from "@keyhearth/engine/people/oauth2-credentials";
import * as z from "zod";
import { renderOauth2Credential } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { Oauth2Credential } from "../wire/objects.ts";

/** All clients of providers that only speak OAuth 2.0, oldest first. */
export const listOauth2Credentials = defineQuery({
  name: "list_oauth2_credentials",
  tag: "User Auth",
  summary: "List OAuth 2.0 credentials",
  description:
    "List an organization’s clients of providers that only speak OAuth 2.0, oldest first. Their secrets stay encrypted.",
  requestName: "ListOauth2CredentialsRequest",
  responseName: "ListOauth2CredentialsResponse",
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({
    oauth2Credentials: z.array(Oauth2Credential).describe("The credentials."),
  }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  async answer({ organizationId, document }) {
    const lines = oauth2CredentialsOf(document);
    return { oauth2Credentials: lines.map((line) => renderOauth2Credential(organizationId, line)) };
  },
});
