import type { Curve } from "@keyhearth/crypto/keys";
import { ApiError, notFound, recordRefused } from "../errors.ts";
import type {
  OrganizationDocument,
  PrivateKeyLine,
  SmartContractInterfaceLine,
  WalletLine,
} from "./organization.ts";
import type { PrivateKey } from "./private-key.ts";
import type { NotarizedRecord } from "./record.ts";
import type { Sessions } from "./sessions.ts";
import type { SmartContractInterface } from "./smart-contract-interface.ts";
import type { Wallet, WalletAccount } from "./wallet.ts";

/** A record that came with a request, in its current shape. */
export type Brought = NotarizedRecord & { digest: string };

/** What a request is about: the organization's document and the records beside it. */
export type Facts = {
  readonly document: OrganizationDocument;
  readonly brought: readonly Brought[];
};

/** A key that can sign, with all that may be known of it without unsealing it. */
export type KeyHolder = { curve: Curve; publicKey: string; digest: string } & (
  | { kind: "private-key"; record: PrivateKey; line: PrivateKeyLine }
  | { kind: "wallet-account"; record: WalletAccount; line: WalletLine }
);

/**
 * A private key's id, then a wallet account's address, then a private key's address. The record
 * must be of this organization and the document must list its wallet or key.
 */
export function findKeyHolder({ document, brought }: Facts, signWith: string): KeyHolder {
  for (const { header, body, digest } of brought) {
    if (header.type !== "private-key") continue;
    const record = body as PrivateKey;
    const { privateKeyId, curve, publicKey, addresses } = record;
    const isMeant =
      privateKeyId === signWith ||
      addresses.some(({ address }) => isSameAddress(address, signWith));
    const line = document.privateKeys.find((each) => each.privateKeyId === privateKeyId);
    if (isMeant && line) return { kind: "private-key", curve, publicKey, digest, record, line };
  }

  for (const { header, body, digest } of brought) {
    if (header.type !== "wallet-account") continue;
    const record = body as WalletAccount;
    if (!isSameAddress(record.address, signWith)) continue;
    // Asked every time: a key that is still unsealed must not outlive its wallet.
    const line = document.wallets.find((each) => each.walletId === record.walletId);
    const { curve, publicKey } = record;
    if (line) return { kind: "wallet-account", curve, publicKey, digest, record, line };
  }

  if (document.privateKeys.some((line) => line.privateKeyId === signWith)) {
    throw recordRefused(`the host did not bring private key ${signWith}`);
  }
  throw new ApiError(
    "NOT_FOUND",
    "NOT_FOUND",
    `Could not find any resource to sign with: \`${signWith.slice(0, 120)}\` is neither the id of a private key nor an address of organization ${document.organizationId}`,
    { field: "parameters.signWith" },
  );
}

export function findWallet({ document, brought }: Facts, walletId: string): Wallet {
  if (!document.wallets.some((line) => line.walletId === walletId)) {
    throw notFound("wallet", walletId);
  }
  const record = brought.find(({ header }) => header.type === "wallet" && header.id === walletId);
  if (!record) throw recordRefused(`the host did not bring wallet ${walletId}`);
  return record.body as Wallet;
}

export function findSessions({ brought }: Facts, userId: string): Sessions {
  const record = brought.find(({ header }) => header.type === "sessions" && header.id === userId);
  return record ? (record.body as Sessions) : { userId, entries: [] };
}

export function findAccountAt(
  { brought }: Facts,
  walletId: string,
  path: string,
  addressFormat: string,
): WalletAccount | null {
  for (const { header, body } of brought) {
    if (header.type !== "wallet-account") continue;
    const account = body as WalletAccount;
    const isThere = account.path === path && account.addressFormat === addressFormat;
    if (account.walletId === walletId && isThere) return account;
  }
  return null;
}

/**
 * The interface of a contract; null if the document lists none for the address. One that is listed
 * must be here: a host that leaves it out would unset what a policy reads.
 */
export function findContractInterface(
  { document, brought }: Facts,
  type: SmartContractInterfaceLine["type"],
  address: string,
): SmartContractInterface | null {
  const line = findInterfaceLine(document, type, address);
  if (!line) return null;
  const id = line.smartContractInterfaceId;
  const record = brought.find(
    ({ header }) => header.type === "smart-contract-interface" && header.id === id,
  );
  if (!record) throw recordRefused(`the host did not bring smart contract interface ${id}`);
  const body = record.body as SmartContractInterface;
  if (body.digest !== line.digest) {
    throw recordRefused(`smart contract interface ${id} is not the one that the document lists`);
  }
  return body;
}

/** Ethereum addresses match in any case, Solana's exactly. */
export function findInterfaceLine(
  { smartContractInterfaces }: Pick<OrganizationDocument, "smartContractInterfaces">,
  type: SmartContractInterfaceLine["type"],
  address: string,
): SmartContractInterfaceLine | undefined {
  return smartContractInterfaces.find(
    (line) => line.type === type && isSameAddress(line.smartContractAddress, address),
  );
}

/** Exact, except that hex addresses with 0x match in any case. */
export function isSameAddress(address: string, given: string): boolean {
  if (address === given) return true;
  return address.startsWith("0x") && address.toLowerCase() === given.toLowerCase();
}
