import { anyCase, int, list, string, struct } from "../types.ts";
import type { Chain } from "./chain.ts";

const BitcoinTransaction = struct("BitcoinTransaction", {
  version: string,
  inputs: list(struct("BitcoinTxInput", { tx_id: string, vout: int, sequence: int })),
  outputs: list(
    struct("BitcoinTxOutput", {
      value: int,
      script_pubkey: string,
      address: string,
      address_type: anyCase,
    }),
  ),
  locktime: struct("BitcoinTxLocktime", { amount: int, type: string }),
  fee: int,
});

export const bitcoin: Chain = {
  name: "bitcoin",
  signed: {
    tx: {
      type: BitcoinTransaction,
      saidBy: { param: "type", value: "TRANSACTION_TYPE_BITCOIN" },
      unread: ["fee"],
      // An output has an address only on a network, which a request may not name.
      unreadOf: { BitcoinTxOutput: "address" },
      mayBeNegative: /^fee$/,
      batches: /^(inputs|outputs)$/,
      neverEmpty: /^(inputs|outputs)$/,
    },
  },
};
