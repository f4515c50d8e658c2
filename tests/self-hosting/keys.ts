import { createECDH } from "node:crypto";

export function newApiKey(): { apiPublicKey: string; apiPrivateKey: string } {
  const keyPair = createECDH("prime256v1");
  keyPair.generateKeys();
  return {
    apiPublicKey: keyPair.getPublicKey("hex", "compressed"),
    apiPrivateKey: keyPair.getPrivateKey("hex").padStart(64, "0"),
  };
}
