import type { Proposal } from "@keyhearth/engine/door/protocol";
import { upcast } from "@keyhearth/engine/records/kind";
import { type OrganizationDocument, organization } from "@keyhearth/engine/records/organization";
import { privateKey } from "@keyhearth/engine/records/private-key";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import { sessions } from "@keyhearth/engine/records/sessions";
import { walletAccount } from "@keyhearth/engine/records/wallet-account";
import type { CommitUnit, DocumentRow } from "./commit.ts";
import { type Lookup, lookupsOfDocument, lookupsOfSessions } from "./lookups.ts";

/** A proposal of the core as rows. The records are read, not believed: they only fill columns. */
export function unitOf(proposal: Proposal, current: OrganizationDocument | null): CommitUnit {
  const { organizationId, attachments, activity, leaf } = proposal;
  const [record, ...writes] = attachments;
  if (!record) throw new Error("a proposal without its activity");
  const isFounding = current === null;
  const unit: CommitUnit = {
    organizationId,
    guard: isFounding
      ? null
      : { version: proposal.documentVersion, digest: proposal.documentDigest },
    activity: { ...activity, record },
    leaf,
    document: null,
    organizations: [],
    isRoot: false,
    wallets: [],
    walletAccounts: [],
    privateKeys: [],
    smartContractInterfaces: [],
    sessions: [],
    lookups: [],
    removedLookups: [],
  };
  for (const bytes of writes) addWrite(unit, bytes, current);
  return unit;
}

function addWrite(unit: CommitUnit, bytes: Uint8Array, current: OrganizationDocument | null) {
  const record = readRecord(bytes);
  const { type, organizationId, id, version } = record.header;
  const row = { organizationId, digest: recordDigest(bytes), record: bytes };
  switch (type) {
    case "organization": {
      const document = upcast(organization, record);
      const documentRow = toDocumentRow(document, version, row.digest, bytes);
      if (organizationId !== unit.organizationId || current === null) {
        unit.organizations.push(documentRow);
        unit.lookups.push(...lookupsOfDocument(document));
        return;
      }
      unit.document = documentRow;
      const { added, removed } = difference(
        lookupsOfDocument(current),
        lookupsOfDocument(document),
      );
      unit.lookups.push(...added);
      unit.removedLookups.push(...removed);
      return;
    }
    case "sessions": {
      const body = upcast(sessions, record);
      unit.sessions.push({ ...row, userId: id, version });
      const parent =
        organizationId === unit.organizationId
          ? (current?.parentOrganizationId ?? null)
          : unit.organizationId;
      unit.lookups.push(...lookupsOfSessions(organizationId, parent, body));
      return;
    }
    case "wallet":
      unit.wallets.push({ ...row, walletId: id });
      return;
    case "wallet-account": {
      const { walletId, path, addressFormat, address, createdAtMs } = upcast(walletAccount, record);
      unit.walletAccounts.push({
        ...row,
        walletAccountId: id,
        walletId,
        path,
        addressFormat,
        address,
        createdAtMs,
      });
      return;
    }
    case "private-key": {
      const { addresses } = upcast(privateKey, record);
      const texts = addresses.map(({ address }) => address);
      unit.privateKeys.push({ ...row, privateKeyId: id, addresses: texts });
      return;
    }
    case "smart-contract-interface":
      unit.smartContractInterfaces.push({ ...row, smartContractInterfaceId: id });
      return;
    case "activity":
    case "segment":
      throw new Error(`a proposal does not write records of type ${type} beside its own`);
  }
}

function toDocumentRow(
  document: OrganizationDocument,
  version: number,
  digest: string,
  record: Uint8Array,
): DocumentRow {
  const { organizationId, parentOrganizationId, organizationName, createdAtMs } = document;
  return {
    organizationId,
    parentOrganizationId,
    organizationName,
    version,
    digest,
    createdAtMs,
    record,
  };
}

function difference(before: Lookup[], after: Lookup[]): { added: Lookup[]; removed: Lookup[] } {
  const keyOf = ({ kind, valueHash, subjectId }: Lookup) => `${kind} ${valueHash} ${subjectId}`;
  const had = new Set(before.map(keyOf));
  const has = new Set(after.map(keyOf));
  return {
    added: after.filter((each) => !had.has(keyOf(each))),
    removed: before.filter((each) => !has.has(keyOf(each))),
  };
}
