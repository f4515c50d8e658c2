import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import { StartError } from "../config/start-error.ts";
import type { Host } from "../host/host.ts";
import { describeSigner } from "../start/open-signer.ts";
import {
  countKeys,
  findKeyIds,
  findLastActivityMs,
  type KeyKind,
  keyKinds,
  readAllDocuments,
  readAllKeys,
} from "../store/all-keys.ts";

/** What a copy has, once all of it was looked at. */
export type Copy = {
  organizations: number;
  wallets: number;
  accounts: number;
  /** Private keys that belong to no wallet. The log would hide a member `privateKeys`. */
  keysWithoutWallet: number;
  /** When the last activity was made. */
  lastActivityAt: string | null;
};

/**
 * Makes sure that the signer opens every key of the copy, and that the copy has every key that a document lists. Only a
 * record that was notarized with the signer's keyring counts, and what is sealed in it was sealed with the same keyring.
 */
export async function checkKeys(host: Host, onProgress: (done: number, of: number) => void) {
  const { db } = host.store;
  const totals = await Promise.all(keyKinds.map((kind) => countKeys(db, kind)));
  const of = totals.reduce((sum, total) => sum + total, 0);
  let done = 0;
  const counted = { wallet: 0, account: 0, "private key": 0 } satisfies Record<KeyKind, number>;
  for (const kind of keyKinds) {
    for await (const keys of readAllKeys(db, kind)) {
      const named = keys.map(({ organizationId, id, bytes }) => ({
        name: `the ${kind} ${id} of organization ${organizationId}`,
        bytes,
      }));
      await assertOwn(host, named);
      counted[kind] += keys.length;
      done += keys.length;
      onProgress(done, of);
    }
  }
  const organizations = await checkDocuments(host);
  if (organizations === 0) {
    throw new StartError("the copy of the database has no organization; restore one that has");
  }
  const lastMs = await findLastActivityMs(db);
  return {
    organizations,
    wallets: counted.wallet,
    accounts: counted.account,
    keysWithoutWallet: counted["private key"],
    lastActivityAt: lastMs === null ? null : new Date(lastMs).toISOString(),
  } satisfies Copy;
}

async function checkDocuments(host: Host): Promise<number> {
  let count = 0;
  for await (const documents of readAllDocuments(host.store.db)) {
    const named = documents.map(({ organizationId, bytes }) => ({
      name: `the document of organization ${organizationId}`,
      bytes,
    }));
    await assertOwn(host, named);
    await assertComplete(
      host,
      documents.map(({ document }) => document),
    );
    count += documents.length;
  }
  return count;
}

/** Whether the copy has what the documents list: a dump may lack a table, and a replica the last seconds. */
async function assertComplete(host: Host, documents: readonly OrganizationDocument[]) {
  const ids = documents.map(({ organizationId }) => organizationId);
  const [wallets, privateKeys] = await Promise.all([
    findKeyIds(host.store.db, "wallet", ids),
    findKeyIds(host.store.db, "private key", ids),
  ]);
  for (const document of documents) {
    const missing = [
      ...document.wallets.filter(({ walletId }) => !wallets.has(walletId)).map(nameOfWallet),
      ...document.privateKeys
        .filter(({ privateKeyId }) => !privateKeys.has(privateKeyId))
        .map(({ privateKeyId }) => `private key ${privateKeyId}`),
    ];
    if (missing.length === 0) continue;
    throw new StartError(
      `the copy of the database lacks ${missing.length} of the keys of organization ${document.organizationId}, such as ${missing[0]}; make the copy again, and look at an older one`,
    );
  }
}

function nameOfWallet({ walletId }: { walletId: string }): string {
  return `wallet ${walletId}`;
}

type Named = { name: string; bytes: Uint8Array };

/** Asks about all of them at once, and about halves to name one that is not the signer's own. */
async function assertOwn(host: Host, records: readonly Named[]): Promise<void> {
  const attachments = records.map(({ bytes }) => bytes);
  const { isOwn } = await describeSigner(host, { attachments });
  if (isOwn) return;
  const [only] = records;
  if (records.length === 1 && only) {
    throw new StartError(
      `${only.name} was not made with these keys, or was changed; take the copies of the database and of the keys from one installation`,
    );
  }
  const middle = Math.ceil(records.length / 2);
  await assertOwn(host, records.slice(0, middle));
  await assertOwn(host, records.slice(middle));
}
