import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { notFound, recordRefused } from "../errors.ts";
import { ExportBundle, PrivateKeyId, TargetPublicKey } from "../fields/schemas.ts";
import { privateKeyRoots } from "../keys/policy-roots.ts";
import { findPrivateKeyLine } from "../records/private-key.ts";

/** Encrypts a private key to a key of the client. The private key stays as it is. */
export const exportPrivateKey = defineActivity({
  name: "export_private_key",
  tag: "Private Keys",
  summary: "Export private key",
  description: "Export a private key, encrypted to your key.",
  policy: { resource: "PRIVATE_KEY", action: "EXPORT" },
  answer: { secret: "always" },
  defaultType: "ACTIVITY_TYPE_EXPORT_PRIVATE_KEY",
  versions: {
    ACTIVITY_TYPE_EXPORT_PRIVATE_KEY: {
      intentKey: "exportPrivateKeyIntent",
      resultKey: "exportPrivateKeyResult",
      intent: z.strictObject({ privateKeyId: PrivateKeyId, targetPublicKey: TargetPublicKey }),
      result: z.strictObject({ privateKeyId: PrivateKeyId, exportBundle: ExportBundle }),
    },
  },
  example: {
    privateKeyId: "8d3f4e5a-9c76-4ca0-8b70-2f3c4d5e6f70",
    targetPublicKey:
      "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
  },
  wants: ({ privateKeyId }) => [{ type: "signing-key", signWith: privateKeyId }],

  read({ document, records }, { privateKeyId }) {
    if (!findPrivateKeyLine(document, privateKeyId)) {
      throw notFound("parameters.privateKeyId", "private key", privateKeyId);
    }
    const key = records.privateKey(privateKeyId);
    if (!key) throw recordRefused(`the host did not bring private key ${privateKeyId}`);
    return key;
  },

  roots: ({ line }) => privateKeyRoots(line),

  execute(context, { privateKeyId, targetPublicKey }, listed) {
    const { bytes } = context.keys.privateKey({ kind: "private-key", ...listed });
    const line = findPrivateKeyLine(context.update(), privateKeyId);
    if (!line) throw notFound("parameters.privateKeyId", "private key", privateKeyId);
    line.exported = true;
    // Recognizes the key if it is imported again. An older line may not have it.
    line.publicKey = listed.record.publicKey;
    line.updatedAtMs = context.nowMs;
    return {
      privateKeyId,
      exportBundle: context.bundles.export(bytes, decodeHex(targetPublicKey)),
    };
  },
});
