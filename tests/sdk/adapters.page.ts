import { ApiKeyStamper, Connection } from "@keyhearth/sdk";
import { createEip1193Provider } from "@keyhearth/sdk/eip-1193";
import { KeyhearthEthersSigner } from "@keyhearth/sdk/ethers";
import { createViemAccount } from "@keyhearth/sdk/viem";
import { JsonRpcProvider } from "ethers";
import { createWalletClient, custom, http } from "viem";
import { mainnet } from "viem/chains";

// What a page does with the adapters for Ethereum. It is bundled and runs in a browser.

export type Given = {
  organizationId: string;
  apiPublicKey: string;
  apiPrivateKey: string;
  signWith: string;
  rpcUrl: string;
};

type Signed = { address: string; signature: string; hash: string };

const to = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const text = "hello from a page";

function connect({ organizationId, apiPublicKey, apiPrivateKey }: Given): Connection {
  const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
  return new Connection({ baseUrl: location.origin, organizationId, stamper });
}

export const adapters = {
  async viem(given: Given): Promise<Signed> {
    const account = await createViemAccount({
      connection: connect(given),
      signWith: given.signWith,
    });
    const transport = http(given.rpcUrl);
    const client = createWalletClient({ account, chain: mainnet, transport });
    const signature = await client.signMessage({ message: text });
    const hash = await client.sendTransaction({ to, value: 1n });
    return { address: account.address, signature, hash };
  },

  async ethers(given: Given): Promise<Signed> {
    const provider = new JsonRpcProvider(given.rpcUrl, 1, { cacheTimeout: -1 });
    const { signWith } = given;
    const signer = new KeyhearthEthersSigner({ connection: connect(given), signWith, provider });
    const signature = await signer.signMessage(text);
    const { hash } = await signer.sendTransaction({ to, value: 1n });
    provider.destroy();
    return { address: await signer.getAddress(), signature, hash };
  },

  async eip1193(given: Given): Promise<Signed> {
    const provider = createEip1193Provider({
      connection: connect(given),
      signWith: given.signWith,
      chains: [{ chainId: 1, rpcUrl: given.rpcUrl }],
    });
    const client = createWalletClient({ chain: mainnet, transport: custom(provider) });
    const [address = "0x"] = await client.requestAddresses();
    const signature = await client.signMessage({ account: address, message: text });
    const hash = await client.sendTransaction({ account: address, to, value: 1n });
    return { address, signature, hash };
  },
};

declare global {
  interface Window {
    adapters: typeof adapters;
  }
}

window.adapters = adapters;
