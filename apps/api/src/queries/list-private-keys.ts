import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { MAX_LIST_BYTES, showPrivateKeys } from "../presentation/private-keys.ts";
import { defineQuery, isLarge } from "../query/define.ts";
import { PrivateKey } from "../wire/objects.ts";

/** All private keys, oldest first. */
export const listPrivateKeys = defineQuery({
  name: "list_private_keys",
  tag: "Private Keys",
  summary: "List private keys",
  description:
    "List the public keys, addresses and tags of all private keys of an organization. If their records have more than 4 MiB together, the addresses of the last ones have no proof: get_private_key returns each.",
  requestName: "GetPrivateKeysRequest",
  responseName: "GetPrivateKeysResponse",
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({ privateKeys: z.array(PrivateKey).describe("The private keys.") }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  isHeavy: ({ stored }) => isLarge(stored),

  maxBytes: MAX_LIST_BYTES,
  mayAskStandby: true,
  async answer(context) {
    return { privateKeys: await showPrivateKeys(context) };
  },
});
