import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import { parseContractAbi } from "@keyhearth/crypto/transactions/abi";
import { expect, test } from "vitest";
import { frozenBytes, frozenKeyring } from "./frozen.testing.ts";
import { upcast } from "./kind.ts";
import { verifyRecord } from "./notarize.ts";
import { type SmartContractInterface, smartContractInterface } from "./smart-contract-interface.ts";

const body: SmartContractInterface = {
  smartContractInterfaceId: "5c1e2f30-7b82-4d93-8ca4-1d2e3f4a5b6c",
  smartContractAddress: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
  text: '[{"type":"function","name":"transfer","inputs":[{"name":"to","type":"address"},{"name":"amount","type":"uint256"}],"outputs":[{"name":"","type":"bool"}]}]',
  digest: "09eb0e75307dda287ec5b015dd3314d82b715a95688726f897dfe6a055858c46",
  createdAtMs: 1767225600000,
};

const schema1 =
  "S0hSMQAAAAEAAACreyJ0eXBlIjoic21hcnQtY29udHJhY3QtaW50ZXJmYWNlIiwic2NoZW1hIjoxLCJvcmdhbml6YXRpb25JZCI6IjVmN2MwYzZhLTFmMmEtNGYwZS05ZDJjLThiOGYwYTRmMWMxMSIsImlkIjoiNWMxZTJmMzAtN2I4Mi00ZDkzLThjYTQtMWQyZTNmNGE1YjZjIiwidmVyc2lvbiI6MSwia2V5RXBvY2giOjF9AAAB53sic21hcnRDb250cmFjdEludGVyZmFjZUlkIjoiNWMxZTJmMzAtN2I4Mi00ZDkzLThjYTQtMWQyZTNmNGE1YjZjIiwic21hcnRDb250cmFjdEFkZHJlc3MiOiIweEEwYjg2OTkxYzYyMThiMzZjMWQxOUQ0YTJlOUViMGNFMzYwNmVCNDgiLCJ0eXBlIjoiU01BUlRfQ09OVFJBQ1RfSU5URVJGQUNFX1RZUEVfRVRIRVJFVU0iLCJ0ZXh0IjoiW3tcInR5cGVcIjpcImZ1bmN0aW9uXCIsXCJuYW1lXCI6XCJ0cmFuc2ZlclwiLFwiaW5wdXRzXCI6W3tcIm5hbWVcIjpcInRvXCIsXCJ0eXBlXCI6XCJhZGRyZXNzXCJ9LHtcIm5hbWVcIjpcImFtb3VudFwiLFwidHlwZVwiOlwidWludDI1NlwifV0sXCJvdXRwdXRzXCI6W3tcIm5hbWVcIjpcIlwiLFwidHlwZVwiOlwiYm9vbFwifV19XSIsImRpZ2VzdCI6IjA5ZWIwZTc1MzA3ZGRhMjg3ZWM1YjAxNWRkMzMxNGQ4MmI3MTVhOTU2ODg3MjZmODk3ZGZlNmEwNTU4NThjNDYiLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMH12Ta+a+kfIZ0SdrFFrAcOGYP5S6fhhf3mZ6s4XoI+FsQ==";

test("a smart contract interface of schema 1 is read as it was written", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(schema1));
  expect(record.header).toEqual({
    type: "smart-contract-interface",
    schema: 1,
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    id: "5c1e2f30-7b82-4d93-8ca4-1d2e3f4a5b6c",
    version: 1,
    keyEpoch: 1,
  });
  expect(upcast(smartContractInterface, record)).toEqual(body);
});

test("a smart contract interface of schema 1 holds an interface, and its digest", () => {
  expect(encodeHex(sha256(encodeUtf8(body.text)))).toBe(body.digest);
  const { functions } = parseContractAbi(body.text);
  expect([...functions.values()].map(({ signature }) => signature)).toEqual([
    "transfer(address,uint256)",
  ]);
});
