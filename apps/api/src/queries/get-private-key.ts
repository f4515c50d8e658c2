import { notFound } from "@keyhearth/engine/errors";
import { OrganizationId, PrivateKeyId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { MissingRecord } from "../errors.ts";
import { renderPrivateKey } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { listPrivateKeys } from "../store/private-keys.ts";
import { PrivateKey } from "../wire/objects.ts";

/** A private key: its public key and addresses. */
export const getPrivateKey = defineQuery({
  name: "get_private_key",
  tag: "Private Keys",
  summary: "Get private key",
  description: "Get the public key, addresses and tags of a private key by its id.",
  requestName: "GetPrivateKeyRequest",
  responseName: "GetPrivateKeyResponse",
  request: z.object({ organizationId: OrganizationId, privateKeyId: PrivateKeyId }),
  response: z.object({ privateKey: PrivateKey }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    privateKeyId: "8d3f4e5a-9c76-4ca0-8b70-2f3c4d5e6f70",
  },

  async answer({ db, organizationId, document }, { privateKeyId }) {
    const line = document.privateKeys.find((key) => key.privateKeyId === privateKeyId);
    if (!line) throw notFound("privateKeyId", "private key", privateKeyId);
    const [record] = await listPrivateKeys(db, organizationId, [privateKeyId]);
    if (!record) throw new MissingRecord(`private key ${privateKeyId}`);
    return { privateKey: renderPrivateKey(line, record) };
  },
});
