import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkEach, notFound } from "../errors.ts";
import { ids, PrivateKeyId, PrivateKeyTagId } from "../fields/schemas.ts";
import { removeTags } from "../keys/private-key-tags.ts";

/** Deletes private key tags, and removes them from the keys that have them. */
export const deletePrivateKeyTags = defineActivity({
  name: "delete_private_key_tags",
  tag: "Private Key Tags",
  summary: "Delete private key tags",
  description:
    "Delete private key tags and remove them from all private keys: all of the tags, or none if one does not exist. The keys stay. Policies that name a deleted tag no longer match any key.",
  policy: { resource: "PRIVATE_KEY", action: "DELETE" },
  defaultType: "ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS",
  versions: {
    ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS: {
      intentKey: "deletePrivateKeyTagsIntent",
      resultKey: "deletePrivateKeyTagsResult",
      intent: z.strictObject({
        privateKeyTagIds: ids(PrivateKeyTagId, "private key tag", "Ids of the tags to delete."),
      }),
      result: z.strictObject({
        privateKeyTagIds: z.array(PrivateKeyTagId).describe("Ids of the tags that were deleted."),
        privateKeyIds: z
          .array(PrivateKeyId)
          .describe("Ids of the private keys that had at least one of the tags."),
      }),
    },
  },
  example: { privateKeyTagIds: ["b062718d-cfa9-4fd3-9ea3-526f70819203"] },

  check({ document }, { privateKeyTagIds }) {
    checkEach(privateKeyTagIds, (privateKeyTagId, index) => {
      if (document.privateKeyTags.some(({ tagId }) => tagId === privateKeyTagId)) return;
      const field = `parameters.privateKeyTagIds[${index}]`;
      throw notFound(field, "private key tag", privateKeyTagId);
    });
  },

  execute(context, { privateKeyTagIds }) {
    const draft = context.update();
    draft.privateKeyTags = draft.privateKeyTags.filter(
      ({ tagId }) => !privateKeyTagIds.includes(tagId),
    );
    const tagged = draft.privateKeys.filter(({ privateKeyTags }) =>
      privateKeyTags.some((tagId) => privateKeyTagIds.includes(tagId)),
    );
    for (const line of tagged) removeTags(line, privateKeyTagIds);
    return {
      privateKeyTagIds: [...new Set(privateKeyTagIds)],
      privateKeyIds: tagged.map(({ privateKeyId }) => privateKeyId),
    };
  },
});
