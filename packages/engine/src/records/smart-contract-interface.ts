import { lowerCase } from "@keyhearth/policy/values";
import { recordRefused } from "../errors.ts";
import { defineRecord } from "./define.ts";
import type { OrganizationDocument, SmartContractInterfaceLine } from "./organization.ts";

/** The interface of a contract. It never changes. The document has its label and notes. */
export type SmartContractInterface = {
  smartContractInterfaceId: string;
  smartContractAddress: string;
  type: SmartContractInterfaceLine["type"];
  /** JSON as it was given: an Ethereum ABI or an Anchor IDL. */
  text: string;
  /** Hex SHA-256 of the text, which the document lists. */
  digest: string;
  createdAtMs: number;
};

export const smartContractInterface = defineRecord({
  type: "smart-contract-interface",
  schema: 1,
  upcasts: {},
  idOf: ({ smartContractInterfaceId }: SmartContractInterface) => smartContractInterfaceId,
  answers: {
    "smart-contract-interface": (
      { header },
      { smartContractInterfaceId }: { smartContractInterfaceId: string },
    ) => header.id === smartContractInterfaceId,
  },
  // The text must be the one that the document lists, not just any with that id.
  isBound: ({ header, body }, { smartContractInterfaces }) =>
    smartContractInterfaces.some(
      (line) => line.smartContractInterfaceId === header.id && line.digest === body.digest,
    ),
  finders: ({ document, records }) => ({
    /**
     * The interface of a contract. Null if the document lists none for the address. A listed one
     * must be present, because a host could otherwise hide the arguments of a call from policies.
     */
    contractInterface(
      type: SmartContractInterfaceLine["type"],
      address: string,
    ): SmartContractInterface | null {
      const line = findInterfaceLine(document, type, address);
      if (!line) return null;
      const id = line.smartContractInterfaceId;
      const record = records.find(({ header }) => header.id === id);
      if (!record) throw recordRefused(`the host did not bring smart contract interface ${id}`);
      return record.body;
    },
  }),
  write: { name: "smartContractInterface" },
});

/**
 * Ethereum addresses match in any case, Solana addresses exactly. A transaction has the bytes of the address, so
 * an interface counts for it however its address is written.
 */
export function findInterfaceLine(
  { smartContractInterfaces }: Pick<OrganizationDocument, "smartContractInterfaces">,
  type: SmartContractInterfaceLine["type"],
  address: string,
): SmartContractInterfaceLine | undefined {
  const compared = type === "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM" ? lowerCase : String;
  const wanted = compared(address);
  return smartContractInterfaces.find(
    (line) => line.type === type && compared(line.smartContractAddress) === wanted,
  );
}
