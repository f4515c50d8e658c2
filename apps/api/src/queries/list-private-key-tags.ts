import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderTag } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { Tag } from "../wire/objects.ts";

/** All private key tags. An organization has few enough to need no pages. */
export const listPrivateKeyTags = defineQuery({
  name: "list_private_key_tags",
  tag: "Private Key Tags",
  summary: "List private key tags",
  description: "List all private key tags of an organization.",
  requestName: "ListPrivateKeyTagsRequest",
  responseName: "ListPrivateKeyTagsResponse",
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({ privateKeyTags: z.array(Tag).describe("The tags, oldest first.") }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  async answer({ document }) {
    const privateKeyTags = document.privateKeyTags.map((tag) =>
      renderTag("TAG_TYPE_PRIVATE_KEY", tag),
    );
    return { privateKeyTags };
  },
});
