import {
  getPrivateKey,
  getWalletAccount,
  listPrivateKeys,
  listWalletAccounts,
} from "../../calls/generated/calls.ts";
import type { Connection } from "../../connection/connection.ts";
import { type InvalidField, NotFound, Unverified } from "../../errors/errors.ts";
import { shown } from "../../errors/given-values.ts";
import { invalidFields } from "../../errors/invalid-fields.ts";
import type { PrivateKey } from "../../generated/types.ts";

/** The key that an adapter signs with. */
export type EvmKey = {
  /** Where requests go, and who stamps them. A `KeyhearthClient` is one. */
  connection: Connection;
  /** Ethereum address of a wallet account, or Ethereum address or id of a private key. */
  signWith: string;
  /** The organization that has the key, if it is not the connection's own. */
  organizationId?: string | undefined;
};

export type Hex = `0x${string}`;

/** Options of calls for this key. */
export function at({
  organizationId,
  timestampMs,
  signal,
}: EvmKey & { timestampMs?: string | undefined; signal?: AbortSignal | undefined }): {
  organizationId?: string;
  timestampMs?: string;
  signal?: AbortSignal;
} {
  return {
    ...(organizationId === undefined ? {} : { organizationId }),
    ...(timestampMs === undefined ? {} : { timestampMs }),
    ...(signal === undefined ? {} : { signal }),
  };
}

export function isAddress(text: unknown): text is Hex {
  return typeof text === "string" && /^0x[0-9a-f]{40}$/i.test(text);
}

export function isSameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/**
 * The Ethereum address of a key. Only if `signWith` is the id of a private key, it asks the service; then
 * a connection with a pinned quorum key has verified the answer.
 */
export async function findAddress(key: EvmKey, address?: string | undefined): Promise<Hex> {
  const { signWith } = key;
  if (address !== undefined && !isAddress(address)) {
    throw invalid("address", `must be 0x and 40 hex digits, but is ${shown(address)}`);
  }
  if (isAddress(signWith)) {
    if (address === undefined || isSameAddress(address, signWith)) return address ?? signWith;
    throw invalid("address", "is another address than signWith. Leave it out");
  }
  if (!isId(signWith)) {
    throw invalid(
      "signWith",
      `must be an Ethereum address, or the id of a private key, but is ${shown(signWith)}`,
    );
  }
  return address ?? addressOf(await readPrivateKey(key));
}

/**
 * The compressed public key of an account or private key, as the service shows it: 33 bytes in hex.
 * With `walletId` that takes one request. Otherwise it goes through the organization's accounts, 100 a
 * request. The caller must check that it belongs to the address.
 */
export async function findPublicKey(
  key: EvmKey,
  address: string,
  walletId?: string | undefined,
): Promise<string> {
  if (isId(key.signWith)) return (await readPrivateKey(key)).publicKey;
  const publicKey =
    walletId === undefined
      ? ((await searchAccounts(key, address)) ?? (await searchPrivateKeys(key, address)))
      : await readAccount(key, address, walletId);
  if (publicKey !== undefined) return publicKey;
  throw new NotFound(
    `No wallet account and no private key of this organization has the address ${address}. Set organizationId if it belongs to another one`,
    { code: "NOT_FOUND", field: "signWith" },
  );
}

async function readAccount(key: EvmKey, address: string, walletId: string) {
  const { account } = await getWalletAccount(key.connection, { walletId, address }, at(key));
  if (isAddress(account?.address) && isSameAddress(account.address, address)) {
    return account.publicKey;
  }
  throw unverified(`The service answered for ${address} with another account`);
}

async function searchAccounts(key: EvmKey, address: string): Promise<string | undefined> {
  const limit = 100;
  for (let after: string | undefined; ; ) {
    const paginationOptions = { limit: String(limit), ...(after === undefined ? {} : { after }) };
    const { accounts } = await listWalletAccounts(key.connection, { paginationOptions }, at(key));
    if (!Array.isArray(accounts)) throw unverified("The service answered without accounts");
    const found = accounts.find((account) => isSameAddress(account.address, address));
    if (found) return found.publicKey;
    const last = accounts.at(-1)?.walletAccountId;
    if (accounts.length < limit || last === after) return undefined;
    after = last;
  }
}

async function searchPrivateKeys(key: EvmKey, address: string): Promise<string | undefined> {
  const { privateKeys } = await listPrivateKeys(key.connection, {}, at(key));
  if (!Array.isArray(privateKeys)) throw unverified("The service answered without private keys");
  return privateKeys.find(({ addresses }) =>
    addresses.some((each) => isSameAddress(each.address, address)),
  )?.publicKey;
}

async function readPrivateKey(key: EvmKey): Promise<PrivateKey> {
  const { connection, signWith: privateKeyId } = key;
  const { privateKey } = await getPrivateKey(connection, { privateKeyId }, at(key));
  if (privateKey?.privateKeyId === privateKeyId.toLowerCase()) return privateKey;
  throw unverified(`The service answered for ${privateKeyId} with another private key`);
}

function addressOf({ privateKeyId, addresses }: PrivateKey): Hex {
  const found = addresses.find(({ format }) => format === "ADDRESS_FORMAT_ETHEREUM")?.address;
  if (isAddress(found)) return found;
  throw invalid(
    "signWith",
    `names the private key ${privateKeyId}, which was created without ADDRESS_FORMAT_ETHEREUM. Set address`,
  );
}

function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

export function invalid(field: string, message: string): InvalidField {
  return invalidFields({ field, message });
}

export function unverified(message: string): Unverified {
  return new Unverified(`${message}. Do not use the answer, and check what runs at baseUrl`, {
    code: "UNVERIFIED",
  });
}
