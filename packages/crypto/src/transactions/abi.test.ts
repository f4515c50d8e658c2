import { encodeFunctionData, erc20Abi } from "viem";
import { expect, test } from "vitest";

import { decodeHex } from "../encoding.ts";
import { parseContractAbi } from "./abi.ts";
import { decodeCall } from "./abi-call.ts";

const to = "0x000000000000000000000000000000000000dEaD";

test("a transfer of tokens is read by the interface of its contract", () => {
  const abi = parseContractAbi(
    JSON.stringify(
      erc20Abi.map((entry) =>
        entry.type === "function" ? { ...entry, outputs: [{ name: "", type: "bool" }] } : entry,
      ),
    ),
  );
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, 500n] });
  expect(decodeCall(abi, decodeHex(data.slice(2)))).toEqual({
    kind: "decoded",
    functionName: "transfer",
    selector: "0xa9059cbb",
    arguments: [
      {
        name: "recipient",
        value: { kind: "address", type: "address", bytes: decodeHex(to.slice(2)) },
      },
      { name: "amount", value: { kind: "uint", type: "uint256", value: 500n } },
    ],
    suffix: new Uint8Array(0),
  });
});
