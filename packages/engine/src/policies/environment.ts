import { ethereumAddress } from "@keyhearth/crypto/addresses/ethereum";
import { decodeHex } from "@keyhearth/crypto/encoding";
import { kindOf } from "@keyhearth/policy/activity-kinds";
import { type Environment, type Input, makeEnvironment } from "@keyhearth/policy/environment";
import { ApiError } from "../errors.ts";
import type { KeyHolder } from "../keys/key-holder.ts";
import type { Facts } from "../records/facts.ts";
import type { ActivityDeclaration } from "../submission/define.ts";

/** Roots of the policy language beside `activity`, as a declaration fills them. */
export type Roots = { readonly [root: string]: Input };

/** An activity as policies see it. */
export type Subject = Facts & {
  declaration: ActivityDeclaration;
  /** The activity's full type, with its version. */
  type: string;
  /** In the shape of the declaration's default version. */
  intent: unknown;
};

/** What conditions see of an activity. */
export function environmentOf(subject: Subject): Environment {
  const { declaration, type, intent } = subject;
  const { resource, action } = declaration.policy;
  const kind = declaration.rootQuorumOnly ? undefined : kindOf(type);
  const complete = declaration.complete?.(intent) ?? intent;
  // Parameters are an object in every version.
  const params = snakeCased(complete as Record<string, unknown>);
  return makeEnvironment({
    activity: { type, resource, action, kind, params },
    ...rootsOf(subject),
  });
}

/**
 * What a key shows to policies: `wallet` and `wallet_account`, or `private_key`; the other one is
 * absent, and reading it an error.
 */
export function signingRoots(key: KeyHolder): Roots {
  if (key.kind === "private-key") {
    const { privateKeyId, privateKeyName, privateKeyTags, imported, exported } = key.line;
    const id = privateKeyId;
    return {
      private_key: { id, tags: privateKeyTags, imported, exported, label: privateKeyName },
    };
  }
  const { walletId, walletName, imported, exported } = key.line;
  return {
    wallet: { id: walletId, imported, exported, label: walletName },
    wallet_account: { address: key.record.address },
  };
}

/** The address that an Ethereum transaction of this key comes from. */
export function senderOf(key: KeyHolder): string {
  if (key.kind === "wallet-account" && key.record.addressFormat === "ADDRESS_FORMAT_ETHEREUM") {
    return key.record.address;
  }
  return ethereumAddress(decodeHex(key.publicKey));
}

/**
 * Nothing where a key or wallet is gone since the activity began to wait: what reads it then errs,
 * and whoever votes is told when the activity is executed.
 */
function rootsOf({ declaration, intent, document, records }: Subject): Roots {
  try {
    return declaration.roots?.({ document, records }, intent) ?? {};
  } catch (error) {
    if (error instanceof ApiError && error.code === "NOT_FOUND") return {};
    throw error;
  }
}

/** `apiKeyIds` reads `api_key_ids` in policies. */
function snakeCased(value: Record<string, unknown>): { [name: string]: Input } {
  const fields: { [name: string]: Input } = {};
  for (const [name, inner] of Object.entries(value)) {
    fields[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = inputOf(inner);
  }
  return fields;
}

function inputOf(value: unknown): Input {
  if (Array.isArray(value)) return value.map(inputOf);
  if (typeof value === "object" && value !== null) {
    return snakeCased(value as Record<string, unknown>);
  }
  // A schema produced the value: what is left are the scalars of JSON.
  return value as boolean | number | string | undefined;
}
