import { ethereumAddress } from "@keyhearth/crypto/addresses/ethereum";
import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { encodeDerSignature } from "@keyhearth/crypto/encoding/der";
import { recoverSecp256k1, verifyEd25519 } from "@keyhearth/crypto/keys/verify";
import { encodeApiKeyStamp } from "@keyhearth/crypto/stamps/encode-stamp";
import { eip191Digest, type StampScheme } from "@keyhearth/crypto/stamps/stamp";
import type { Stamper } from "../connection/request.ts";
import { asObject } from "../errors/as-object.ts";
import { InvalidCredential } from "../errors/errors.ts";
import type { ApiKeyCurve } from "../generated/types.ts";
import { walletError } from "./wallet-errors.ts";

/** A wallet of EVM chains: an EIP-1193 provider, such as `window.ethereum`. */
export type EthereumProvider = {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>;
};

/** A wallet of Solana, such as Phantom's `window.solana`, or one of the wallet adapter. */
export type SolanaWallet = {
  readonly publicKey: { toBytes(): Uint8Array } | null;
  signMessage(message: Uint8Array): Promise<Uint8Array | { signature: Uint8Array }>;
};

export type WalletStamperOptions =
  | {
      ethereum: EthereumProvider;
      /** The account that signs. Default: the first one, which the wallet may ask people to choose. */
      address?: string;
    }
  | { solana: SolanaWallet };

/**
 * Stamps with the wallet that people already have: with `personal_sign` (EIP-191, ERC-191) of an EVM
 * wallet, or with `signMessage` (Ed25519) of a Solana wallet. People see a prompt for each stamp. Throws
 * `Cancelled` if they reject it, and `InvalidCredential` if the wallet signs with another key or form.
 * Smart-contract accounts have no key, so they cannot stamp.
 */
export class WalletStamper implements Stamper {
  readonly #sign: (message: string) => Promise<Signed>;
  #publicKey: string | undefined;

  constructor(options: WalletStamperOptions) {
    const given: Partial<{ ethereum: EthereumProvider; address: string; solana: SolanaWallet }> =
      asObject(options);
    const { ethereum, address, solana } = given;
    if (typeof solana?.signMessage === "function") {
      this.#sign = (message) => signWithSolana(solana, message);
    } else if (typeof ethereum?.request === "function") {
      this.#sign = (message) => signWithEthereum(ethereum, address, message);
    } else {
      // Without the extension, `window.ethereum` is undefined.
      throw invalid(
        "There is no wallet: pass ethereum, an EIP-1193 provider, or solana, a wallet with signMessage. Ask people to install one, or offer another login",
      );
    }
  }

  async stamp(body: string): Promise<{ name: string; value: string }> {
    const { publicKey, scheme, signature } = await this.#sign(body);
    this.#publicKey = publicKey;
    return { name: "X-Stamp", value: encodeApiKeyStamp({ publicKey, scheme, signature }) };
  }

  /**
   * What registers the wallet for a user, in `apiKeys`. An EVM wallet shows its key only in a signature,
   * so it asks people to sign a sentence, once.
   */
  async credential(): Promise<{ publicKey: string; curveType: ApiKeyCurve }> {
    const { publicKey, curveType } = await this.#sign(
      "Show my public key to this page. This allows nothing.",
    );
    this.#publicKey = publicKey;
    return { publicKey, curveType };
  }

  /** The wallet's public key in hex, once it has signed something. */
  get publicKey(): string | undefined {
    return this.#publicKey;
  }
}

type Signed = {
  publicKey: string;
  curveType: ApiKeyCurve;
  scheme: StampScheme;
  signature: string;
};

async function signWithEthereum(
  provider: EthereumProvider,
  given: string | undefined,
  message: string,
): Promise<Signed> {
  const ask = async (method: string, params: unknown[]) => {
    try {
      return await provider.request({ method, params });
    } catch (cause) {
      throw walletError(cause);
    }
  };
  const address = given ?? firstOf(await ask("eth_requestAccounts", []));
  const bytes = encodeUtf8(message);
  const signature = bytesOf(await ask("personal_sign", [`0x${encodeHex(bytes)}`, address]));
  // EIP-191 wallets write v as 27 or 28, and some as 0 or 1.
  const recovery = [0, 27].includes(signature[64] ?? 2) ? 0 : 1;
  const publicKey = signature.length === 65 && recover(bytes, signature, recovery);
  if (!publicKey || ethereumAddress(publicKey).toLowerCase() !== address.toLowerCase())
    throw notByAccount(address);
  return {
    publicKey: encodeHex(publicKey),
    curveType: "API_KEY_CURVE_SECP256K1",
    scheme: "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191",
    signature: encodeHex(encodeDerSignature(signature.subarray(0, 64))),
  };
}

async function signWithSolana(wallet: SolanaWallet, message: string): Promise<Signed> {
  const publicKey = wallet.publicKey?.toBytes();
  if (!publicKey) {
    throw invalid("The Solana wallet is not connected. Connect it before you stamp with it");
  }
  const bytes = encodeUtf8(message);
  const signature = await askSolana(wallet, bytes);
  // Hardware wallets sign messages with a prefix, which the service does not know.
  if (!verifyEd25519(publicKey, bytes, signature)) {
    throw invalid(
      "The Solana wallet did not sign the message as it is. Use an account that is not on a hardware wallet",
    );
  }
  return {
    publicKey: encodeHex(publicKey),
    curveType: "API_KEY_CURVE_ED25519",
    scheme: "SIGNATURE_SCHEME_TK_API_ED25519",
    signature: encodeHex(signature),
  };
}

async function askSolana(wallet: SolanaWallet, message: Uint8Array): Promise<Uint8Array> {
  try {
    const answer = await wallet.signMessage(message);
    return "signature" in answer ? answer.signature : answer;
  } catch (cause) {
    throw walletError(cause);
  }
}

function recover(message: Uint8Array, signature: Uint8Array, recovery: 0 | 1) {
  try {
    return recoverSecp256k1(eip191Digest(message), {
      r: signature.slice(0, 32),
      s: signature.slice(32, 64),
      recovery,
    });
  } catch {
    return undefined;
  }
}

function firstOf(accounts: unknown): string {
  const [address]: unknown[] = Array.isArray(accounts) ? accounts : [];
  if (typeof address === "string") return address;
  throw invalid("The wallet shares no account with this page. Connect one in the wallet");
}

function bytesOf(signature: unknown): Uint8Array {
  const hex = typeof signature === "string" ? signature.replace(/^0x/, "") : "";
  return /^([0-9a-f]{2})+$/i.test(hex) ? decodeHex(hex) : new Uint8Array(0);
}

function notByAccount(address: string): InvalidCredential {
  return invalid(
    `The wallet did not sign with the key of ${address}. Choose an account that has a key of its own: smart-contract accounts cannot stamp`,
  );
}

function invalid(message: string): InvalidCredential {
  return new InvalidCredential(message, { code: "INVALID_CREDENTIAL" });
}
