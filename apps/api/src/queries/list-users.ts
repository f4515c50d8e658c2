import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderUser } from "../presentation/render.ts";
import { defineQuery, isLarge } from "../query/define.ts";
import { listSessionEntries } from "../store/sessions.ts";
import { User } from "../wire/objects.ts";

/** All users. There are too few in an organization to need pages. */
export const listUsers = defineQuery({
  name: "list_users",
  tag: "Users",
  summary: "List users",
  description: "List all users of an organization, with their credentials and tags.",
  requestName: "GetUsersRequest",
  responseName: "GetUsersResponse",
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({ users: z.array(User).describe("The users.") }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  isHeavy: ({ stored }) => isLarge(stored),

  mayAskStandby: true,
  async answer({ db, organizationId, document: { users }, nowMs }) {
    const userIds = users.map(({ userId }) => userId);
    const entries = await listSessionEntries(db, organizationId, userIds);
    return {
      users: users.map((user) =>
        renderUser(user, { sessionEntries: entries.get(user.userId) ?? [], nowMs }),
      ),
    };
  },
});
