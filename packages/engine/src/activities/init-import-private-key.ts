import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { ImportBundle, OwnUserId } from "../fields/schemas.ts";
import { assertOwnImport, openImport } from "../keys/imports.ts";

/** Makes a key to which the user encrypts the private key for `import_private_key`. */
export const initImportPrivateKey = defineActivity({
  name: "init_import_private_key",
  tag: "Private Keys",
  summary: "Init import private key",
  description:
    "Get the key to which you encrypt a private key. It can be used for one import, within an hour, and replaces your earlier one.",
  policy: { resource: "PRIVATE_KEY", action: "IMPORT" },
  readsSender: true,
  defaultType: "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY",
  versions: {
    ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY: {
      intentKey: "initImportPrivateKeyIntent",
      resultKey: "initImportPrivateKeyResult",
      intent: z.strictObject({ userId: OwnUserId }),
      result: z.strictObject({ importBundle: ImportBundle }),
    },
  },
  example: { userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e" },
  check: assertOwnImport,
  execute: (context) => ({ importBundle: openImport(context, "private-key") }),
});
