import { clientOf, type RootKey } from "./process.ts";

/** Signs with an address, or with that of a new wallet. */
export async function sign(url: string, key: RootKey, known?: string) {
  const client = clientOf({ url }, key);
  const account = {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: "m/44'/60'/0'/0/0",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  } as const;
  const wallet = { walletName: "Treasury", accounts: [account] };
  const address = known ?? (await client.createWallet(wallet)).addresses[0] ?? "";
  const { r } = await client.signRawPayload({
    signWith: address,
    payload: "5a".repeat(32),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  });
  return { address, r };
}
