import { OrganizationId, UserId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { defineQuery } from "../query/define.ts";

/** Says who made the stamp. A credential of exactly one sub-organization may use the parent's id. */
export const whoami = defineQuery({
  name: "whoami",
  tag: "Sessions",
  summary: "Who am I?",
  description:
    "Get the user and organization that the credential belongs to. With the id of a parent organization and a credential of exactly one of its sub-organizations, the answer is that sub-organization.",
  requestName: "GetWhoamiRequest",
  responseName: "GetWhoamiResponse",
  findsSubOrganization: true,
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({
    organizationId: OrganizationId,
    organizationName: z
      .string()
      .describe("Name of the organization.")
      .meta({ examples: ["Acme"] }),
    userId: UserId,
    username: z
      .string()
      .describe("Name of the user.")
      .meta({ examples: ["Ada"] }),
  }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  async answer({ caller: { organizationId, organizationName, user } }) {
    return { organizationId, organizationName, userId: user.userId, username: user.userName };
  },
});
