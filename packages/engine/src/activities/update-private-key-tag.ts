import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll, checkEach, invalid, notFound } from "../errors.ts";
import { label, list, PrivateKeyId, PrivateKeyTagId } from "../fields/schemas.ts";
import { addTag, checkPrivateKeyIds, checkTagName, removeTags } from "../keys/private-key-tags.ts";

/** Renames a private key tag, adds it to keys and removes it from others, all at once. */
export const updatePrivateKeyTag = defineActivity({
  name: "update_private_key_tag",
  tag: "Private Key Tags",
  summary: "Update private key tag",
  description:
    "Rename a private key tag, add it to private keys and remove it from others: all of it or nothing.",
  policy: { resource: "PRIVATE_KEY", action: "UPDATE" },
  defaultType: "ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG",
  versions: {
    ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG: {
      intentKey: "updatePrivateKeyTagIntent",
      resultKey: "updatePrivateKeyTagResult",
      intent: z.strictObject({
        privateKeyTagId: PrivateKeyTagId,
        newPrivateKeyTagName: label(
          "New name, unique among the private key tags of the organization.",
        ).optional(),
        addPrivateKeyIds: list(PrivateKeyId, "Ids of the private keys to add the tag to."),
        removePrivateKeyIds: list(PrivateKeyId, "Ids of the private keys to remove the tag from."),
      }),
      result: z.strictObject({ privateKeyTagId: PrivateKeyTagId }),
    },
  },
  example: {
    privateKeyTagId: "b062718d-cfa9-4fd3-9ea3-526f70819203",
    newPrivateKeyTagName: "warm",
    addPrivateKeyIds: [],
    removePrivateKeyIds: ["8d3f4e5a-9c76-4ca0-8b70-2f3c4d5e6f70"],
  },

  check({ document }, intent) {
    const { privateKeyTagId, newPrivateKeyTagName: name } = intent;
    const { addPrivateKeyIds, removePrivateKeyIds } = intent;
    checkAll(
      () => {
        if (document.privateKeyTags.some(({ tagId }) => tagId === privateKeyTagId)) return;
        throw notFound("parameters.privateKeyTagId", "private key tag", privateKeyTagId);
      },
      () => {
        if (name === undefined) return;
        checkTagName(document, name, "parameters.newPrivateKeyTagName", privateKeyTagId);
      },
      () => checkPrivateKeyIds(document, addPrivateKeyIds, "parameters.addPrivateKeyIds"),
      () => checkPrivateKeyIds(document, removePrivateKeyIds, "parameters.removePrivateKeyIds"),
      () =>
        checkEach(removePrivateKeyIds, (privateKeyId, index) => {
          if (!addPrivateKeyIds.includes(privateKeyId)) return;
          const field = `parameters.removePrivateKeyIds[${index}]`;
          const message = `private key \`${privateKeyId}\` is in addPrivateKeyIds and in removePrivateKeyIds`;
          throw invalid(field, message);
        }),
      () => {
        if (name !== undefined || addPrivateKeyIds.length + removePrivateKeyIds.length > 0) return;
        throw invalid(
          "parameters",
          `nothing to change: \`parameters\` names tag \`${privateKeyTagId}\`, no newPrivateKeyTagName, and no private keys to add it to or remove it from`,
        );
      },
    );
  },

  execute(context, intent) {
    const { privateKeyTagId, newPrivateKeyTagName, addPrivateKeyIds, removePrivateKeyIds } = intent;
    const { nowMs } = context;
    const draft = context.update();
    draft.privateKeyTags = draft.privateKeyTags.map((tag) =>
      tag.tagId === privateKeyTagId
        ? { ...tag, tagName: newPrivateKeyTagName ?? tag.tagName, updatedAtMs: nowMs }
        : tag,
    );
    for (const line of draft.privateKeys) {
      if (addPrivateKeyIds.includes(line.privateKeyId)) addTag(line, privateKeyTagId);
      if (removePrivateKeyIds.includes(line.privateKeyId)) removeTags(line, [privateKeyTagId]);
    }
    return { privateKeyTagId };
  },
});
