import { encodeBase58 } from "@keyhearth/crypto/encoding/base58";
import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import { decodeSolanaTransaction } from "@keyhearth/crypto/transactions/solana";
import { describeSolanaTransaction } from "@keyhearth/crypto/transactions/solana-programs";
import { compilePolicy, decide } from "@keyhearth/policy/decide";
import { makeEnvironment } from "@keyhearth/policy/environment";
import { expect, test } from "vitest";
import { createRecords, type Facts } from "../records/facts.ts";
import type { Brought } from "../records/kinds.ts";
import type { OrganizationDocument } from "../records/organization.ts";
import { createParsedInterfaces, interfacesOf } from "./contract-interfaces.ts";
import { solana } from "./solana.ts";
import { solanaRoots } from "./solana-roots.ts";

const key = (index: number) => new Uint8Array(32).fill(index + 1);

/** A legacy message that calls the programs in turn, with one byte of data each. */
function callsOf(programs: number, calls: number): Uint8Array {
  const keys = Array.from({ length: programs + 1 }, (_, index) => key(index));
  const instructions = Array.from({ length: calls }, (_, call) => [1 + (call % programs), 0, 1, 7]);
  const length = calls < 128 ? [calls] : [(calls & 127) | 128, calls >> 7];
  return Uint8Array.from([
    ...[1, ...new Uint8Array(64)],
    ...[1, 0, programs, keys.length, ...keys.flatMap((each) => [...each])],
    ...[...key(99), ...length, ...instructions.flat()],
  ]);
}

/** The interfaces of the programs, each with a different text. */
function factsOf(programs: number, idl: (index: number) => object): Facts {
  const records = Array.from({ length: programs }, (_, index) => {
    const text = JSON.stringify(idl(index));
    const digest = encodeHex(sha256(encodeUtf8(text)));
    const smartContractInterfaceId = `interface ${index}`;
    return {
      smartContractInterfaceId,
      smartContractAddress: encodeBase58(key(index + 1)),
      type: "SMART_CONTRACT_INTERFACE_TYPE_SOLANA",
      text,
      digest,
    };
  });
  const brought = records.map((body) => ({
    header: { type: "smart-contract-interface", id: body.smartContractInterfaceId },
    body,
    digest: "",
  }));
  // Only these parts of the document and the records are read.
  const document = { smartContractInterfaces: records } as unknown as OrganizationDocument;
  return { document, records: createRecords(document, brought as unknown as Brought[]) };
}

function instructionsOf(facts: Facts, programs: number, calls: number) {
  const transaction = decodeSolanaTransaction(callsOf(programs, calls));
  return makeEnvironment(
    solanaRoots(
      { transaction, view: describeSolanaTransaction(transaction) },
      interfacesOf(
        facts,
        solana.interfaces,
        createParsedInterfaces({ max: 1e7, maxPerOrganization: 1e7 }),
      ),
    ),
  );
}

function outcomeOf(environment: ReturnType<typeof makeEnvironment>, condition: string) {
  const policies = [compilePolicy({ policyId: "p", effect: "EFFECT_DENY", condition })];
  const rootQuorum = { threshold: 1, userIds: [] };
  return decide({ policies, environment, users: [], approvals: [], rootQuorum }).outcome;
}

const program = (index: number) => encodeBase58(key(index + 1));

test.each([
  { what: "longest", instructions: 100, docs: 380_000, most: 2 },
  { what: "slowest", instructions: 1000, docs: 0, most: 4 },
])(
  "the $what interfaces of all programs that fit into a transaction are read quickly",
  ({ instructions, docs, most }) => {
    const facts = factsOf(18, (index) => ({
      instructions: Array.from({ length: instructions }, (_, i) => ({
        name: `f${index}x${i}`,
        discriminator: i === 0 ? [7] : [8, i >> 8, i & 255],
        accounts: [],
        args: [],
      })),
      types: [],
      docs: "x".repeat(docs),
    }));
    const environment = instructionsOf(facts, 18, 120);
    const pays = (index: number) =>
      `solana.tx.instructions.filter(i, i.program_key == '${program(index)}').any(i, i.parsed_instruction_data.instruction_name == 'f0x0')`;
    expect(outcomeOf(environment, pays(0))).toBe("OUTCOME_DENY_EXPLICIT");
    expect(outcomeOf(environment, pays(1))).toBe("OUTCOME_DENY_IMPLICIT");
    expect(outcomeOf(environment, pays(17))).toBe("OUTCOME_DENY_EXPLICIT");
    // Reading an instruction of a program beyond the limit is an error, so the DENY denies.
    const isRead = (index: number) =>
      outcomeOf(environment, pays(index).replace("f0x0", "none")) === "OUTCOME_DENY_IMPLICIT";
    expect(Array.from({ length: 18 }, (_, index) => isRead(index)).filter(Boolean)).toHaveLength(
      most,
    );
  },
);

test("arguments that take no bytes are read quickly", () => {
  const facts = factsOf(1, () => ({
    instructions: [
      {
        name: "f",
        discriminator: [7],
        accounts: [],
        args: [{ name: "a", type: { array: [{ defined: { name: "Nothing" } }, 9990] } }],
      },
    ],
    types: [{ name: "Nothing", type: { kind: "struct", fields: [] } }],
  }));
  const environment = instructionsOf(facts, 1, 250);
  const isFirst = "solana.tx.instructions[0].parsed_instruction_data.instruction_name == 'f'";
  expect(outcomeOf(environment, isFirst)).toBe("OUTCOME_DENY_EXPLICIT");
  const isOther = "solana.tx.instructions[1].parsed_instruction_data.instruction_name == 'g'";
  expect(outcomeOf(environment, isOther)).toBe("OUTCOME_DENY_EXPLICIT");
});
