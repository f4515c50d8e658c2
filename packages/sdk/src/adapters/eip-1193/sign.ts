import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import type { Hex } from "../evm/key.ts";
import {
  type AddressedKey,
  signatureHex,
  signEvmTransaction,
  signMessage,
  signTypedData,
} from "../evm/sign.ts";
import { codes, Eip1193Error, invalidParams } from "./errors.ts";
import type { Eip1193Request } from "./events.ts";
import { isBytes, toQuantity } from "./quantity.ts";
import {
  type Call,
  completeTransaction,
  encodeTransaction,
  parseTransaction,
} from "./transaction.ts";

/** What a provider does for a request that signs. */
export type Signing = {
  /** The chain that the provider was on when the request came. */
  chainId: Hex;
  /** The key of an account that has been shown, or throws. */
  keyOf(address: unknown): AddressedKey;
  /** Asks the user, and throws if they reject the request. */
  ask(request: Eip1193Request): Promise<void>;
  /** Calls the node of the chain. */
  call: Call;
};

/** Signs a message, typed data or a transaction, which is the first parameter of other methods. */
export function sign(method: string, params: readonly unknown[], signing: Signing): Promise<Hex> {
  switch (method) {
    case "personal_sign":
      return signBytes(params, signing);
    case "eth_signTypedData_v4":
      return signData(params, signing);
    default:
      return signParams(method, params, signing);
  }
}

async function signBytes([data, address]: readonly unknown[], { keyOf, ask }: Signing) {
  const key = keyOf(address);
  if (typeof data !== "string" || (data.startsWith("0x") && !isBytes(data))) {
    throw invalidParams("params[0] must be bytes in hex that start with 0x, or text");
  }
  await ask({ method: "personal_sign", params: [data, address] });
  const message = isBytes(data) ? decodeHex(data.slice(2)) : data;
  return signatureHex(await signMessage(key, message));
}

async function signData([address, data]: readonly unknown[], { keyOf, ask, ...on }: Signing) {
  const key = keyOf(address);
  const { json, chainId } = readTypedData(data);
  // EIP-712: a wallet should refuse typed data whose chain is not the active one.
  if (chainId !== undefined && chainId !== BigInt(on.chainId)) {
    throw otherChain(`The typed data is for chain ${chainId}`, on.chainId);
  }
  await ask({ method: "eth_signTypedData_v4", params: [address, json] });
  return signatureHex(await signTypedData(key, json));
}

async function signParams(
  method: string,
  [value]: readonly unknown[],
  { chainId, keyOf, ask, call }: Signing,
) {
  const request = parseTransaction(value);
  const key = keyOf(request.from);
  if (request.chainId !== undefined && toQuantity(request.chainId) !== chainId) {
    throw otherChain(`The transaction is for chain ${request.chainId}`, chainId);
  }
  const transaction = await completeTransaction(request, chainId, call);
  await ask({ method, params: [transaction] });
  const { signed } = await signEvmTransaction(key, encodeTransaction(transaction));
  return signed;
}

function otherChain(reason: string, chainId: Hex): Eip1193Error {
  return new Eip1193Error(
    codes.chainDisconnected,
    `${reason}, but the provider is on ${chainId}. Switch with wallet_switchEthereumChain`,
  );
}

/** Typed data is JSON text, or the object. The service refuses a member that occurs twice in the text. */
function readTypedData(data: unknown): { json: string; chainId: bigint | undefined } {
  try {
    const json = typeof data === "string" ? data : JSON.stringify(data);
    const { chainId } = JSON.parse(json).domain ?? {};
    return { json, chainId: chainId === undefined ? undefined : BigInt(chainId) };
  } catch {
    throw invalidParams("params[1] must be typed data (EIP-712), as JSON");
  }
}
