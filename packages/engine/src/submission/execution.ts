import { encodeHex } from "@keyhearth/crypto/encoding";
import { limitExceeded, recordRefused } from "../errors.ts";
import { deriveId } from "../keys/ids.ts";
import type { Keyring } from "../keys/keyring.ts";
import type { QuorumKeys } from "../keys/quorum-key.ts";
import { type Sealed, type SealedOwner, seal, unseal } from "../keys/seal.ts";
import { type UnsealedKeys, unsealKey } from "../keys/unsealed-keys.ts";
import { createProver, type Prove } from "../receipts/prove.ts";
import type { ActivityRecord } from "../records/activity.ts";
import {
  type Facts,
  findAccountAt,
  findContractInterface,
  findSessions,
  findWallet,
  type KeyHolder,
} from "../records/facts.ts";
import type { HeldRecord } from "../records/held-records.ts";
import { recordKinds } from "../records/kinds.ts";
import { notarize } from "../records/notarize.ts";
import {
  MAX_DOCUMENT_BYTES,
  type OrganizationDocument,
  type SmartContractInterfaceLine,
  type User,
} from "../records/organization.ts";
import type { PrivateKey } from "../records/private-key.ts";
import type { RecordType } from "../records/record.ts";
import type { Sessions } from "../records/sessions.ts";
import type { SmartContractInterface } from "../records/smart-contract-interface.ts";
import type { Wallet, WalletAccount } from "../records/wallet.ts";
import type { Want } from "./define.ts";

/** What a handler sees and may do. It has no other input and no other effect. */
export type Context = {
  readonly organizationId: string;
  readonly document: OrganizationDocument;
  /** The user who started the activity, as the current document knows it. */
  readonly user: User;
  readonly nowMs: number;
  readonly records: {
    wallet(walletId: string): Wallet;
    sessions(userId: string): Sessions;
    /** The account that already stands at this path, if there is one. */
    accountAt(walletId: string, path: string, addressFormat: string): WalletAccount | null;
    /** What decodes calls of a contract; null if the organization has none for it. */
    contractInterface(
      type: SmartContractInterfaceLine["type"],
      address: string,
    ): SmartContractInterface | null;
  };
  /** An id that this request's bytes determine: running them twice makes nothing new. */
  newId(name: string): string;
  /** An id that no other run of the same bytes gets: for what holds fresh key material. */
  newKeyId(name: string): string;
  random(length: number): Uint8Array;
  seal(owner: SealedOwner, plaintext: Uint8Array): Sealed;
  /** The caller wipes what it gets. */
  unseal(owner: SealedOwner, sealed: Sealed): Uint8Array;
  /** The private key of what signs. It belongs to the core's cache: neither keep nor wipe it. */
  privateKey(key: KeyHolder): Uint8Array;
  prove: Prove;
  /** The draft of the organization's next document; asking for it is writing it. */
  update(): OrganizationDocument;
  readonly write: {
    wallet(body: Wallet, organizationId?: string): void;
    walletAccount(body: WalletAccount, organizationId?: string): void;
    privateKey(body: PrivateKey, organizationId?: string): void;
    sessions(body: Sessions, organizationId?: string): void;
    smartContractInterface(body: SmartContractInterface): void;
    /** The first document of an organization that does not exist yet. */
    organization(document: OrganizationDocument): void;
  };
};

export type Written = {
  type: RecordType;
  organizationId: string;
  id: string;
  version: number;
  bytes: Uint8Array;
};

export type ExecutionInput = {
  keyring: Keyring;
  quorum: QuorumKeys;
  document: OrganizationDocument;
  user: User;
  fingerprint: string;
  nowMs: number;
  brought: HeldRecord[];
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
  const { keyring, quorum, unsealedKeys, document, user, fingerprint, nowMs, brought, random } =
    input;
  const organizationId = document.organizationId;
  const written: Written[] = [];
  let draft: OrganizationDocument | null = null;
  const newId = (name: string) => deriveId(keyring, `${organizationId}|${fingerprint}|${name}`);

  function put(
    type: keyof typeof recordKinds,
    owner: string,
    id: string,
    version: number,
    body: unknown,
  ) {
    const { schema } = recordKinds[type];
    const bytes = notarize(keyring, { type, schema, organizationId: owner, id, version }, body);
    written.push({ type, organizationId: owner, id, version, bytes });
  }

  const facts: Facts = { document, brought };
  const context: Context = {
    organizationId,
    document,
    user,
    nowMs,
    records: {
      wallet: (walletId) => findWallet(facts, walletId),
      sessions: (userId) => findSessions(facts, userId),
      accountAt: (walletId, path, addressFormat) =>
        findAccountAt(facts, walletId, path, addressFormat),
      contractInterface: (type, address) => findContractInterface(facts, type, address),
    },
    newId,
    newKeyId: (name) => newId(`${name}/${encodeHex(random(16))}`),
    random,
    seal: (owner, plaintext) => seal(keyring, owner, plaintext, random),
    unseal: (owner, sealed) => unseal(keyring, owner, sealed),
    privateKey: (key) => unsealedKeys.get(key.digest, () => unsealKey(keyring, facts, key)),
    prove: createProver(quorum, nowMs),
    update() {
      draft ??= structuredClone(document);
      return draft;
    },
    write: {
      wallet: (body, owner = organizationId) => put("wallet", owner, body.walletId, 1, body),
      walletAccount: (body, owner = organizationId) =>
        put("wallet-account", owner, body.walletAccountId, 1, body),
      privateKey: (body, owner = organizationId) =>
        put("private-key", owner, body.privateKeyId, 1, body),
      sessions(body, owner = organizationId) {
        const current = brought.find(
          ({ header }) => header.type === "sessions" && header.id === body.userId,
        );
        put("sessions", owner, body.userId, (current?.header.version ?? 0) + 1, body);
      },
      smartContractInterface: (body) =>
        put("smart-contract-interface", organizationId, body.smartContractInterfaceId, 1, body),
      organization(body) {
        written.push(notarizeDocument(keyring, body, 1));
      },
    },
  };
  return { context, draft: () => draft, written: () => written };
}

export function notarizeDocument(
  keyring: Keyring,
  document: OrganizationDocument,
  version: number,
): Written {
  const { organizationId } = document;
  const { type, schema } = recordKinds.organization;
  const bytes = notarize(
    keyring,
    { type, schema, organizationId, id: organizationId, version },
    document,
  );
  if (bytes.length > MAX_DOCUMENT_BYTES) {
    throw limitExceeded(
      "organizationId",
      "the organization's document would exceed 1 MiB: delete users, policies, tags or private keys that are no longer needed",
    );
  }
  return { type: "organization", organizationId, id: organizationId, version, bytes };
}

/** Refuses a record that no want of the request explains. */
export function assertRequested(
  { header, body }: HeldRecord,
  wants: Want[],
  document: OrganizationDocument,
) {
  const explains = (want: Want): boolean => {
    switch (want.type) {
      case "wallet":
        return header.type === "wallet" && header.id === want.walletId;
      case "sessions":
        return header.type === "sessions" && header.id === want.userId;
      case "activity":
        return (
          header.type === "activity" && (body as ActivityRecord).fingerprint === want.fingerprint
        );
      case "accounts-at":
        return (
          header.type === "wallet-account" && (body as WalletAccount).walletId === want.walletId
        );
      case "smart-contract-interface":
        return (
          header.type === "smart-contract-interface" && header.id === want.smartContractInterfaceId
        );
      case "signing-key":
        if (header.type === "private-key") return true;
        return header.type === "wallet-account" || header.type === "wallet";
    }
  };
  if (!wants.some(explains)) throw recordRefused(`unrequested record of type ${header.type}`);
  if (header.organizationId !== document.organizationId) {
    throw recordRefused(`record of another organization, ${header.organizationId}`);
  }
}
