import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { notFound } from "../errors.ts";
import { DeleteWithoutExport, ids, PrivateKeyId } from "../fields/schemas.ts";
import { checkDeletion } from "../keys/exported.ts";
import { findPrivateKeyLine } from "../records/private-key.ts";

/** Deletes private keys: all of them or none. Their records are not bound without a line. */
export const deletePrivateKeys = defineActivity({
  name: "delete_private_keys",
  tag: "Private Keys",
  summary: "Delete private keys",
  description:
    "Delete private keys: all of them, or none if one does not exist or was never exported. Nothing brings a deleted key back except a copy that was exported.",
  policy: { resource: "PRIVATE_KEY", action: "DELETE" },
  defaultType: "ACTIVITY_TYPE_DELETE_PRIVATE_KEYS",
  versions: {
    ACTIVITY_TYPE_DELETE_PRIVATE_KEYS: {
      intentKey: "deletePrivateKeysIntent",
      resultKey: "deletePrivateKeysResult",
      intent: z.strictObject({
        privateKeyIds: ids(PrivateKeyId, "private key", "Ids of the private keys to delete."),
        deleteWithoutExport: DeleteWithoutExport,
      }),
      result: z.strictObject({
        privateKeyIds: z.array(PrivateKeyId).describe("Ids of the private keys that were deleted."),
      }),
    },
  },
  example: { privateKeyIds: ["8d3f4e5a-9c76-4ca0-8b70-2f3c4d5e6f70"], deleteWithoutExport: true },

  complete: (intent) => ({ deleteWithoutExport: false, ...intent }),

  check({ document }, { privateKeyIds, deleteWithoutExport }) {
    const params = { noun: "private key", field: "parameters.privateKeyIds", deleteWithoutExport };
    checkDeletion(privateKeyIds, params, (privateKeyId, field) => {
      const line = findPrivateKeyLine(document, privateKeyId);
      if (!line) throw notFound(field, "private key", privateKeyId);
      return line;
    });
  },

  execute(context, { privateKeyIds }) {
    const draft = context.update();
    draft.privateKeys = draft.privateKeys.filter(
      ({ privateKeyId }) => !privateKeyIds.includes(privateKeyId),
    );
    return { privateKeyIds: [...new Set(privateKeyIds)] };
  },
});
