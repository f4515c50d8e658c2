import { encodeBase58Check } from "@keyhearth/crypto/addresses/base58check";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import type { TronTransaction } from "@keyhearth/crypto/transactions/tron";
import type {
  TronAction,
  TronContract,
  TronPermission,
} from "@keyhearth/crypto/transactions/tron-contracts";
import type { Input } from "@keyhearth/policy/environment";
import type { Roots } from "../keys/policy-roots.ts";

/** `tron.tx`. Bytes are in hex without `0x`, the memo too. */
export function tronRoots(transaction: TronTransaction): Roots {
  return {
    tron: {
      tx: {
        ref_block_bytes: encodeHex(transaction.refBlockBytes),
        ref_block_hash: encodeHex(transaction.refBlockHash),
        expiration: transaction.expiration,
        timestamp: transaction.timestamp,
        data: encodeHex(transaction.data),
        fee_limit: transaction.feeLimit,
        contract: [contractOf(transaction.contract)],
      },
    },
  };
}

/** The address that starts with `T`. */
export function addressText(address: Uint8Array): string {
  return encodeBase58Check(address[0] ?? 0, address.subarray(1));
}

function contractOf({ type, ownerAddress, permissionId, action }: TronContract): Input {
  return {
    type,
    owner_address: addressText(ownerAddress),
    permission_id: permissionId,
    ...fieldsOf(action),
  };
}

function fieldsOf(action: TronAction): { [name: string]: Input } {
  switch (action.kind) {
    case "transfer":
      return { to_address: addressText(action.toAddress), amount: action.amount };
    case "call":
      return {
        contract_address: addressText(action.contractAddress),
        data: encodeHex(action.data),
        call_value: action.callValue,
        call_token_value: action.callTokenValue,
        token_id: action.tokenId,
      };
    case "delegate":
    case "undelegate":
      return {
        resource: action.resource,
        balance: action.balance,
        receiver_address: addressText(action.receiverAddress),
        ...(action.kind === "delegate" && { lock: action.lock, lock_period: action.lockPeriod }),
      };
    case "freeze":
      return { resource: action.resource, frozen_balance: action.balance };
    case "unfreeze":
      return { resource: action.resource, unfreeze_balance: action.balance };
    case "permissions":
      return {
        owner: action.owner && permissionOf(action.owner),
        witness: action.witness && permissionOf(action.witness),
        actives: action.actives.map(permissionOf),
      };
  }
}

function permissionOf(permission: TronPermission): Input {
  return {
    type: permission.type,
    id: permission.id,
    permission_name: permission.permissionName,
    threshold: permission.threshold,
    parent_id: permission.parentId,
    operations: encodeHex(permission.operations),
    keys: permission.keys.map(({ address, weight }) => {
      return { address: addressText(address), weight };
    }),
  };
}
