import { anyCase, int, list, string, struct } from "../types.ts";
import type { Chain } from "./chain.ts";

const TempoTransaction = struct("TempoTransaction", {
  chain_id: int,
  nonce: int,
  gas_limit: int,
  max_fee_per_gas: int,
  max_priority_fee_per_gas: int,
  from: anyCase,
  fee_token: anyCase,
  valid_before: int,
  valid_after: int,
  calls: list(struct("TempoCall", { to: anyCase, input: anyCase, function_signature: string })),
});

export const tempo: Chain = {
  name: "tempo",
  signed: {
    tx: {
      type: TempoTransaction,
      saidBy: { param: "type", value: "TRANSACTION_TYPE_TEMPO" },
      batches: /^calls$/,
      neverEmpty: /^calls$/,
    },
  },
};
