import { ethereumAddress } from "@keyhearth/crypto/addresses/ethereum";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { signSecp256k1 } from "@keyhearth/crypto/keys/keys";
import { type ContractAbi, parseContractAbi } from "@keyhearth/crypto/transactions/abi";
import {
  decodeEthereumTransaction,
  type EthereumTransaction,
  encodeSignedTransaction,
  ethereumRecipient,
  ethereumSigningDigest,
} from "@keyhearth/crypto/transactions/ethereum";
import { addressOf } from "@keyhearth/crypto/transactions/ethereum-json";
import type { KeyHolder } from "../keys/key-holder.ts";
import type { Chain } from "./chain.ts";
import { ethereumRoots, hexOf } from "./ethereum-roots.ts";
import { parseField } from "./parse-field.ts";

/** Ethereum, and the chains with the same transactions. */
export const ethereum = {
  format:
    "Ethereum: the unsigned serialization of a legacy, EIP-2930, EIP-1559, EIP-4844 (without blobs) or EIP-7702 transaction.",
  curve: "CURVE_SECP256K1",
  decode: decodeEthereumTransaction,

  interfaces: {
    type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
    calledContracts(transaction) {
      const recipient = ethereumRecipient(transaction);
      return recipient ? [hexOf(recipient)] : [];
    },
    // In lower or upper case. Mixed case must be the checksum of EIP-55.
    checkAddress(address, field) {
      parseField({ field }, () => addressOf(address, `invalid contract address: \`${field}\``));
    },
    parse: parseContractAbi,
    expected: "the contract's ABI as JSON, the list that compilers write under `abi`",
  },

  roots: (transaction, key, interfaceOf) => ethereumRoots(transaction, senderOf(key), interfaceOf),

  // Any key of the curve can sign: the signature determines the sender.
  assertSigner() {},

  sign(transaction, _key, privateKey) {
    const signature = signSecp256k1(ethereumSigningDigest(transaction), privateKey);
    return encodeSignedTransaction(transaction, signature);
  },
} satisfies Chain<EthereumTransaction, ContractAbi>;

/** The sender of a transaction that this key signs. */
function senderOf(key: KeyHolder): string {
  if (key.kind === "wallet-account" && key.record.addressFormat === "ADDRESS_FORMAT_ETHEREUM") {
    return key.record.address;
  }
  return ethereumAddress(decodeHex(key.publicKey));
}
