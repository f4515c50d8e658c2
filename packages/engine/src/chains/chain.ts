import type { Curve } from "@keyhearth/crypto/keys";
import type { Roots } from "../policies/roots.ts";
import type { KeyHolder } from "../records/facts.ts";
import type { SmartContractInterfaceLine } from "../records/organization.ts";

/** The transactions of one chain: how they are read, shown to policies and signed. */
export type Chain<Transaction = unknown, Interface = unknown> = {
  /** The curve of the keys that sign its transactions. */
  curve: Curve;
  /** Reads a transaction to its last byte. Throws MalformedError if it cannot. */
  decode(bytes: Uint8Array): Transaction;
  /** Addresses of the contracts that a transaction calls, each once. */
  calledContracts(transaction: Transaction): readonly string[];
  /** How the interfaces of these contracts are written. */
  interfaces: InterfaceFormat<Interface>;
  /** What policies see of a transaction, beside the key that signs it. */
  roots(transaction: Transaction, key: KeyHolder, interfaceOf: InterfaceOf<Interface>): Roots;
  /** Refuses a key whose signature the transaction has no place for. */
  assertSigner(transaction: Transaction, key: KeyHolder): void;
  /** The signed serialization. Deterministic. */
  sign(transaction: Transaction, key: KeyHolder, privateKey: Uint8Array): Uint8Array;
};

/** How the interfaces of a chain's contracts are written, such as an ABI or an IDL. */
export type InterfaceFormat<Interface = unknown> = {
  type: SmartContractInterfaceLine["type"];
  /** Refuses an address that no contract of the chain can have. */
  checkAddress(address: string, field: string): void;
  /** Throws MalformedError if the text is not an interface. */
  parse(text: string): Interface;
  /** What to give instead of a text that is not one: the end of a message. */
  expected: string;
};

/** The interface that the organization keeps for a contract; null if it keeps none. */
export type InterfaceOf<Interface> = (address: string) => KeptInterface<Interface> | null;

export type KeptInterface<Interface> = {
  /** Characters of its text. */
  textLength: number;
  parse(): Interface;
};
