import type { StoredRecord } from "./store/keys.ts";
import type { StoredDocument } from "./store/organizations.ts";

/**
 * What the host keeps of the database between requests. It may be old: the commit compares
 * versions, and an error that was decided by a cached record is checked before it is believed.
 */
export type Cache = {
  document(organizationId: string): StoredDocument | undefined;
  keepDocument(stored: StoredDocument): void;
  forgetDocument(organizationId: string): void;
  signingRecords(organizationId: string, signWith: string): StoredRecord[] | undefined;
  keepSigningRecords(organizationId: string, signWith: string, records: StoredRecord[]): void;
  forgetSigningRecords(organizationId: string, signWith: string): void;
  contractInterface(smartContractInterfaceId: string): StoredRecord | undefined;
  keepContractInterface(smartContractInterfaceId: string, record: StoredRecord): void;
};

export function createCache({
  maxDocumentBytes = 64 * 1024 * 1024,
  maxSigningKeys = 20_000,
  maxInterfaceBytes = 32 * 1024 * 1024,
}: {
  maxDocumentBytes?: number;
  maxSigningKeys?: number;
  maxInterfaceBytes?: number;
} = {}): Cache {
  const documents = new Map<string, StoredDocument>();
  const keys = new Map<string, StoredRecord[]>();
  const interfaces = new Map<string, StoredRecord>();
  let documentBytes = 0;
  let interfaceBytes = 0;

  function drop(organizationId: string) {
    const known = documents.get(organizationId);
    if (!known) return;
    documents.delete(organizationId);
    documentBytes -= known.bytes.length;
  }

  return {
    document(organizationId) {
      const known = documents.get(organizationId);
      if (!known) return undefined;
      documents.delete(organizationId);
      documents.set(organizationId, known);
      return known;
    },
    keepDocument(stored) {
      drop(stored.organizationId);
      documents.set(stored.organizationId, stored);
      documentBytes += stored.bytes.length;
      for (const oldest of documents.keys()) {
        if (documentBytes <= maxDocumentBytes) break;
        drop(oldest);
      }
    },
    forgetDocument: drop,
    signingRecords: (organizationId, signWith) => keys.get(`${organizationId} ${signWith}`),
    keepSigningRecords(organizationId, signWith, records) {
      if (keys.size >= maxSigningKeys) {
        const [oldest] = keys.keys();
        if (oldest !== undefined) keys.delete(oldest);
      }
      keys.set(`${organizationId} ${signWith}`, records);
    },
    forgetSigningRecords: (organizationId, signWith) =>
      void keys.delete(`${organizationId} ${signWith}`),
    contractInterface: (smartContractInterfaceId) => interfaces.get(smartContractInterfaceId),
    // An interface never changes, so nothing is ever forgotten but for room.
    keepContractInterface(smartContractInterfaceId, record) {
      if (interfaces.has(smartContractInterfaceId)) return;
      interfaces.set(smartContractInterfaceId, record);
      interfaceBytes += record.bytes.length;
      for (const [oldest, { bytes }] of interfaces) {
        if (interfaceBytes <= maxInterfaceBytes) break;
        interfaces.delete(oldest);
        interfaceBytes -= bytes.length;
      }
    },
  };
}
