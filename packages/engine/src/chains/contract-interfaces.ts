import { MalformedError } from "@keyhearth/crypto/transactions/malformed";
import { ApiError } from "../errors.ts";
import { type Bounds, createBoundedCache } from "../memory/bounded-cache.ts";
import { heapSizeOf } from "../memory/heap-size.ts";
import type { Facts } from "../records/facts.ts";
import type { SmartContractInterface } from "../records/smart-contract-interface.ts";
import type { InterfaceFormat, InterfaceOf } from "./chain.ts";

// Interfaces of smart contracts. Their text is checked when they are created, and parsed when a
// policy reads a call.

/** In bytes of UTF-8. */
export const MAX_INTERFACE_BYTES = 400_000;

/** A cache of parsed interfaces, so that one in use is not parsed for every request. */
export type ParsedInterfaces = {
  parse<Interface>(
    organizationId: string,
    format: InterfaceFormat<Interface>,
    record: SmartContractInterface,
  ): Interface;
};

export function createParsedInterfaces(bounds: Bounds): ParsedInterfaces {
  const parsed = createBoundedCache<object>(bounds);
  return {
    parse<Interface>(
      organizationId: string,
      format: InterfaceFormat<Interface>,
      record: SmartContractInterface,
    ) {
      const name = `${organizationId} ${format.type} ${record.digest}`;
      const known = parsed.get(name);
      // Parsed by the format of the same type, because the type is part of the name.
      if (known) return known as Interface;
      const value = parseStored(format, record);
      // The text of an interface can be a small part of what it takes once it is parsed.
      parsed.set(name, { organizationId, value: value as object, cost: heapSizeOf(value) });
      return value;
    },
  };
}

/** The interfaces of an organization's contracts, in the format of one chain. */
export function interfacesOf<Interface>(
  { document: { organizationId }, records }: Facts,
  format: InterfaceFormat<Interface>,
  parsed: ParsedInterfaces,
): InterfaceOf<Interface> {
  return (address) => {
    const record = records.contractInterface(format.type, address);
    if (!record) return null;
    const parse = () => parsed.parse(organizationId, format, record);
    return { textLength: record.text.length, parse };
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
