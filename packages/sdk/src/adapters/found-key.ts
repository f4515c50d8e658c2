import { getPrivateKey, getWalletAccount } from "../calls/generated/calls.ts";
import { pageOf } from "../connection/answers.ts";
import type { Connection } from "../connection/connection.ts";
import { Unverified } from "../errors/errors.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import type { AddressFormat, Curve } from "../generated/types.ts";

/** An account of a wallet, by its path or its address, or a private key. It is looked up. */
export type KeySource =
  | { walletId: string; path?: string; address?: string }
  | { privateKeyId: string };

/** Options of a key, wherever it is. */
export type KeyOptions = {
  /** The organization that owns the key, if it is not the connection's own, such as a sub-organization. */
  organizationId?: string;
};

/** A key as the service shows it, with the addresses that it shows for it. */
export type FoundKey = {
  /** The `signWith` of requests. */
  signWith: string;
  curve: Curve;
  publicKey: string | undefined;
  addresses: { format: AddressFormat; address: string }[];
};

/**
 * Reads a key. If the connection pins a quorum key, every address in the answer is proven to belong to
 * the key that the answer names, and here that key must be the one that was asked for.
 */
export async function findKey(
  connection: Connection,
  source: KeySource,
  { organizationId }: KeyOptions,
): Promise<FoundKey> {
  if (!("privateKeyId" in source) && typeof source.walletId !== "string") {
    throw invalidFields({ field: "walletId", message: "is missing. Give it, or a privateKeyId" });
  }
  const at = organizationId === undefined ? {} : { organizationId };
  if ("privateKeyId" in source) {
    const { privateKey } = await getPrivateKey(connection, source, at);
    if (!Array.isArray(privateKey?.addresses)) throw unverified(connection, "something else");
    const { privateKeyId: signWith, curve, publicKey } = privateKey;
    if (signWith !== source.privateKeyId) throw unverified(connection, "another private key");
    const addresses = privateKey.addresses.flatMap(({ format, address }) =>
      format && address ? [{ format, address }] : [],
    );
    return { signWith, curve, publicKey, addresses };
  }
  const { walletId, path, address } = source;
  const { account } = await getWalletAccount(connection, { walletId, path, address }, at);
  const isAsked =
    account?.walletId === walletId &&
    (path === undefined || account.path === path) &&
    (address === undefined || account.address === address);
  if (!isAsked) throw unverified(connection, "another account");
  const { curve, publicKey, addressFormat: format } = account;
  return {
    signWith: account.address,
    curve,
    publicKey,
    addresses: [{ format, address: account.address }],
  };
}

function unverified({ baseUrl }: Connection, what: string): Unverified {
  return new Unverified(
    `The service answered with ${what} than the one asked for. Do not use it, and ask your operator`,
    { code: "UNVERIFIED", docsUrl: pageOf(baseUrl, "UNVERIFIED") },
  );
}
