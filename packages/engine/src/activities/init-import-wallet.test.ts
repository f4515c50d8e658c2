import { testInitImport } from "../init-import.testing.ts";

testInitImport({
  name: "init_import_wallet",
  type: "ACTIVITY_TYPE_INIT_IMPORT_WALLET",
  purpose: "wallet",
  resultKey: "initImportWalletResult",
  init: (client, parameters) => client.initImportWallet(parameters),
});
