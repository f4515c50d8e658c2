import { addressOfScript, type BitcoinNetwork } from "@keyhearth/crypto/addresses/bitcoin";
import { paidTo } from "@keyhearth/crypto/addresses/bitcoin-script";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import {
  type BitcoinOutput,
  type BitcoinTransaction,
  displayedTxid,
} from "@keyhearth/crypto/transactions/bitcoin-transaction";
import { FIRST_TIME } from "@keyhearth/crypto/transactions/psbt";
import { type Input, unread } from "@keyhearth/policy/environment";
import type { Roots } from "../keys/policy-roots.ts";

/** What the transaction itself does not say. Undefined if the request does not say it reliably. */
export type BitcoinContext = {
  readonly fee: bigint | undefined;
  readonly network: BitcoinNetwork | undefined;
};

/** `bitcoin.tx`. */
export function bitcoinRoots(
  { version, inputs, outputs, locktime }: BitcoinTransaction,
  { fee, network }: BitcoinContext,
): Roots {
  return {
    bitcoin: {
      tx: {
        version: String(version),
        inputs: inputs.map(({ txid, vout, sequence }) => {
          return { tx_id: displayedTxid(txid), vout, sequence };
        }),
        outputs: outputs.map((output) => outputOf(output, network)),
        locktime: { amount: locktime, type: locktime < FIRST_TIME ? "Blocks" : "Seconds" },
        // Another signature could change it.
        fee: fee ?? unread("a fee of uncertain amounts: add the `non_witness_utxo` of the inputs"),
      },
    },
  };
}

/** An output without an address, such as a note, has an empty one. */
function outputOf({ amount, script }: BitcoinOutput, network: BitcoinNetwork | undefined): Input {
  return {
    value: amount,
    script_pubkey: encodeHex(script),
    address: network
      ? (addressOfScript(network, script) ?? "")
      : unread("an address of no network: name the key in `signWith` by a Bitcoin address"),
    address_type: paidTo(script)?.form ?? "",
  };
}
