import { derivePrivateKey } from "@keyhearth/crypto/derive";
import { concatBytes, encodeHex, encodeUtf8, wipe } from "@keyhearth/crypto/encoding";
import { hmacSha256 } from "@keyhearth/crypto/primitives";
import { findKeyHolder, type KeyHolder } from "../keys/key-holder.ts";
import type { Keyring } from "../keys/keyring.ts";
import { type Sealed, type SealedOwner, seal, unseal } from "../keys/seal.ts";
import { createProver, type Prove } from "../receipts/prove.ts";
import type { Facts, Records } from "../records/facts.ts";
import type { OrganizationDocument, User } from "../records/organization.ts";
import { createWriter, type Writer, type Written } from "../records/write.ts";

/** What a handler sees and may do. It has no other input and no other effect. */
export type Context = {
  readonly organizationId: string;
  readonly document: OrganizationDocument;
  /** The user who started the activity, as the current document knows it. */
  readonly user: User;
  readonly nowMs: number;
  readonly records: Records & { signingKey(signWith: string): SigningKey };
  /** An id that this request's bytes determine: running them twice makes nothing new. */
  newId(name: string): string;
  /** An id that no other run of the same bytes gets: for what holds fresh key material. */
  newKeyId(name: string): string;
  random(length: number): Uint8Array;
  seal(owner: SealedOwner, plaintext: Uint8Array): Sealed;
  /** The caller wipes what it gets. */
  unseal(owner: SealedOwner, sealed: Sealed): Uint8Array;
  prove: Prove;
  /** The draft of the organization's next document; asking for it is writing it. */
  update(): OrganizationDocument;
  readonly write: Writer;
};

export type SigningKey = KeyHolder & {
  /** The private key. It belongs to the core's cache: neither keep nor wipe it. */
  privateKey(): Uint8Array;
};

/** Private keys unsealed a moment ago. Bounded in number and age; wiped when they leave. */
export type UnsealedKeys = {
  get(name: string, make: () => Uint8Array): Uint8Array;
};

export function createUnsealedKeys({
  max,
  maxAgeMs,
  now,
}: {
  max: number;
  maxAgeMs: number;
  now: () => number;
}): UnsealedKeys {
  const keys = new Map<string, { key: Uint8Array; untilMs: number }>();

  function dropOldest(nowMs: number) {
    for (const [name, { key, untilMs }] of keys) {
      if (keys.size < max && untilMs > nowMs) return;
      keys.delete(name);
      wipe(key);
    }
  }

  return {
    get(name, make) {
      const nowMs = now();
      const known = keys.get(name);
      if (known && known.untilMs > nowMs) return known.key;
      if (known) {
        keys.delete(name);
        wipe(known.key);
      }
      dropOldest(nowMs);
      const key = make();
      keys.set(name, { key, untilMs: nowMs + maxAgeMs });
      return key;
    },
  };
}

export type ExecutionInput = Facts & {
  keyring: Keyring;
  user: User;
  fingerprint: string;
  nowMs: number;
  random: (length: number) => Uint8Array;
  unsealedKeys: UnsealedKeys;
};

export type Execution = {
  context: Context;
  /** The draft, if the handler asked for one. */
  draft(): OrganizationDocument | null;
  /** Everything written besides the organization's own document and the activity. */
  written(): Written[];
};

export function createExecution(input: ExecutionInput): Execution {
  const { keyring, document, records, user, fingerprint, nowMs, random } = input;
  const organizationId = document.organizationId;
  const written: Written[] = [];
  let draft: OrganizationDocument | null = null;
  const newId = (name: string) => deriveId(keyring, `${organizationId}|${fingerprint}|${name}`);

  const context: Context = {
    organizationId,
    document,
    user,
    nowMs,
    records: {
      ...records,
      signingKey: (signWith) => openSigningKey(input, findKeyHolder(input, signWith)),
    },
    newId,
    newKeyId: (name) => newId(`${name}/${encodeHex(random(16))}`),
    random,
    seal: (owner, plaintext) => seal(keyring, owner, plaintext, random),
    unseal: (owner, sealed) => unseal(keyring, owner, sealed),
    prove: createProver(keyring, nowMs),
    update() {
      draft ??= structuredClone(document);
      return draft;
    },
    write: createWriter(keyring, { organizationId, records, written }),
  };
  return { context, draft: () => draft, written: () => written };
}

/** UUID version 4 in form; its bits are an HMAC of the name. */
export function deriveId(keyring: Keyring, name: string): string {
  const bytes = hmacSha256(keyring.derivationKey, encodeUtf8(`keyhearth.id.v1|${name}`));
  return formatUuid(bytes, 4);
}

/** UUID version 7: 48 bits of milliseconds, then bits of an HMAC of the name. */
export function deriveTimeOrderedId(keyring: Keyring, name: string, nowMs: number): string {
  const bytes = hmacSha256(keyring.derivationKey, encodeUtf8(`keyhearth.id.v7|${name}`));
  const time = new Uint8Array(8);
  new DataView(time.buffer).setBigUint64(0, BigInt(nowMs));
  return formatUuid(concatBytes(time.subarray(2), bytes), 7);
}

function formatUuid(bytes: Uint8Array, version: 4 | 7): string {
  const hex = encodeHex(bytes.subarray(0, 16));
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${version}${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The key is unsealed when it is first used, and then held for a moment. */
function openSigningKey(
  { document, records, keyring, unsealedKeys }: ExecutionInput,
  holder: KeyHolder,
): SigningKey {
  const { organizationId } = document;

  function make(): Uint8Array {
    if (holder.kind === "private-key") {
      const { privateKeyId, sealedKey } = holder.record;
      return unseal(keyring, { organizationId, id: privateKeyId, part: "key" }, sealedKey);
    }
    const { walletId, curve, path } = holder.record;
    const { sealedSeed } = records.wallet(walletId);
    const seed = unseal(keyring, { organizationId, id: walletId, part: "seed" }, sealedSeed);
    try {
      return derivePrivateKey({ seed, curve, path });
    } finally {
      wipe(seed);
    }
  }

  return { ...holder, privateKey: () => unsealedKeys.get(holder.digest, make) };
}
