import { MalformedError } from "@keyhearth/crypto/transactions/malformed";
import { ApiError } from "../errors.ts";
import type { Facts } from "../records/facts.ts";
import type { SmartContractInterface } from "../records/smart-contract-interface.ts";
import type { InterfaceFormat, InterfaceOf } from "./chain.ts";

// Interfaces of smart contracts. Their text is checked when they are created, and parsed when a
// policy reads a call.

/** In bytes of UTF-8. */
export const MAX_INTERFACE_BYTES = 400_000;

/** A cache of parsed interfaces, so that one in use is not parsed for every request. */
export type ParsedInterfaces = {
  parse<Interface>(format: InterfaceFormat<Interface>, record: SmartContractInterface): Interface;
};

/** A parsed interface takes several times the memory of its text, so the total text is bounded. */
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
        // Parsed by the format of the same type, because the type is part of the name.
        return known.value as Interface;
      }
      const value = parseStored(format, record);
      keep(name, value, record.text.length);
      return value;
    },
  };
}

/** The interfaces of an organization's contracts, in the format of one chain. */
export function interfacesOf<Interface>(
  { records }: Facts,
  format: InterfaceFormat<Interface>,
  parsed: ParsedInterfaces,
): InterfaceOf<Interface> {
  return (address) => {
    const record = records.contractInterface(format.type, address);
    return record && { textLength: record.text.length, parse: () => parsed.parse(format, record) };
  };
}

/** An interface was valid when it was created, but a later version of the parser may be stricter. */
function parseStored<Interface>(
  format: InterfaceFormat<Interface>,
  { smartContractInterfaceId, text }: SmartContractInterface,
): Interface {
  try {
    return format.parse(text);
  } catch (cause) {
    if (!(cause instanceof MalformedError)) throw cause;
    const message = `smart contract interface \`${smartContractInterfaceId}\` can no longer be read: ${cause.message}; delete it and create it again`;
    throw new ApiError("INVALID_ARGUMENT", "FIELD_INVALID", message, { cause });
  }
}
