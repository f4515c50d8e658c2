import { OrganizationId, UserId } from "@keyhearth/engine/fields/schemas";
import { requireUser } from "@keyhearth/engine/records/organization";
import * as z from "zod";
import { renderUser } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { listSessionEntries } from "../store/sessions.ts";
import { User } from "../wire/objects.ts";

/** A user with their current credentials. */
export const getUser = defineQuery({
  name: "get_user",
  tag: "Users",
  summary: "Get user",
  description: "Get a user by id, with credentials and tags.",
  requestName: "GetUserRequest",
  responseName: "GetUserResponse",
  request: z.object({ organizationId: OrganizationId, userId: UserId }),
  response: z.object({ user: User }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
  },

  async answer({ db, organizationId, document, nowMs }, { userId }) {
    const user = requireUser(document, userId, "userId");
    const entries = await listSessionEntries(db, organizationId, [userId]);
    return { user: renderUser(user, { sessionEntries: entries.get(userId) ?? [], nowMs }) };
  },
});
