import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import type { PrivateKey } from "@keyhearth/engine/records/private-key";
import { MissingRecord } from "../errors.ts";
import { type Allowance, assertLight, MAX_PAGE_BYTES } from "../reader/allowance.ts";
import type { Db } from "../store/connect.ts";
import { listPrivateKeys, sizesOfPrivateKeys } from "../store/private-keys.ts";
import { renderPrivateKey, type ShownKey } from "./render.ts";

/** Bytes of the records whose proofs are in one answer. A key with an address in one format has 1,400. */
export const MAX_PROVEN_BYTES = 4 * 1024 * 1024;

/** Memory that an answer with so many needs, and with the addresses of a thousand keys in all formats. */
export const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** Bytes of records that are soon shown, as those of a document are. */
const FEW_BYTES = 256 * 1024;

/**
 * All private keys of an organization, oldest first. Each has up to 29 addresses with a proof, so that all of them can
 * be more than any answer: the last ones are shown without their proofs.
 */
export async function showPrivateKeys({
  db,
  organizationId,
  allowance,
  document: { privateKeys },
}: {
  db: Db;
  organizationId: string;
  allowance: Allowance;
  document: Pick<OrganizationDocument, "privateKeys">;
}) {
  const ids = privateKeys.map(({ privateKeyId }) => privateKeyId);
  const sizes = await sizesOfPrivateKeys(db, organizationId, ids);
  const parts = partsOf(ids, sizes);
  assertLight(allowance, parts.length <= 1 && sumOf(ids, sizes) <= FEW_BYTES);
  const records = new Map<string, ShownKey>();
  let bytes = 0;
  for (const part of parts) {
    bytes += sumOf(part, sizes);
    // One part after the other, so that what is left out of the answer takes no memory.
    for (const record of await listPrivateKeys(db, organizationId, part)) {
      records.set(record.privateKeyId, bytes <= MAX_PROVEN_BYTES ? record : withoutProofs(record));
    }
  }
  return privateKeys.map((line) => {
    const record = records.get(line.privateKeyId);
    if (!record) throw new MissingRecord(`private key ${line.privateKeyId}`);
    return renderPrivateKey(line, record);
  });
}

function withoutProofs({ publicKey, addresses }: PrivateKey): ShownKey {
  return { publicKey, addresses: addresses.map(({ format, address }) => ({ format, address })) };
}

function sumOf(ids: readonly string[], sizes: ReadonlyMap<string, number>): number {
  return ids.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0);
}

/** The ids, in parts whose records are read at once. */
function partsOf(ids: readonly string[], sizes: ReadonlyMap<string, number>): string[][] {
  const parts: string[][] = [];
  let left = 0;
  for (const id of ids) {
    const size = sizes.get(id) ?? 0;
    const last = parts.at(-1);
    if (last && size <= left) last.push(id);
    else parts.push([id]);
    left = (last && size <= left ? left : PART_BYTES) - size;
  }
  return parts;
}

const PART_BYTES = MAX_PAGE_BYTES / 4;
