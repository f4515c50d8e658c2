import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderTag } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { Tag } from "../wire/objects.ts";

/** All user tags. An organization has few enough to need no pages. */
export const listUserTags = defineQuery({
  name: "list_user_tags",
  tag: "User Tags",
  summary: "List user tags",
  description: "List all user tags of an organization.",
  requestName: "ListUserTagsRequest",
  responseName: "ListUserTagsResponse",
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({ userTags: z.array(Tag).describe("The tags, oldest first.") }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  async answer({ document }) {
    return { userTags: document.userTags.map((tag) => renderTag("TAG_TYPE_USER", tag)) };
  },
});
