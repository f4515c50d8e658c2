import type { StampKey } from "@keyhearth/crypto/stamp";
import type { User as PolicyUser } from "@keyhearth/policy/consensus";
import { type CompiledPolicy, compilePolicies } from "@keyhearth/policy/decide";
import { policyText, policyUser } from "../policies/terms.ts";
import type { CredentialType, OrganizationDocument, User } from "../records/organization.ts";
import type { SessionEntry } from "../records/sessions.ts";

/**
 * An organization's document with lookups for requests. Each lookup is built when it is first
 * needed and lives as long as the document is held.
 */
export type Organization = {
  readonly document: OrganizationDocument;
  /** The long-lived API key with this public key. */
  findKey(publicKey: string): KnownKey | undefined;
  /** The compiled policies, in the order of the document. */
  policies(): readonly CompiledPolicy[];
  /** The users in the form of the policy language. */
  policyUsers(): readonly PolicyUser[];
};

export type Credential = { id: string; publicKey: string; type: CredentialType };

/** A public key that an organization knows, and its user. */
export type KnownKey = {
  user: User;
  credential: Credential;
  /** The entry in the user's sessions record, if the key expires. */
  session: SessionEntry | null;
  /** The imported key, for the scheme that it was last used with. */
  stampKey?: { scheme: string; key: StampKey };
};

export function createOrganization(document: OrganizationDocument): Organization {
  let keys: Map<string, KnownKey> | undefined;
  let policies: CompiledPolicy[] | undefined;
  let policyUsers: PolicyUser[] | undefined;
  return {
    document,
    findKey(publicKey) {
      keys ??= longLivedKeys(document);
      return keys.get(publicKey);
    },
    policies() {
      policies ??= compilePolicies(document.policies.map(policyText));
      return policies;
    },
    policyUsers() {
      policyUsers ??= document.users.map(policyUser);
      return policyUsers;
    },
  };
}

function longLivedKeys({ users }: OrganizationDocument): Map<string, KnownKey> {
  const keys = new Map<string, KnownKey>();
  for (const user of users) {
    for (const { apiKeyId, credential } of user.apiKeys) {
      keys.set(credential.publicKey, {
        user,
        credential: { id: apiKeyId, ...credential },
        session: null,
      });
    }
  }
  return keys;
}
