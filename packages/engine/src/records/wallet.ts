import { notFound, recordRefused } from "../errors.ts";
import type { Sealed } from "../keys/seal.ts";
import { defineRecord } from "./define.ts";
import type { OrganizationDocument, WalletLine } from "./organization.ts";

/** A wallet's seed, sealed. It never changes; name and flags are lines of the document. */
export type Wallet = {
  walletId: string;
  mnemonicLength: number;
  sealedEntropy: Sealed;
  /** The BIP-39 seed of the entropy, kept so that signing need not stretch it again. */
  sealedSeed: Sealed;
  createdAtMs: number;
};

export const wallet = defineRecord({
  type: "wallet",
  schema: 1,
  upcasts: {},
  idOf: ({ walletId }: Wallet) => walletId,
  answers: {
    wallet: ({ header }, { walletId }: { walletId: string }) => header.id === walletId,
    // Which wallet holds the account of an address is known when the account has been found.
    "signing-key": (_record, _want: { signWith: string }) => true,
  },
  isBound: ({ header }, document) => findWalletLine(document, header.id) !== undefined,
  finders: ({ document, records }) => ({
    wallet(walletId: string): Wallet {
      if (!findWalletLine(document, walletId)) throw notFound("wallet", walletId);
      const record = records.find(({ header }) => header.id === walletId);
      if (!record) throw recordRefused(`the host did not bring wallet ${walletId}`);
      return record.body;
    },
  }),
  write: { name: "wallet" },
});

export function findWalletLine(
  { wallets }: Pick<OrganizationDocument, "wallets">,
  walletId: string,
): WalletLine | undefined {
  return wallets.find((line) => line.walletId === walletId);
}
