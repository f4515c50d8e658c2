import type { MnemonicLanguage } from "@keyhearth/crypto/keys/mnemonic";
import { notFound, recordRefused } from "../errors.ts";
import type { Sealed } from "../vault/seal.ts";
import { defineRecord } from "./define.ts";
import type { OrganizationDocument, WalletLine } from "./organization.ts";

/** A wallet's sealed seed. It never changes. The document has the name and flags. */
export type Wallet = {
  walletId: string;
  mnemonicLength: number;
  /** The language whose words make the seed. */
  language: MnemonicLanguage;
  sealedEntropy: Sealed;
  /** The BIP-39 passphrase that was imported with the mnemonic. Null if there is none. */
  sealedPassphrase: Sealed | null;
  /** The BIP-39 seed of all that, stored because deriving it takes long. */
  sealedSeed: Sealed;
  createdAtMs: number;
};

export const wallet = defineRecord({
  type: "wallet",
  schema: 2,
  upcasts: {
    // Schema 1 had only seeds that were created here.
    1: (body) => ({ ...body, language: "ENGLISH", sealedPassphrase: null }),
  },
  idOf: ({ walletId }: Wallet) => walletId,
  answers: {
    wallet: ({ header }, { walletId }: { walletId: string }) => header.id === walletId,
    // The wallet of an address is known only after its account was found.
    "signing-key": (_record, _want: { signWith: string }) => true,
  },
  isBound: ({ header }, document) => findWalletLine(document, header.id) !== undefined,
  finders: ({ document, records }) => ({
    wallet(walletId: string): Wallet {
      if (!findWalletLine(document, walletId))
        throw notFound("parameters.walletId", "wallet", walletId);
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
