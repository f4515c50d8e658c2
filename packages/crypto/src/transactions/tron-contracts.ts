import { encodeHex, encodeUtf8, equalBytes } from "../encoding/bytes.ts";
import { MalformedError, quoted } from "./malformed.ts";
import {
  bytesOf,
  decodeMessage,
  integerOf,
  listOf,
  type Message,
  type MessageShape,
  textOf,
} from "./protobuf.ts";

// What a Tron transaction does. Addresses have 21 bytes: 0x41 and those of the Ethereum address.

export type TronContract = {
  readonly type: string;
  readonly ownerAddress: Uint8Array;
  /** The permission of the owner that the signature uses. 0 is the owner's own. */
  readonly permissionId: bigint;
  readonly action: TronAction;
};

export type TronAction =
  | { readonly kind: "transfer"; readonly toAddress: Uint8Array; readonly amount: bigint }
  | {
      readonly kind: "call";
      readonly contractAddress: Uint8Array;
      readonly data: Uint8Array;
      readonly callValue: bigint;
      readonly callTokenValue: bigint;
      readonly tokenId: bigint;
    }
  | {
      readonly kind: "delegate" | "undelegate";
      readonly resource: TronResource;
      readonly balance: bigint;
      readonly receiverAddress: Uint8Array;
      readonly lock: boolean;
      readonly lockPeriod: bigint;
    }
  | {
      readonly kind: "freeze" | "unfreeze";
      readonly resource: TronResource;
      readonly balance: bigint;
    }
  | {
      readonly kind: "permissions";
      readonly owner: TronPermission | null;
      readonly witness: TronPermission | null;
      readonly actives: readonly TronPermission[];
    };

export type TronResource = "BANDWIDTH" | "ENERGY" | "TRON_POWER";

export type TronPermission = {
  readonly type: "Owner" | "Witness" | "Active";
  readonly id: bigint;
  readonly permissionName: string;
  readonly threshold: bigint;
  readonly parentId: bigint;
  readonly operations: Uint8Array;
  readonly keys: readonly { readonly address: Uint8Array; readonly weight: bigint }[];
};

const CONTRACT: MessageShape = {
  1: { name: "type", kind: "int32" },
  2: { name: "parameter", kind: "bytes" },
  5: { name: "Permission_id", kind: "int32" },
};

const ANY: MessageShape = {
  1: { name: "type_url", kind: "bytes" },
  2: { name: "value", kind: "bytes" },
};

const PERMISSION: MessageShape = {
  1: { name: "type", kind: "int32" },
  2: { name: "id", kind: "int32" },
  3: { name: "permission_name", kind: "bytes" },
  4: { name: "threshold", kind: "int64" },
  5: { name: "parent_id", kind: "int32" },
  6: { name: "operations", kind: "bytes" },
  7: { name: "keys", kind: "bytes", isRepeated: true },
};

const KEY: MessageShape = {
  1: { name: "address", kind: "bytes" },
  2: { name: "weight", kind: "int64" },
};

type ContractType = {
  readonly name: string;
  /** The owner's address is field 1 of all. */
  readonly shape: MessageShape;
  readonly read: (message: Message) => TronAction;
};

/** By their number in `ContractType`. Every other one is refused, because policies cannot read it. */
const TYPES: { readonly [number: number]: ContractType } = {
  1: {
    name: "TransferContract",
    shape: {
      2: { name: "to_address", kind: "bytes" },
      3: { name: "amount", kind: "int64" },
    },
    read: (message) => ({
      kind: "transfer",
      toAddress: addressOf(message, 2, "to_address"),
      amount: integerOf(message, 3),
    }),
  },
  31: {
    name: "TriggerSmartContract",
    shape: {
      2: { name: "contract_address", kind: "bytes" },
      3: { name: "call_value", kind: "int64" },
      4: { name: "data", kind: "bytes" },
      5: { name: "call_token_value", kind: "int64" },
      6: { name: "token_id", kind: "int64" },
    },
    read: (message) => ({
      kind: "call",
      contractAddress: addressOf(message, 2, "contract_address"),
      callValue: integerOf(message, 3),
      data: bytesOf(message, 4),
      callTokenValue: integerOf(message, 5),
      tokenId: integerOf(message, 6),
    }),
  },
  46: {
    name: "AccountPermissionUpdateContract",
    shape: {
      2: { name: "owner", kind: "bytes" },
      3: { name: "witness", kind: "bytes" },
      4: { name: "actives", kind: "bytes", isRepeated: true },
    },
    read: (message) => ({
      kind: "permissions",
      owner: permissionsOf(message, 2, "owner")[0] ?? null,
      witness: permissionsOf(message, 3, "witness")[0] ?? null,
      actives: permissionsOf(message, 4, "actives"),
    }),
  },
  54: staking("FreezeBalanceV2Contract", "freeze", "frozen_balance"),
  55: staking("UnfreezeBalanceV2Contract", "unfreeze", "unfreeze_balance"),
  57: delegation("DelegateResourceContract", "delegate", {
    5: { name: "lock", kind: "bool" },
    6: { name: "lock_period", kind: "int64" },
  }),
  58: delegation("UnDelegateResourceContract", "undelegate", {}),
};

/** Decodes a contract of `raw_data`. Throws a MalformedError. */
export function decodeTronContract(bytes: Uint8Array): TronContract {
  const message = decodeMessage(bytes, CONTRACT, "contract");
  const number = Number(integerOf(message, 1));
  const type = Object.hasOwn(TYPES, number) ? TYPES[number] : undefined;
  if (!type) {
    const names = Object.values(TYPES).map(({ name }) => name);
    throw new MalformedError(
      `contract: type ${number} cannot be read: expected ${names.join(", ")}`,
    );
  }
  const { name, shape, read } = type;
  const parameter = decodeMessage(bytesOf(message, 2), ANY, "parameter");
  const url = `type.googleapis.com/protocol.${name}`;
  if (!equalBytes(bytesOf(parameter, 1), encodeUtf8(url))) {
    const given = quoted(textOf(parameter, 1, "type_url"));
    throw new MalformedError(`parameter: type_url is ${given}, but the contract is a ${name}`);
  }
  const all = { 1: { name: "owner_address", kind: "bytes" }, ...shape } as const;
  const value = decodeMessage(bytesOf(parameter, 2), all, name);
  return {
    type: name,
    ownerAddress: addressOf(value, 1, "owner_address"),
    permissionId: integerOf(message, 5),
    action: read(value),
  };
}

function staking(name: string, kind: "freeze" | "unfreeze", balance: string): ContractType {
  return {
    name,
    shape: {
      2: { name: balance, kind: "int64" },
      3: { name: "resource", kind: "int32" },
    },
    read: (message) => ({
      kind,
      balance: integerOf(message, 2),
      resource: resourceOf(message, 3),
    }),
  };
}

function delegation(
  name: string,
  kind: "delegate" | "undelegate",
  more: MessageShape,
): ContractType {
  return {
    name,
    shape: {
      2: { name: "resource", kind: "int32" },
      3: { name: "balance", kind: "int64" },
      4: { name: "receiver_address", kind: "bytes" },
      ...more,
    },
    read: (message) => ({
      kind,
      resource: resourceOf(message, 2),
      balance: integerOf(message, 3),
      receiverAddress: addressOf(message, 4, "receiver_address"),
      lock: integerOf(message, 5) === 1n,
      lockPeriod: integerOf(message, 6),
    }),
  };
}

function permissionsOf(message: Message, number: number, name: string): TronPermission[] {
  return listOf(message, number).map((bytes) => {
    const permission = decodeMessage(bytes, PERMISSION, name);
    return {
      type: named(permission, 1, "type", ["Owner", "Witness", "Active"] as const),
      id: integerOf(permission, 2),
      permissionName: textOf(permission, 3, "permission_name"),
      threshold: integerOf(permission, 4),
      parentId: integerOf(permission, 5),
      operations: bytesOf(permission, 6),
      keys: listOf(permission, 7).map((key) => {
        const fields = decodeMessage(key, KEY, `keys of ${name}`);
        return { address: addressOf(fields, 1, "address"), weight: integerOf(fields, 2) };
      }),
    };
  });
}

function resourceOf(message: Message, number: number): TronResource {
  return named(message, number, "resource", ["BANDWIDTH", "ENERGY", "TRON_POWER"] as const);
}

/** The name of an enumerated value. */
function named<Name extends string>(
  message: Message,
  number: number,
  field: string,
  names: readonly Name[],
): Name {
  const value = integerOf(message, number);
  const name = names[Number(value)];
  if (name !== undefined) return name;
  throw new MalformedError(
    `${message.subject}: ${field} is ${value}, expected 0 to ${names.length - 1}`,
  );
}

function addressOf(message: Message, number: number, name: string): Uint8Array {
  const address = bytesOf(message, number);
  if (address.length === 21 && address[0] === 0x41) return address;
  const given = address.length === 0 ? "missing" : `\`${encodeHex(address.subarray(0, 24))}\``;
  throw new MalformedError(
    `${message.subject}: ${name} is ${given}, expected 21 bytes that begin with 41`,
  );
}
