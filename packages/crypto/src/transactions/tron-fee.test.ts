import { utils } from "tronweb";
import { expect, test } from "vitest";
import { decodeHex } from "../encoding/bytes.ts";
import { decodeTronTransaction } from "./tron.ts";
import { mostTronFee } from "./tron-fee.ts";

const owner_address = `41${"01".repeat(20)}`;
const to_address = `41${"02".repeat(20)}`;

function feeOf(
  type: string,
  value: object,
  { Permission_id, ...raw }: Record<string, unknown> = {},
) {
  const made = utils.transaction.txJsonToPb({
    visible: false,
    raw_data: {
      ...{ ref_block_bytes: "a1b2", ref_block_hash: "0102030405060708" },
      ...{ expiration: 1_700_000_060_000, timestamp: 1_700_000_000_000 },
      contract: [{ type, parameter: { value }, ...(Permission_id ? { Permission_id } : {}) }],
      ...raw,
    },
  });
  return mostTronFee(decodeTronTransaction(decodeHex(utils.transaction.txPbToRawDataHex(made))));
}

const payment = { owner_address, to_address, amount: 1_000_000 };

test("a payment costs its bytes, as the network counts them", () => {
  // 267 points of bandwidth, as explorers of blocks show for payments of one TRX.
  expect(feeOf("TransferContract", payment)).toEqual({
    ...{ bytes: 267_000n, energy: 0n, hasFixedFees: false },
  });
});

test("a fee limit bounds the energy of a call, on top of its bytes", () => {
  const call = { owner_address, contract_address: to_address, data: "a9059cbb" };
  const fee = feeOf("TriggerSmartContract", call, { fee_limit: 30_000_000 });
  expect(fee).toMatchObject({ energy: 30_000_000n, hasFixedFees: false });
  expect(fee.bytes).toBeGreaterThan(250_000n);
  const longer = { ...call, data: `a9059cbb${"00".repeat(1000)}` };
  const more = feeOf("TriggerSmartContract", longer, { fee_limit: 30_000_000 });
  expect(more.bytes - fee.bytes).toBeGreaterThanOrEqual(1_000_000n);
});

test("a memo and further signatures cost fixed fees on top", () => {
  expect(feeOf("TransferContract", payment, { data: "68656c6c6f" }).hasFixedFees).toBe(true);
  expect(feeOf("TransferContract", payment, { Permission_id: 2 }).hasFixedFees).toBe(true);
});
