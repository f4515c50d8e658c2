import type { Curve, PrivateKey } from "@keyhearth/crypto/keys/keys";
import type { KeyHolder } from "../keys/key-holder.ts";
import type { Roots } from "../keys/policy-roots.ts";
import type { SmartContractInterfaceLine } from "../records/organization.ts";

/** How the transactions of one chain are read, shown to policies and signed. */
export type Chain<Transaction = unknown, Interface = unknown> = {
  /** The format of its unsigned transactions, as the description of the parameter says it. */
  format: string;
  /** The curve of the keys that sign its transactions. */
  curve: Curve;
  /** Decodes a transaction completely, or throws a MalformedError. */
  decode(bytes: Uint8Array): Transaction;
  /** The format of the interfaces of these contracts. Null if none are read. */
  interfaces: InterfaceFormat<Interface> | null;
  /** What policies see of a transaction, besides the key that signs it. */
  roots(transaction: Transaction, key: KeyHolder, interfaceOf: InterfaceOf<Interface>): Roots;
  /** Refuses a key if the transaction has no place for its signature. */
  assertSigner(transaction: Transaction, key: KeyHolder): void;
  /** Signs deterministically and returns the signed serialization. */
  sign(transaction: Transaction, key: KeyHolder, privateKey: PrivateKey): Uint8Array;
};

/** The format in which a chain's contracts describe their interface, such as an ABI or an IDL. */
export type InterfaceFormat<Interface = unknown> = {
  type: SmartContractInterfaceLine["type"];
  /**
   * The addresses of the contracts that a transaction calls, each once. Reads no more than these need,
   * and throws a MalformedError only for bytes that the chain's `decode` refuses.
   */
  calledContracts(transaction: Uint8Array): readonly string[];
  /** Refuses an address that no contract of the chain can have. */
  checkAddress(address: string, field: string): void;
  /** Throws MalformedError if the text is not an interface. */
  parse(text: string): Interface;
  /** The end of the message about a malformed text: what is expected instead. */
  expected: string;
};

/** The interface that the organization has stored for a contract, or null. */
export type InterfaceOf<Interface> = (address: string) => StoredInterface<Interface> | null;

export type StoredInterface<Interface> = {
  /** The length of its text in characters. */
  textLength: number;
  parse(): Interface;
};
