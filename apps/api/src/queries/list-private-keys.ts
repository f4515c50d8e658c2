import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { MissingRecord } from "../errors.ts";
import { renderPrivateKey } from "../presentation/render.ts";
import { defineQuery, isLarge } from "../query/define.ts";
import { listPrivateKeys as listRecords } from "../store/private-keys.ts";
import { PrivateKey } from "../wire/objects.ts";

/** A thousand took 18 ms. */
const MANY_KEYS = 200;

/** All private keys, oldest first. */
export const listPrivateKeys = defineQuery({
  name: "list_private_keys",
  tag: "Private Keys",
  summary: "List private keys",
  description: "List the public keys, addresses and tags of all private keys of an organization.",
  requestName: "GetPrivateKeysRequest",
  responseName: "GetPrivateKeysResponse",
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({ privateKeys: z.array(PrivateKey).describe("The private keys.") }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  // The line of a key is short, but each has a record and a proof of its address.
  isHeavy: ({ stored }) => isLarge(stored) || stored.document.privateKeys.length > MANY_KEYS,

  async answer({ db, organizationId, document: { privateKeys } }) {
    const ids = privateKeys.map(({ privateKeyId }) => privateKeyId);
    const found = await listRecords(db, organizationId, ids);
    const records = new Map(found.map((record) => [record.privateKeyId, record]));
    return {
      privateKeys: privateKeys.map((line) => {
        const record = records.get(line.privateKeyId);
        if (!record) throw new MissingRecord(`private key ${line.privateKeyId}`);
        return renderPrivateKey(line, record);
      }),
    };
  },
});
