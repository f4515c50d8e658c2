import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import * as z from "zod";
import { MAX_INTERFACE_BYTES, parseInterface } from "../chains/contract-interfaces.ts";
import { interfaceFormat } from "../chains/index.ts";
import { parseField } from "../chains/parse-field.ts";
import { defineActivity } from "../declare/define.ts";
import { alreadyExists, checkAll } from "../errors.ts";
import {
  label,
  notes,
  SmartContractInterfaceId,
  SmartContractInterfaceType,
} from "../fields/schemas.ts";
import { checkLimit, LIMITS } from "../records/limits.ts";
import { findInterfaceLine } from "../records/smart-contract-interface.ts";

const intent = z.strictObject({
  smartContractAddress: z
    .string()
    .min(1, "must not be empty")
    .describe(
      "Address of the contract. Ethereum: `0x` and 40 hex characters; mixed case must be the checksum of EIP-55. Solana: the program's address in base58. An address can have one interface in an organization.",
    )
    .meta({ examples: ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"] }),
  smartContractInterface: z
    .string()
    .min(1, "must not be empty")
    .refine(
      (text) => text.length <= MAX_INTERFACE_BYTES && byteLength(text) <= MAX_INTERFACE_BYTES,
      `must have at most ${MAX_INTERFACE_BYTES} bytes (leave out functions that no policy reads)`,
    )
    .describe(
      "The interface as JSON text of at most 400,000 bytes. Ethereum: the contract's ABI, a list of at most 1,000 functions, in which every parameter has a `name` (it may be empty). Solana: the program's Anchor IDL, of at most 1,000 instructions.",
    ),
  type: SmartContractInterfaceType,
  label: label("Name of the interface, unique within the organization."),
  notes: notes(1000, "Notes about the interface, at most 1,000 characters.").optional(),
});

/** Stores the interface of a contract, so that policies can read the arguments of its calls. */
export const createSmartContractInterface = defineActivity({
  name: "create_smart_contract_interface",
  tag: "Policies",
  summary: "Create smart contract interface",
  description:
    "Store the ABI of an Ethereum contract or the IDL of a Solana program, so that policies can read the arguments of its calls. An organization may have 100. A sub-organization does not use the interfaces of its parent.",
  policy: { resource: "SMART_CONTRACT_INTERFACE", action: "CREATE" },
  defaultType: "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE",
  versions: {
    ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE: {
      intentKey: "createSmartContractInterfaceIntent",
      resultKey: "createSmartContractInterfaceResult",
      intent,
      result: z.strictObject({ smartContractInterfaceId: SmartContractInterfaceId }),
    },
  },
  example: {
    smartContractAddress: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    smartContractInterface:
      '[{"type":"function","name":"transfer","inputs":[{"name":"to","type":"address"},{"name":"amount","type":"uint256"}],"outputs":[{"name":"","type":"bool"}]}]',
    type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
    label: "USD Coin",
    notes: "Transfers only.",
  },

  check({ document }, { smartContractAddress, smartContractInterface, type, label }) {
    const format = interfaceFormat(type);
    const field = "parameters.smartContractInterface";
    checkAll(
      () => {
        if (document.smartContractInterfaces.every((line) => line.label !== label)) return;
        const message = `a smart contract interface with the label \`${label}\` already exists`;
        throw alreadyExists("NAME_TAKEN", "parameters.label", message);
      },
      () => format.checkAddress(smartContractAddress, "parameters.smartContractAddress"),
      () =>
        parseField({ field, after: `; expected ${format.expected}` }, () =>
          parseInterface(format, smartContractInterface),
        ),
    );
    const other = findInterfaceLine(document, type, smartContractAddress);
    if (other) {
      throw alreadyExists(
        "ALREADY_EXISTS",
        "parameters.smartContractAddress",
        `\`${smartContractAddress}\` already has the smart contract interface \`${other.smartContractInterfaceId}\` (\`${other.label}\`); delete it to create another`,
      );
    }
    checkLimit(document.smartContractInterfaces.length + 1, LIMITS.smartContractInterfaces, {
      noun: "smart contract interfaces",
      field: "parameters.label",
    });
  },

  execute(context, { smartContractAddress, smartContractInterface, type, label, notes = "" }) {
    const { nowMs } = context;
    const smartContractInterfaceId = context.newId("smart-contract-interface");
    const digest = encodeHex(sha256(encodeUtf8(smartContractInterface)));
    const shared = { smartContractInterfaceId, smartContractAddress, type, digest };
    context.write.smartContractInterface({
      ...shared,
      text: smartContractInterface,
      createdAtMs: nowMs,
    });
    context.update().smartContractInterfaces.push({
      ...shared,
      label,
      notes,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    });
    return { smartContractInterfaceId };
  },
});

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
