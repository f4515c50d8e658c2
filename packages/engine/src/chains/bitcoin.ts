import { type BitcoinNetwork, bitcoinNetworks } from "@keyhearth/crypto/addresses/bitcoin";
import type { ScriptForm } from "@keyhearth/crypto/addresses/bitcoin-script";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import {
  type BitcoinSpending,
  decodeBitcoinSpending,
} from "@keyhearth/crypto/transactions/bitcoin";
import {
  planSigning,
  provenFee,
  type SigningPlan,
  signBitcoin,
} from "@keyhearth/crypto/transactions/bitcoin-signing";
import { invalid } from "../errors.ts";
import type { KeyHolder } from "../keys/key-holder.ts";
import { bitcoinRoots } from "./bitcoin-roots.ts";
import type { Chain } from "./chain.ts";
import { parseField } from "./parse-field.ts";

/** Bitcoin and its test networks: a PSBT, to which signatures are added. */
export const bitcoin: Chain<BitcoinSpending> = {
  format: "Bitcoin: a PSBT of version 0 or 2.",
  curve: "CURVE_SECP256K1",
  decode: decodeBitcoinSpending,
  interfaces: null,

  roots(spending, key) {
    const fee = provenFee(spending, planOf(spending, key));
    return bitcoinRoots(spending.psbt.transaction, { fee, network: networkOf(key) });
  },

  assertSigner(spending, key) {
    const { signed, others } = planOf(spending, key);
    if (signed.length > 0) return;
    throw invalid(
      "parameters.signWith",
      `no input of the transaction can be signed by what \`signWith\` names: ${listOf(others)}; name the key, or the address that an input spends from`,
      "TRANSACTION_INVALID",
    );
  },

  sign(spending, key, { bytes }) {
    const publicKey = decodeHex(key.publicKey);
    return signBitcoin(spending, planOf(spending, key), { publicKey, privateKey: bytes });
  },
};

function planOf(spending: BitcoinSpending, key: KeyHolder): SigningPlan {
  const form = bitcoinFormat(key.addressFormat)?.form;
  const signer = { publicKey: decodeHex(key.publicKey), form };
  const field = "parameters.unsignedTransaction";
  const before = "cannot sign transaction: ";
  return parseField({ field, before, reason: "TRANSACTION_INVALID" }, () =>
    planSigning(spending, signer),
  );
}

/**
 * The network on which policies read addresses: that of the address in `signWith`, or of all Bitcoin
 * addresses of a private key if `signWith` is its id. The transaction itself belongs to no network.
 */
function networkOf(key: KeyHolder): BitcoinNetwork | undefined {
  const isById = key.kind === "private-key" && key.addressFormat === undefined;
  const formats = isById ? key.record.addresses.map(({ format }) => format) : [key.addressFormat];
  const networks = new Set(formats.flatMap((format) => bitcoinFormat(format)?.network ?? []));
  const [network] = networks;
  return networks.size === 1 ? network : undefined;
}

type BitcoinFormat = { network: BitcoinNetwork; form: ScriptForm };

function bitcoinFormat(addressFormat: string | undefined): BitcoinFormat | undefined {
  const [, name = "", form] = addressFormat?.match(FORMAT) ?? [];
  if (form === undefined) return undefined;
  // Regtest and testnet have the same base58 addresses, so the host could choose between them.
  const isShared = name === "REGTEST" && (form === "P2PKH" || form === "P2SH");
  // The pattern has only these.
  const network = NETWORKS[isShared ? "TESTNET" : (name as keyof typeof NETWORKS)];
  return { network, form: form as ScriptForm };
}

const FORMAT =
  /^ADDRESS_FORMAT_BITCOIN_(MAINNET|TESTNET|SIGNET|REGTEST)_(P2PKH|P2SH|P2WPKH|P2WSH|P2TR)$/;

const NETWORKS = {
  MAINNET: bitcoinNetworks.mainnet,
  TESTNET: bitcoinNetworks.testnet,
  SIGNET: bitcoinNetworks.testnet,
  REGTEST: bitcoinNetworks.regtest,
} as const;

/** The first reasons, because a transaction can have thousands of inputs. */
function listOf(reasons: readonly string[]): string {
  const shown = reasons.slice(0, 3).join(", ");
  return reasons.length > 3 ? `${shown} and ${reasons.length - 3} more` : shown;
}
