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

/** In memory. Five fit into an organization's part of the signer's cache. */
export const MAX_PARSED_BYTES = 3 * 1024 * 1024;

/** A cache of parsed interfaces, so that one in use is not parsed for every request. */
export type ParsedInterfaces = {
  parse<Interface>(
    organizationId: string,
    format: InterfaceFormat<Interface>,
    record: SmartContractInterface,
  ): Interface;
  /** The same. `onParse` is told the length of each text that is parsed. */
  counted(onParse: (characters: number) => void): ParsedInterfaces;
};

type Parsed<Interface> = { value: Interface; cost: number };

export function createParsedInterfaces(bounds: Bounds): ParsedInterfaces {
  const parsed = createBoundedCache<object>(bounds);
  const counted = (onParse: (characters: number) => void): ParsedInterfaces => ({
    counted,
    parse<Interface>(
      organizationId: string,
      format: InterfaceFormat<Interface>,
      record: SmartContractInterface,
    ) {
      const name = `${organizationId} ${format.type} ${record.digest}`;
      const known = parsed.get(name);
      // Parsed by the format of the same type, because the type is part of the name.
      if (known) return known as Interface;
      onParse(record.text.length);
      const { value, cost } = parseStored(format, record);
      parsed.set(name, { organizationId, value: value as object, cost });
      return value;
    },
  });
  return counted(() => {});
}

/** Parses an interface. Its text can be a small part of what it takes then. */
export function parseInterface<T>(format: InterfaceFormat<T>, text: string): Parsed<T> {
  const value = format.parse(text);
  const cost = heapSizeOf(value);
  if (cost <= MAX_PARSED_BYTES) return { value, cost };
  const reason = `the interface takes ${cost} bytes of memory once it is parsed; at most ${MAX_PARSED_BYTES} are allowed`;
  throw new MalformedError(`${reason}: leave out functions that no policy reads`);
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
): Parsed<Interface> {
  try {
    return parseInterface(format, text);
  } catch (cause) {
    if (!(cause instanceof MalformedError)) throw cause;
    const message = `smart contract interface \`${smartContractInterfaceId}\` can no longer be read: ${cause.message}; delete it and create it again`;
    throw new ApiError("INVALID_ARGUMENT", "FIELD_INVALID", message, { cause });
  }
}
