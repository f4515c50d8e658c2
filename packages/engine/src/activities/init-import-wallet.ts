import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { ImportBundle, OwnUserId } from "../fields/schemas.ts";
import { assertOwnImport, openImport } from "../keys/imports.ts";

/** Makes a key to which the user encrypts the mnemonic for `import_wallet`. */
export const initImportWallet = defineActivity({
  name: "init_import_wallet",
  tag: "Wallets",
  summary: "Init import wallet",
  description:
    "Get the key to which you encrypt a mnemonic. It can be used for one import, within an hour, and replaces your earlier one.",
  policy: { resource: "WALLET", action: "IMPORT" },
  readsSender: true,
  defaultType: "ACTIVITY_TYPE_INIT_IMPORT_WALLET",
  versions: {
    ACTIVITY_TYPE_INIT_IMPORT_WALLET: {
      intentKey: "initImportWalletIntent",
      resultKey: "initImportWalletResult",
      intent: z.strictObject({ userId: OwnUserId }),
      result: z.strictObject({ importBundle: ImportBundle }),
    },
  },
  example: { userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e" },
  check: assertOwnImport,
  execute: (context) => ({ importBundle: openImport(context, "wallet") }),
});
