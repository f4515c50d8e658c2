import { canonicalAddress } from "@keyhearth/crypto/addresses/canonical";
import type { Curve } from "@keyhearth/crypto/keys/keys";
import { defineRecord } from "./define.ts";
import type { OrganizationDocument, WalletLine } from "./organization.ts";
import { countsByVotesAlone } from "./votes-only.ts";
import { findWalletLine } from "./wallet.ts";

export type WalletAccount = {
  walletAccountId: string;
  walletId: string;
  curve: Curve;
  pathFormat: "PATH_FORMAT_BIP32";
  path: string;
  addressFormat: string;
  address: string;
  /** In hex, compressed for ECDSA curves. */
  publicKey: string;
  /** Unique in the organization. Null if the account has none. */
  name: string | null;
  proof: AddressProof;
  createdAtMs: number;
  /** When the request that made it was stamped, which may be later by at most five minutes. */
  requestedAtMs: number;
  /** The version of the document that decided about it: 0 in older records, and in the first document. */
  documentVersion: number;
  /** Set if votes decided it alone, without its wallet. The wallet's line in the same proposal lists the value. */
  votedAs?: string;
  /** Names the request if it made the account at once, without its wallet. */
  request?: string;
};

/** A signed statement that this signer derived this address. It can be verified offline. */
export type AddressProof = {
  scheme: "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256";
  /** The encryption point and the signing point of the quorum key, hex of 130 bytes. */
  publicKey: string;
  proofPayload: string;
  /** r and s, hex of 64 bytes. */
  signature: string;
};

const FIVE_MINUTES_MS = 5 * 60 * 1000;

/** What an account's address follows from, besides its wallet's seed. */
export type AccountPlace = Pick<WalletAccount, "curve" | "path" | "addressFormat">;

type Places = { walletId: string; places: string[] };

/** An account with its wallet's line in the document. The digest is that of the record. */
export type ListedAccount = { record: WalletAccount; digest: string; line: WalletLine };

export const walletAccount = defineRecord({
  type: "wallet-account",
  schema: 4,
  upcasts: {
    // Accounts of schema 1 had no names.
    1: (body) => ({ ...body, name: null }),
    // Accounts of schema 2 did not say by which document they were made.
    2: (body) => ({ ...body, documentVersion: 0 }),
    // Accounts of schema 3 did not say when their request was stamped: at most so much later.
    3: (body) => ({ ...body, requestedAtMs: Number(body.createdAtMs) + FIVE_MINUTES_MS }),
  },
  idOf: ({ walletAccountId }: WalletAccount) => walletAccountId,
  answers: {
    /** The accounts that already exist at these places of the wallet, if any. */
    "accounts-at": ({ body }, { walletId, places }: Places) =>
      body.walletId === walletId && places.includes(placeOf(body)),
    /** The accounts of the organization that have one of these names, if any. */
    "accounts-named": ({ body }, { names }: { names: string[] }) =>
      body.name !== null && names.includes(body.name),
    "accounts-by-id": ({ header }, { walletAccountIds }: { walletAccountIds: string[] }) =>
      walletAccountIds.includes(header.id),
    "signing-key": (_record, _want: { signWith: string }) => true,
  },
  // An unsealed key must not outlive its account and its wallet.
  isBound: ({ body }, document) => {
    const line = findWalletLine(document, body.walletId);
    if (line === undefined || isDeleted(line, body)) return false;
    return isCommitted(line, body) && !countsByVotesAlone(document, body.request);
  },
  finders: ({ document, records }) => ({
    /** The accounts of this wallet that the request asked for, by their places. */
    accountsAt(walletId: string): ReadonlyMap<string, WalletAccount> {
      const own = records.filter(({ body }) => body.walletId === walletId);
      return new Map(own.map(({ body }) => [placeOf(body), body]));
    },
    accountNamed(name: string): WalletAccount | null {
      return records.find(({ body }) => body.name === name)?.body ?? null;
    },
    account(walletAccountId: string): ListedAccount | null {
      const found = records.find(({ header }) => header.id === walletAccountId);
      return found ? listedIn(document, found) : null;
    },
    accountOfAddress(address: string): ListedAccount | null {
      const canonical = canonicalAddress(address);
      const found = records.find(({ body }) => body.address === canonical);
      return found ? listedIn(document, found) : null;
    },
  }),
  write: { name: "walletAccount" },
});

/** In one wallet, accounts at the same place have the same address. */
export function placeOf({ curve, path, addressFormat }: AccountPlace): string {
  // Every step of an Ed25519 path is hardened, however it is written.
  const isHardened = curve === "CURVE_ED25519";
  const derived = isHardened ? path.replaceAll("'", "").replaceAll(/\d+/g, "$&'") : path;
  return `${curve} ${derived} ${addressFormat}`;
}

/** What votes decided counts only if its proposal was committed: the activity may have been rejected instead. */
function isCommitted({ votedAccounts = [] }: WalletLine, { votedAs }: WalletAccount): boolean {
  return votedAs === undefined || votedAccounts.includes(votedAs);
}

function isDeleted({ deletedAccounts }: WalletLine, account: WalletAccount): boolean {
  if (deletedAccounts.length === 0) return false;
  const place = placeOf(account);
  return deletedAccounts.some(
    (deleted) =>
      deleted.place === place &&
      // A host that holds a deletion back can have more records made by the document before it.
      (account.documentVersion < deleted.documentVersion || account.createdAtMs <= deleted.atMs),
  );
}

function listedIn(
  document: OrganizationDocument,
  { body, digest }: { body: WalletAccount; digest: string },
): ListedAccount | null {
  const line = findWalletLine(document, body.walletId);
  return line ? { record: body, digest, line } : null;
}
