import { notFound } from "@keyhearth/engine/errors";
import { AuthenticatorId, OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderAuthenticator } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { findPasskeyUses } from "../store/passkey-uses.ts";
import { Authenticator } from "../wire/objects.ts";

/** One passkey of any user. */
export const getAuthenticator = defineQuery({
  name: "get_authenticator",
  tag: "Authenticators",
  summary: "Get authenticator",
  description: "Get a passkey by its id.",
  requestName: "GetAuthenticatorRequest",
  responseName: "GetAuthenticatorResponse",
  request: z.object({ organizationId: OrganizationId, authenticatorId: AuthenticatorId }),
  response: z.object({ authenticator: Authenticator }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    authenticatorId: "d28493af-e1cb-4bf5-90c5-748192031425",
  },

  async answer({ db, organizationId, document: { users } }, { authenticatorId }) {
    const found = users
      .flatMap(({ authenticators }) => authenticators)
      .find((each) => each.authenticatorId === authenticatorId);
    if (!found) throw notFound("authenticatorId", "authenticator", authenticatorId);
    const uses = await findPasskeyUses(db, organizationId);
    return { authenticator: renderAuthenticator(found, uses.get(authenticatorId)) };
  },
});
