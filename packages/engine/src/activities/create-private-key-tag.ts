import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { label, list, PrivateKeyId, PrivateKeyTagId } from "../fields/schemas.ts";
import { addTag, checkPrivateKeyIds, checkTagName } from "../keys/private-key-tags.ts";
import { checkTagLimit } from "../records/limits.ts";

/** Creates a tag and adds it to private keys. Policies see it in `private_key.tags`. */
export const createPrivateKeyTag = defineActivity({
  name: "create_private_key_tag",
  tag: "Private Key Tags",
  summary: "Create private key tag",
  description: "Create a private key tag and add it to private keys.",
  policy: { resource: "PRIVATE_KEY", action: "CREATE" },
  defaultType: "ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG",
  versions: {
    ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG: {
      intentKey: "createPrivateKeyTagIntent",
      resultKey: "createPrivateKeyTagResult",
      intent: z.strictObject({
        privateKeyTagName: label(
          "Name of the tag, unique among the private key tags of the organization.",
        ),
        privateKeyIds: list(PrivateKeyId, "Ids of the private keys to add the tag to."),
      }),
      result: z.strictObject({
        privateKeyTagId: PrivateKeyTagId,
        privateKeyIds: z.array(PrivateKeyId).describe("Ids of the private keys that got the tag."),
      }),
    },
  },
  example: {
    privateKeyTagName: "hot",
    privateKeyIds: ["8d3f4e5a-9c76-4ca0-8b70-2f3c4d5e6f70"],
  },

  check({ document }, { privateKeyTagName, privateKeyIds }) {
    checkAll(
      () => checkTagName(document, privateKeyTagName, "parameters.privateKeyTagName"),
      () => checkPrivateKeyIds(document, privateKeyIds, "parameters.privateKeyIds"),
      () => checkTagLimit(document, "parameters.privateKeyTagName"),
    );
  },

  execute(context, { privateKeyTagName, privateKeyIds }) {
    const { nowMs } = context;
    const privateKeyTagId = context.newId("private-key-tag");
    const draft = context.update();
    const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
    draft.privateKeyTags.push({ tagId: privateKeyTagId, tagName: privateKeyTagName, ...times });
    for (const line of draft.privateKeys) {
      if (privateKeyIds.includes(line.privateKeyId)) addTag(line, privateKeyTagId);
    }
    return { privateKeyTagId, privateKeyIds: [...new Set(privateKeyIds)] };
  },
});
