import { OrganizationId, UserId } from "@keyhearth/engine/fields/schemas";
import { requireUser } from "@keyhearth/engine/records/organization";
import * as z from "zod";
import { renderAuthenticator } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { findPasskeyUses } from "../store/passkey-uses.ts";
import { Authenticator } from "../wire/objects.ts";

/** The passkeys of one user. */
export const getAuthenticators = defineQuery({
  name: "get_authenticators",
  tag: "Authenticators",
  summary: "Get authenticators",
  description: "Get the passkeys of a user.",
  requestName: "GetAuthenticatorsRequest",
  responseName: "GetAuthenticatorsResponse",
  request: z.object({ organizationId: OrganizationId, userId: UserId }),
  response: z.object({ authenticators: z.array(Authenticator).describe("The passkeys.") }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
  },

  async answer({ db, document, organizationId }, { userId }) {
    const user = requireUser(document, userId, "userId");
    const uses = await findPasskeyUses(db, organizationId);
    const authenticators = user.authenticators.map((each) =>
      renderAuthenticator(each, uses.get(each.authenticatorId)),
    );
    return { authenticators };
  },
});
