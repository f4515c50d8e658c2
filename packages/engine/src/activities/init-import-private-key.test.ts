import { testInitImport } from "../init-import.testing.ts";

testInitImport({
  name: "init_import_private_key",
  type: "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY",
  purpose: "private-key",
  resultKey: "initImportPrivateKeyResult",
  init: (client, parameters) => client.initImportPrivateKey(parameters),
});
