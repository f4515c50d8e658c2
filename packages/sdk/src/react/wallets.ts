import { encodeBase58 } from "@keyhearth/crypto/encoding/base58";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { signatureHex, signMessage } from "../adapters/evm/sign.ts";
import { findSolanaKey, signSolanaMessages } from "../adapters/solana-key.ts";
import { listWalletAccounts, listWallets } from "../calls/generated/calls.ts";
import type { Connection } from "../connection/connection.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import type { AddressFormat, Wallet, WalletAccount } from "../generated/types.ts";
import { type QueryState, type Task, useQuery, useSubmission } from "./calls.ts";

/** A wallet and its accounts. */
export type WalletWithAccounts = Wallet & { accounts: WalletAccount[] };

/** The wallets of the session's organization, with all of their accounts. */
export function useWallets(): QueryState<WalletWithAccounts[]> {
  return useQuery(readWallets, {});
}

const PAGE = 100;

async function readWallets(
  connection: Connection,
  _parameters: object,
  options: { signal?: AbortSignal },
): Promise<WalletWithAccounts[]> {
  const { wallets } = await listWallets(connection, {}, options);
  const accounts: WalletAccount[] = [];
  for (let after: string | undefined; ; ) {
    const paginationOptions = { limit: String(PAGE), ...(after ? { after } : {}) };
    const page = await listWalletAccounts(connection, { paginationOptions }, options);
    accounts.push(...page.accounts);
    if (page.accounts.length < PAGE) break;
    after = page.accounts.at(-1)?.walletAccountId;
  }
  return wallets.map((wallet) => ({
    ...wallet,
    accounts: accounts.filter(({ walletId }) => walletId === wallet.walletId),
  }));
}

/** The account that signs, such as one of `useWallets`. */
export type SigningAccount = { address: string; addressFormat: AddressFormat };

/** For Ethereum 65 bytes in hex with 0x: r, s, and v of 27 or 28. For Solana 64 bytes in base58. */
export type SignedMessage = { signature: string };

/**
 * Signs a text as wallets do: for Ethereum by ERC-191 (`personal_sign`), and for Solana the text's bytes
 * in UTF-8. For other accounts use `useSubmission(signRawPayload)`. Throws `InvalidField` if the account
 * is on another chain, or if the text is a transaction.
 */
export function useSignMessage(): Task<
  [request: { account: SigningAccount; message: string }],
  SignedMessage
> {
  return useSubmission(signText);
}

export async function signText(
  connection: Connection,
  { account, message }: { account: SigningAccount; message: string },
  options: { timestampMs?: string; signal?: AbortSignal },
): Promise<SignedMessage> {
  const { address, addressFormat } = account;
  if (addressFormat === "ADDRESS_FORMAT_ETHEREUM") {
    const key = { connection, signWith: address, address, ...options };
    return { signature: signatureHex(await signMessage(key, message)) };
  }
  if (addressFormat === "ADDRESS_FORMAT_SOLANA") {
    const key = await findSolanaKey(connection, { address });
    const [signature] = await signSolanaMessages(key, [encodeUtf8(message)], options);
    return { signature: encodeBase58(signature ?? new Uint8Array()) };
  }
  throw invalidFields({
    field: "account.addressFormat",
    message: `must be ADDRESS_FORMAT_ETHEREUM or ADDRESS_FORMAT_SOLANA, but is ${addressFormat}. For other chains use useSubmission(signRawPayload)`,
  });
}
