import type { Curve } from "@keyhearth/crypto/keys";
import { defineRecord } from "./define.ts";
import type { WalletLine } from "./organization.ts";
import { isSameAddress } from "./same-address.ts";
import { findWalletLine } from "./wallet.ts";

export type WalletAccount = {
  walletAccountId: string;
  walletId: string;
  curve: Curve;
  pathFormat: "PATH_FORMAT_BIP32";
  path: string;
  addressFormat: string;
  address: string;
  /** In hex, compressed for ECDSA curves. */
  publicKey: string;
  proof: AddressProof;
  createdAtMs: number;
};

/** A signed statement that this signer derived this address. It can be verified offline. */
export type AddressProof = {
  scheme: "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256";
  /** The encryption point and the signing point of the quorum key, hex of 130 bytes. */
  publicKey: string;
  proofPayload: string;
  /** r and s, hex of 64 bytes. */
  signature: string;
};

type Places = { walletId: string; places: { path: string; addressFormat: string }[] };

/** An account with its wallet's line in the document. The digest is that of the record. */
export type ListedAccount = { record: WalletAccount; digest: string; line: WalletLine };

export const walletAccount = defineRecord({
  type: "wallet-account",
  schema: 1,
  upcasts: {},
  idOf: ({ walletAccountId }: WalletAccount) => walletAccountId,
  answers: {
    /** The accounts that already exist at these places of the wallet, if any. */
    "accounts-at": ({ body }, { walletId }: Places) => body.walletId === walletId,
    "signing-key": (_record, _want: { signWith: string }) => true,
  },
  // The document must list the wallet: an unsealed key must not outlive it.
  isBound: ({ body }, document) => findWalletLine(document, body.walletId) !== undefined,
  finders: ({ document, records }) => ({
    /** The account that already exists at this path, if any. */
    accountAt(walletId: string, path: string, addressFormat: string): WalletAccount | null {
      const found = records.find(
        ({ body }) =>
          body.walletId === walletId && body.path === path && body.addressFormat === addressFormat,
      );
      return found?.body ?? null;
    },
    accountOfAddress(address: string): ListedAccount | null {
      for (const { body, digest } of records) {
        if (!isSameAddress(body.address, address)) continue;
        const line = findWalletLine(document, body.walletId);
        if (line) return { record: body, digest, line };
      }
      return null;
    },
  }),
  write: { name: "walletAccount" },
});
