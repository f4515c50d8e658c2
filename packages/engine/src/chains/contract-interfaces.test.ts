import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import { heapSizeOf } from "../memory/heap-size.ts";
import type { SmartContractInterface } from "../records/smart-contract-interface.ts";
import { createParsedInterfaces, MAX_PARSED_BYTES } from "./contract-interfaces.ts";
import { ethereum } from "./ethereum.ts";
import { solana } from "./solana.ts";

const MB = 1024 * 1024;
const interfaces = createParsedInterfaces({ max: 8 * MB, maxPerOrganization: 4 * MB });
const contractAbiOf = (record: SmartContractInterface, organizationId = "ada's") =>
  interfaces.parse(organizationId, ethereum.interfaces, record);
const anchorIdlOf = (record: SmartContractInterface) =>
  interfaces.parse("ada's", solana.interfaces, record);

function interfaceOf(
  type: "ETHEREUM" | "SOLANA",
  text: string,
  id = "5c1e2f30-7b82-4d93-8ca4-1d2e3f4a5b6c",
): SmartContractInterface {
  return {
    smartContractInterfaceId: id,
    smartContractAddress: "not read here",
    type: `SMART_CONTRACT_INTERFACE_TYPE_${type}`,
    text,
    digest: encodeHex(sha256(encodeUtf8(text))),
    createdAtMs: 1767225600000,
  };
}

/** Parsed, it takes about a megabyte. */
function largeAbi(index: number): string {
  const inputs = Array.from({ length: 2000 }, () => ({ name: "", type: "uint8" }));
  return JSON.stringify([{ name: `mint${index}`, inputs }]);
}

const abi = '[{"name":"mint","inputs":[{"name":"amount","type":"uint256"}]}]';
const idl = '{"instructions":[{"name":"deposit","accounts":[],"args":[]}],"types":[]}';

test("an interface is parsed once, however often its record is read again", () => {
  const parsed = contractAbiOf(interfaceOf("ETHEREUM", abi));
  expect([...parsed.functions.values()].map(({ name }) => name)).toEqual(["mint"]);
  expect(contractAbiOf(interfaceOf("ETHEREUM", abi))).toBe(parsed);

  const program = anchorIdlOf(interfaceOf("SOLANA", idl));
  expect(program.instructions.map(({ name }) => name)).toEqual(["deposit"]);
  expect(anchorIdlOf(interfaceOf("SOLANA", idl))).toBe(program);
});

test("an interface that was not used for long is dropped and parsed again", () => {
  const used = interfaceOf("ETHEREUM", abi);
  const idle = interfaceOf("ETHEREUM", abi.replace("mint", "burn"));
  const [parsedUsed, parsedIdle] = [contractAbiOf(used), contractAbiOf(idle)];
  for (let i = 0; i < 12; i++) {
    contractAbiOf(interfaceOf("ETHEREUM", largeAbi(i)));
    expect(contractAbiOf(used)).toBe(parsedUsed);
  }
  const again = contractAbiOf(idle);
  expect(again).not.toBe(parsedIdle);
  expect(again).toEqual(parsedIdle);
});

test("an organization with many interfaces does not displace those of others", () => {
  const grace = interfaceOf("ETHEREUM", abi);
  const parsed = contractAbiOf(grace, "grace's");
  for (let i = 0; i < 12; i++) contractAbiOf(interfaceOf("ETHEREUM", largeAbi(i)));
  expect(contractAbiOf(grace, "grace's")).toBe(parsed);
});

test("an interface that takes much more memory than its text is refused", () => {
  const components = Array.from({ length: 4900 }, () => ({ name: "", type: "uint256" }));
  const inTuples = (levels: number): object[] =>
    levels === 0 ? components : [{ name: "", type: "tuple", components: inTuples(levels - 1) }];
  const text = JSON.stringify([{ name: "mint", inputs: inTuples(14) }]);
  expect(text.length).toBeLessThan(400_000);
  expect(() => contractAbiOf(interfaceOf("ETHEREUM", text))).toThrow(
    /the interface takes \d+ bytes of memory once it is parsed; at most 3145728 are allowed: leave out functions that no policy reads; delete it/,
  );
});

test("the five largest interfaces fit into an organization's part of the signer's cache", () => {
  const kept = createParsedInterfaces({ max: 64 * MB, maxPerOrganization: 16 * MB });
  const largest = Array.from({ length: 5 }, (_, index) => {
    const inputs = Array.from({ length: 4990 }, (_, i) => ({
      name: `${"n".repeat(25)}${i}`,
      type: "uint256",
    }));
    return interfaceOf("ETHEREUM", JSON.stringify([{ name: `mint${index}`, inputs }]));
  });
  const lengths: number[] = [];
  const counted = kept.counted((characters) => lengths.push(characters));
  const parse = () => largest.map((one) => counted.parse("ada's", ethereum.interfaces, one));
  const [first, again] = [parse(), parse()];
  expect(again.every((one, i) => one === first[i])).toBe(true);
  expect(lengths).toEqual(largest.map(({ text }) => text.length));
  for (const one of first) expect(heapSizeOf(one)).toBeGreaterThan(0.8 * MAX_PARSED_BYTES);
});

test("a text that this version can no longer read is an error that the client can fix", () => {
  const id = "6d2f3041-8c93-4ea4-9db5-2e3f4a5b6c7d";
  const refused = () => contractAbiOf(interfaceOf("ETHEREUM", '[{"name":"mint"}]', id));
  expect(refused).toThrow(ApiError);
  expect(refused).toThrow(
    /^smart contract interface `6d2f3041-8c93-4ea4-9db5-2e3f4a5b6c7d` can no longer be read: provided ABI is invalid: entry 0 \(mint\).*; delete it and create it again$/,
  );
});
