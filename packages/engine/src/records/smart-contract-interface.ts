import type { RecordKind } from "./kind.ts";
import type { SmartContractInterfaceLine } from "./organization.ts";

/** What decodes calls of a contract for policies. It never changes; label and notes are a line. */
export type SmartContractInterface = {
  smartContractInterfaceId: string;
  smartContractAddress: string;
  type: SmartContractInterfaceLine["type"];
  /** JSON, as it was given: an Ethereum ABI or an Anchor IDL. */
  text: string;
  /** Hex SHA-256 of the text, which the document lists. */
  digest: string;
  createdAtMs: number;
};

export const smartContractInterface: RecordKind<SmartContractInterface> = {
  type: "smart-contract-interface",
  schema: 1,
  upcasts: {},
};
