import type { TestKey } from "@keyhearth/api/testing";
import type { Random } from "./random.ts";

/** What the fuzzer knows of an organization, from the answers that it got. */
export type Tenant = {
  organizationId: string;
  /** A number that its names carry. No other tenant may ever see it. */
  canary: string;
  /** Keys that its users have or had. Requests are stamped with any of them. */
  keys: TestKey[];
  /** Values of its fields, by the name under which an answer or a request had them. */
  known: Map<string, string[]>;
};

/** An answered submission, which must stay as it was answered. */
export type Acknowledged = {
  organizationId: string;
  activityId: string;
  status: string;
  fingerprint: string;
  /** The result as text, if the activity has ended. */
  result: string;
};

export type State = {
  tenants: Tenant[];
  /** Organizations that were asked to delete themselves. Nobody can read them once they have. */
  ending: Set<string>;
  acknowledged: Map<string, Acknowledged>;
};

const MOST_KNOWN = 60;

/** Names under which answers and requests carry the same kind of value. */
const aliases: Record<string, string> = {
  addPrivateKeyIds: "privateKeyId",
  addUserIds: "userId",
  addresses: "address",
  apiKeyIds: "apiKeyId",
  authenticatorIds: "authenticatorId",
  invitationIds: "invitationId",
  policyIds: "policyId",
  privateKeyIds: "privateKeyId",
  privateKeyTagIds: "privateKeyTagId",
  privateKeyTags: "privateKeyTagId",
  providerIds: "providerId",
  receiverUserTags: "userTagId",
  removePrivateKeyIds: "privateKeyId",
  removeUserIds: "userId",
  rootUserIds: "userId",
  userIds: "userId",
  senderUserId: "userId",
  userTagIds: "userTagId",
  userTags: "userTagId",
  walletAccountIds: "walletAccountId",
  walletIds: "walletId",
};

/** Forgets an organization that was deleted, and its activities. */
export function forgetTenant({ tenants, acknowledged }: State, organizationId: string) {
  const at = tenants.findIndex((each) => each.organizationId === organizationId);
  if (at >= 0) tenants.splice(at, 1);
  for (const [activityId, activity] of acknowledged) {
    if (activity.organizationId === organizationId) acknowledged.delete(activityId);
  }
}

export function newTenant(organizationId: string, canary: string, key: TestKey): Tenant {
  return { organizationId, canary, keys: [key], known: new Map() };
}

/** Remembers ids and addresses anywhere in an answer or in the parameters of a request. */
export function learn(tenant: Tenant, value: unknown, name = "") {
  if (Array.isArray(value)) {
    for (const each of value) learn(tenant, each, name);
  } else if (value !== null && typeof value === "object") {
    for (const [member, inner] of Object.entries(value)) {
      // The name of the result says what the target key of an import is for.
      if (member === "importBundle") know(tenant, name, targetOf(String(inner)));
      else learn(tenant, inner, member);
    }
  } else if (typeof value === "string" && isWorthKnowing(name)) {
    know(tenant, aliases[name] ?? name, value);
  }
}

function know(tenant: Tenant, name: string, value: string) {
  const values = tenant.known.get(name) ?? [];
  if (!values.includes(value)) values.push(value);
  tenant.known.set(name, values.slice(-MOST_KNOWN));
}

function targetOf(importBundle: string): string {
  const { data } = JSON.parse(importBundle);
  return String(JSON.parse(Buffer.from(String(data), "hex").toString("utf8")).targetPublic);
}

/** Forgets the ids in the result of a deletion: requests about them would only be refused. */
export function forget(tenant: Tenant, value: unknown, name = "") {
  if (Array.isArray(value)) {
    for (const each of value) forget(tenant, each, name);
  } else if (value !== null && typeof value === "object") {
    for (const [member, inner] of Object.entries(value)) forget(tenant, inner, member);
  } else {
    const key = aliases[name] ?? name;
    const values = tenant.known.get(key) ?? [];
    tenant.known.set(
      key,
      values.filter((each) => each !== value),
    );
  }
}

function isWorthKnowing(name: string): boolean {
  return name in aliases || /Id$|^(address|fingerprint)$/.test(name);
}

/** A value that the tenant would give for a field. */
export function valueFor(random: Random, tenant: Tenant, name: string): string | undefined {
  const key = aliases[name] ?? name;
  const names = key === "signWith" ? ["address", "privateKeyId"] : [key];
  const values = names.flatMap((each) => tenant.known.get(each) ?? []);
  return values.length > 0 ? random.pick(values) : undefined;
}
