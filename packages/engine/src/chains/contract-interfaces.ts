import { MalformedError } from "@keyhearth/crypto/transactions/malformed";
import { ApiError } from "../errors.ts";
import { type Facts, findContractInterface } from "../records/facts.ts";
import type { SmartContractInterface } from "../records/smart-contract-interface.ts";
import type { InterfaceFormat, InterfaceOf } from "./chain.ts";

// Interfaces of smart contracts: their texts are checked when they are created, and parsed for the
// policies that read calls by them.

/** Bytes of UTF-8. */
export const MAX_INTERFACE_BYTES = 400_000;

/** Interfaces parsed a while ago, so that one in use is parsed once. */
export type ParsedInterfaces = {
  parse<Interface>(format: InterfaceFormat<Interface>, record: SmartContractInterface): Interface;
};

/** What is parsed takes a multiple of its text's memory, so the texts' length is bounded. */
export function createParsedInterfaces(maxTextLength = 4_000_000): ParsedInterfaces {
  const parsed = new Map<string, { value: unknown; textLength: number }>();
  let totalLength = 0;

  function keep(name: string, value: unknown, textLength: number) {
    parsed.set(name, { value, textLength });
    totalLength += textLength;
    for (const [oldest, { textLength }] of parsed) {
      if (totalLength <= maxTextLength) break;
      parsed.delete(oldest);
      totalLength -= textLength;
    }
  }

  return {
    parse<Interface>(format: InterfaceFormat<Interface>, record: SmartContractInterface) {
      const name = `${format.type} ${record.digest}`;
      const known = parsed.get(name);
      if (known) {
        parsed.delete(name);
        parsed.set(name, known);
        // The format of this type, which is part of the name, parsed it.
        return known.value as Interface;
      }
      const value = parseKept(format, record);
      keep(name, value, record.text.length);
      return value;
    },
  };
}

/** The interfaces of an organization's contracts, as one chain writes them. */
export function interfacesOf<Interface>(
  facts: Facts,
  format: InterfaceFormat<Interface>,
  parsed: ParsedInterfaces,
): InterfaceOf<Interface> {
  return (address) => {
    const record = findContractInterface(facts, format.type, address);
    return record && { textLength: record.text.length, parse: () => parsed.parse(format, record) };
  };
}

/** An interface was readable when it was created; a later version may be stricter. */
function parseKept<Interface>(
  format: InterfaceFormat<Interface>,
  { smartContractInterfaceId, text }: SmartContractInterface,
): Interface {
  try {
    return format.parse(text);
  } catch (cause) {
    if (!(cause instanceof MalformedError)) throw cause;
    const message = `smart contract interface \`${smartContractInterfaceId}\` cannot be read any more: ${cause.message}; delete it and create it anew`;
    throw new ApiError("INVALID_ARGUMENT", "FIELD_INVALID", message, { cause });
  }
}
