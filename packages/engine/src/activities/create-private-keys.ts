import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { list, PrivateKeyId, PrivateKeyParams, PrivateKeyResult } from "../fields/schemas.ts";
import { checkPrivateKeys, createPrivateKeyRecord } from "../keys/private-keys.ts";
import { checkLimit, LIMITS } from "../records/limits.ts";

const intent = z.strictObject({ privateKeys: list(PrivateKeyParams, "Private keys to create.") });

/** Creates private keys that belong to no wallet, each with its own addresses and tags. */
export const createPrivateKeys = defineActivity({
  name: "create_private_keys",
  tag: "Private Keys",
  summary: "Create private keys",
  description:
    "Create new private keys. Those of one request may have 300 addresses together, and the others follow in another request.",
  policy: { resource: "PRIVATE_KEY", action: "CREATE" },
  defaultType: "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2",
  versions: {
    ACTIVITY_TYPE_CREATE_PRIVATE_KEYS: {
      intentKey: "createPrivateKeysIntent",
      resultKey: "createPrivateKeysResult",
      intent,
      result: z.strictObject({
        privateKeyIds: z
          .array(PrivateKeyId)
          .describe("Ids of the private keys, in the order of the request."),
      }),
    },
    ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2: {
      intentKey: "createPrivateKeysIntentV2",
      resultKey: "createPrivateKeysResultV2",
      intent,
      result: z.strictObject({
        privateKeys: z
          .array(PrivateKeyResult)
          .describe("The private keys, in the order of the request."),
      }),
    },
  },
  example: {
    privateKeys: [
      {
        privateKeyName: "hot key",
        curve: "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
      },
    ],
  },
  upgrade: { ACTIVITY_TYPE_CREATE_PRIVATE_KEYS: (old) => old },
  downgrade: {
    ACTIVITY_TYPE_CREATE_PRIVATE_KEYS: ({ privateKeys }) => ({
      privateKeyIds: privateKeys.flatMap(({ privateKeyId }) => privateKeyId ?? []),
    }),
  },

  check({ document }, { privateKeys }) {
    const names = new Set(document.privateKeys.map((line) => line.privateKeyName));
    checkPrivateKeys(privateKeys, names, document.privateKeyTags);
    const field = "parameters.privateKeys";
    checkLimit(names.size, LIMITS.privateKeys, { noun: "private keys", field });
  },

  execute(context, { privateKeys }) {
    const { organizationId } = context;
    const created = privateKeys.map((params, index) => {
      const privateKeyId = context.newKeyId(`private-key/${index}`);
      const owner = { organizationId, privateKeyId };
      const { line, addresses } = createPrivateKeyRecord(context, owner, params);
      context.update().privateKeys.push(line);
      return { privateKeyId, addresses };
    });
    return { privateKeys: created };
  },
});
