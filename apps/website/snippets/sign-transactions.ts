import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { logInWith, memoryStorage, SessionKeeper } from "@keyhearth/sdk/browser";
import { KeyhearthEthersSigner } from "@keyhearth/sdk/ethers";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { createViemAccount } from "@keyhearth/sdk/viem";
import { Transaction as SolanaTransaction } from "@solana/web3.js";
import { parseUnits, Transaction } from "ethers";
import { parseGwei } from "viem";
import { signForSolana } from "./browser/sign-for-solana.ts";
import { createKeyUser } from "./server/key-user.ts";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...apiKey } = await readApiKeyFile(rootKeyFile);
const parent = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(apiKey) });
const { client, organizationId: adas } = await createKeyUser(parent, "Ada");
const { addresses } = await client.createWallet({
  walletName: "Main",
  accounts: [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
    {
      curve: "CURVE_ED25519",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/501'/0'/0'",
      addressFormat: "ADDRESS_FORMAT_SOLANA",
    },
  ],
});
const [ethereum = "", solana = ""] = addresses;

// Ada logs in once. From here on, the session stamps, without a prompt.
const { sessionPublicKey } = await (await fetch(`${baseUrl}/.well-known/keyhearth.json`)).json();
const options = { baseUrl, organizationId: adas, sessionPublicKey };
const keeper = new SessionKeeper({ ...options, storage: memoryStorage() });
await logInWith(keeper, client.stamper);
const connection = keeper.connection();

// A node fills in nonce, gas and fees. Without one, you say them.
const to = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const account = await createViemAccount({ connection, signWith: ethereum });
const byViem = await account.signTransaction({
  type: "eip1559",
  chainId: 1,
  nonce: 0,
  to,
  value: 1n,
  gas: 21_000n,
  maxFeePerGas: parseGwei("20"),
  maxPriorityFeePerGas: parseGwei("1"),
});
console.log("viem:", Transaction.from(byViem).from === ethereum);

const signer = new KeyhearthEthersSigner({ connection, signWith: ethereum });
const byEthers = await signer.signTransaction({
  type: 2,
  chainId: 1,
  nonce: 0,
  to,
  value: 1,
  gasLimit: 21_000,
  maxFeePerGas: parseUnits("20", "gwei"),
  maxPriorityFeePerGas: parseUnits("1", "gwei"),
});
console.log("ethers:", Transaction.from(byEthers).from === ethereum);
console.log("The same bytes:", byViem === byEthers);

// You get a recent blockhash from the network.
const recentBlockhash = "11111111111111111111111111111111";
const payment = { from: solana, to: solana, lamports: 1, recentBlockhash };
const bySolana = SolanaTransaction.from(await signForSolana(connection, payment));
console.log("Solana:", bySolana.verifySignatures());
keeper.close();
