import type { User as PolicyUser } from "@keyhearth/policy/consensus";
import type { PolicyList } from "@keyhearth/policy/decide";
import type { CredentialType } from "../fields/logins.ts";
import { heapSizeOf } from "../memory/heap-size.ts";
import type { OrganizationDocument, User } from "./organization.ts";
import type { SessionEntry } from "./sessions.ts";
import { policyUsers } from "./terms.ts";

/**
 * An organization's document with lookups for requests. The lookups of users are built when they are
 * first needed and live as long as the document is held. Compiled policies are kept elsewhere.
 */
export type Organization = {
  readonly document: OrganizationDocument;
  /** The long-lived API key with this public key. */
  findKey(publicKey: string): KnownKey | undefined;
  /** The passkey with this credential id. */
  findPasskey(credentialId: string): KnownKey | undefined;
  /** The compiled policies, in the order of the document. */
  policies(): PolicyList;
  /** The users in the form of the policy language. */
  policyUsers(): readonly PolicyUser[];
};

export type Credential = {
  id: string;
  publicKey: string;
  type: CredentialType;
  /** Only passkeys have one. */
  credentialId?: string;
};

/** A public key that an organization knows, and its user. */
export type KnownKey = {
  user: User;
  credential: Credential;
  /** The entry in the user's sessions record, if the key expires. */
  session: SessionEntry | null;
  /** Whether its user registered it without a permission, in a top-level organization. */
  isStated?: true;
};

/** Compiles the policies of a document, or finds them compiled. */
export type Compile = (document: OrganizationDocument) => PolicyList;

export function createOrganization(document: OrganizationDocument, compile: Compile): Organization {
  let keys: Map<string, KnownKey> | undefined;
  let passkeys: Map<string, KnownKey> | undefined;
  let shownUsers: PolicyUser[] | undefined;
  return {
    document,
    findKey(publicKey) {
      keys ??= longLivedKeys(document);
      return keys.get(publicKey);
    },
    findPasskey(credentialId) {
      passkeys ??= passkeysOf(document);
      return passkeys.get(credentialId);
    },
    policies: () => compile(document),
    policyUsers() {
      shownUsers ??= policyUsers(document.users);
      return shownUsers;
    },
  };
}

/**
 * Bytes that a document takes with its lookups. They share its texts, so they take less than another
 * copy of its users.
 */
export function heldSizeOf(document: OrganizationDocument): number {
  return heapSizeOf(document) + heapSizeOf(document.users);
}

function longLivedKeys({ users }: OrganizationDocument): Map<string, KnownKey> {
  const keys = new Map<string, KnownKey>();
  for (const user of users) {
    for (const { apiKeyId, credential, isStated } of user.apiKeys) {
      keys.set(credential.publicKey, {
        user,
        credential: { id: apiKeyId, ...credential },
        session: null,
        ...(isStated && { isStated }),
      });
    }
  }
  return keys;
}

function passkeysOf({ users }: OrganizationDocument): Map<string, KnownKey> {
  const passkeys = new Map<string, KnownKey>();
  for (const user of users) {
    for (const { authenticatorId, credentialId, credential, isStated } of user.authenticators) {
      passkeys.set(credentialId, {
        user,
        credential: { id: authenticatorId, ...credential, credentialId },
        session: null,
        ...(isStated && { isStated }),
      });
    }
  }
  return passkeys;
}
