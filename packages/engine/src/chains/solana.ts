import { decodeBase58 } from "@keyhearth/crypto/encoding/base58";
import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { signEd25519 } from "@keyhearth/crypto/keys/keys";
import { type AnchorIdl, parseAnchorIdl } from "@keyhearth/crypto/transactions/anchor-idl";
import {
  decodeSolanaTransaction,
  encodeSignedSolanaTransaction,
  solanaMessage,
} from "@keyhearth/crypto/transactions/solana";
import { describeSolanaTransaction } from "@keyhearth/crypto/transactions/solana-programs";
import { invalid, shorten } from "../errors.ts";
import type { Chain } from "./chain.ts";
import { type SolanaCall, solanaRoots } from "./solana-roots.ts";

/** Solana: legacy and version 0 transactions. */
export const solana = {
  format: "Solana: the whole legacy or v0 transaction with empty signature slots.",
  curve: "CURVE_ED25519",

  decode,

  interfaces: {
    type: "SMART_CONTRACT_INTERFACE_TYPE_SOLANA",
    calledContracts: (transaction) => decode(transaction).view.programKeys,
    checkAddress(address, field) {
      if (isProgramAddress(address)) return;
      throw invalid(
        field,
        `invalid program address: expected 32 bytes in base58, got \`${shorten(address)}\``,
      );
    },
    parse: parseAnchorIdl,
    expected: "the program's Anchor IDL as JSON, which `anchor build` writes below target/idl",
  },

  roots: (call, _key, interfaceOf) => solanaRoots(call, interfaceOf),

  assertSigner({ transaction: { accountKeys, requiredSignatures } }, { publicKey }) {
    const signers = accountKeys.slice(0, requiredSignatures);
    if (signers.some((key) => encodeHex(key) === publicKey)) return;
    throw invalid(
      "parameters.signWith",
      "the transaction does not require a signature of the key that `signWith` names: it must be the fee payer or another signer of the message",
      "TRANSACTION_INVALID",
    );
  },

  sign({ transaction }, { publicKey }, privateKey) {
    const signature = signEd25519(solanaMessage(transaction), privateKey);
    return encodeSignedSolanaTransaction(transaction, decodeHex(publicKey), signature);
  },
} satisfies Chain<SolanaCall, AnchorIdl>;

function decode(bytes: Uint8Array): SolanaCall {
  const transaction = decodeSolanaTransaction(bytes);
  return { transaction, view: describeSolanaTransaction(transaction) };
}

/** Checks the length first, because decoding base58 is quadratic. Programs may be off the curve. */
function isProgramAddress(address: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) return false;
  return decodeBase58(address).length === 32;
}
