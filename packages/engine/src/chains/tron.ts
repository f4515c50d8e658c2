import { tronAddress } from "@keyhearth/crypto/addresses/tron";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { signSecp256k1 } from "@keyhearth/crypto/keys/keys";
import {
  decodeTronTransaction,
  encodeSignedTronTransaction,
  type TronTransaction,
  tronSigningDigest,
} from "@keyhearth/crypto/transactions/tron";
import { invalid } from "../errors.ts";
import type { Chain } from "./chain.ts";
import { addressText, tronRoots } from "./tron-roots.ts";

/** Tron: the `raw_data_hex` of a transaction. */
export const tron: Chain<TronTransaction> = {
  format: "Tron: the `raw_data_hex` of the transaction.",
  curve: "CURVE_SECP256K1",
  decode: decodeTronTransaction,
  interfaces: null,
  roots: (transaction) => tronRoots(transaction),

  assertSigner({ contract }, { publicKey }) {
    const owner = addressText(contract.ownerAddress);
    const signer = tronAddress(decodeHex(publicKey));
    if (owner === signer) return;
    throw invalid(
      "parameters.signWith",
      `the \`owner_address\` of the transaction is ${owner}, but the key that \`signWith\` names has the address ${signer}: name the key of the owner`,
      "TRANSACTION_INVALID",
    );
  },

  sign(transaction, _key, privateKey) {
    const signature = signSecp256k1(tronSigningDigest(transaction), privateKey);
    return encodeSignedTronTransaction(transaction, signature);
  },
};
