import { encodeSecp256k1Pubkey } from "@cosmjs/amino";
import {
  coins,
  encodePubkey,
  makeAuthInfoBytes,
  makeSignDoc,
  Registry,
} from "@cosmjs/proto-signing";
import { ApiKeyStamper, Connection, createWallet } from "@keyhearth/sdk";
import { createCosmosDirectSigner } from "@keyhearth/sdk/cosmjs";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);
const connection = new Connection({
  baseUrl: process.env.KEYHEARTH_URL ?? "http://localhost:3000",
  organizationId: rootKey.organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

const path = "m/44'/118'/0'/0/0";
const { walletId } = await createWallet(connection, {
  walletName: `Cosmos ${Date.now()}`,
  accounts: [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path,
      addressFormat: "ADDRESS_FORMAT_COSMOS",
    },
  ],
});

// Give this signer to SigningStargateClient.connectWithSigner(rpcUrl, signer).
const signer = await createCosmosDirectSigner(connection, { walletId, path, prefix: "osmo" });
const [account] = await signer.getAccounts();
if (!account) throw new Error("the signer has no account");

// What that client does before it broadcasts a payment.
const fee = coins(2_000, "uosmo");
const bodyBytes = new Registry().encodeTxBody({ messages: [], memo: "from my treasury" });
const pubkey = encodePubkey(encodeSecp256k1Pubkey(account.pubkey));
const signers = [{ pubkey, sequence: 0 }];
const authInfo = makeAuthInfoBytes(signers, fee, 200_000, undefined, undefined);
const signDoc = makeSignDoc(bodyBytes, authInfo, "osmosis-1", 7);
const { signature } = await signer.signDirect(account.address, signDoc);
console.log(`${account.address} signed: ${signature.signature}`);
