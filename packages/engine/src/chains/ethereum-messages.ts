import type { Authorization } from "@keyhearth/crypto/transactions/eip-7702";
import type { TypedData, TypedValue } from "@keyhearth/crypto/transactions/typed-data";
import { caseInsensitive, type Input, unread } from "@keyhearth/policy/environment";
import type { Roots } from "../keys/policy-roots.ts";
import { hexOf } from "./ethereum-roots.ts";

/**
 * `eth.eip_712`. Members have their declared type, however the client wrote them, since two
 * spellings of one value have the same digest. Members that a domain leaves out read as '', except
 * the chain, which cannot be read.
 */
export function typedDataRoots({ primaryType, domain, message }: TypedData): Roots {
  const { name, version, chainId, verifyingContract } = domain;
  return {
    eth: {
      eip_712: {
        primary_type: primaryType,
        domain: {
          name: name ?? "",
          version: version ?? "",
          chain_id: chainId ?? unread("the chain of typed data that names none"),
          verifying_contract: verifyingContract ? hexOf(verifyingContract) : "",
        },
        message: messageOf(message),
      },
    },
  };
}

function messageOf(value: TypedValue): Input {
  switch (value.kind) {
    case "struct": {
      const members: { [name: string]: Input } = Object.create(null);
      for (const [name, member] of value.members) members[name] = messageOf(member);
      return members;
    }
    case "array":
      return value.items.map(messageOf);
    case "address":
    case "bytes":
      return caseInsensitive(hexOf(value.bytes));
    case "uint":
    case "int":
    case "bool":
      return value.value;
    case "string":
      return value.text;
  }
}

/** `eth.eip_7702_authorization`. */
export function authorizationRoots({ address, chainId, nonce }: Authorization): Roots {
  return {
    eth: {
      eip_7702_authorization: {
        address: hexOf(address),
        chain_id: chainId,
        nonce,
      },
    },
  };
}
