import type { Credential, User } from "@keyhearth/policy/consensus";
import type { DecisionInput } from "@keyhearth/policy/decide";
import { inputFromJson, makeEnvironment } from "@keyhearth/policy/environment";
import { parseTimestamp } from "@keyhearth/policy/time";
import {
  FaultyText,
  items,
  type Json,
  members,
  membersOf,
  mustBe,
  parseJson,
  text,
} from "./read-json.ts";

/** Everything that a decision depends on, except the policies. */
export type Request = Omit<DecisionInput, "policies">;

/** A request in the form of `keyhearth policy explain`: who approved it, in which organization, and what conditions read of it. */
export function readRequest(json: string): Request {
  const required = ["users", "rootQuorum", "approvedBy", "context"] as const;
  const found = members(parseJson(json), required, ["now", "ownCredentialChange"]);
  const users = items(found.users).map(readUser);
  const quorum = members(found.rootQuorum, ["threshold", "userIds"], []);
  const threshold = quorum.threshold.value;
  if (typeof threshold !== "number" || !Number.isSafeInteger(threshold) || threshold < 1) {
    throw mustBe(quorum.threshold, "positive");
  }
  return {
    users,
    environment: readContext(found.context),
    approvals: items(found.approvedBy).map((approval) => readApproval(approval, users)),
    rootQuorum: {
      threshold,
      userIds: items(quorum.userIds).map((id) => userIn(id, users).id),
    },
    ...(found.now && { now: readInstant(found.now) }),
    ...(found.ownCredentialChange && {
      isOwnCredentialChange: readBoolean(found.ownCredentialChange),
    }),
  };
}

function readUser(json: Json): User {
  const found = members(json, ["id"], ["tags", "email", "alias", "credentials"]);
  const id = text(found.id);
  const optional = (member: Json | undefined) => (member ? text(member) : "");
  return {
    id,
    tags: found.tags ? items(found.tags).map(text) : [],
    email: optional(found.email),
    alias: optional(found.alias),
    ...(found.credentials && {
      credentials: items(found.credentials).map((each) => readCredential(each, id)),
    }),
  };
}

function readCredential(json: Json, userId: string): Credential {
  const found = members(json, ["id", "type"], ["public_key", "credential_id", "user_id"]);
  return {
    id: text(found.id),
    user_id: userId,
    type: text(found.type),
    public_key: found.public_key ? text(found.public_key) : "",
    credential_id: found.credential_id ? text(found.credential_id) : "",
  };
}

function readApproval(json: Json, users: readonly User[]) {
  if (typeof json.value === "string") return { userId: userIn(json, users).id };
  const found = members(json, ["userId"], ["credentialId"]);
  const { id: userId, credentials = [] } = userIn(found.userId, users);
  if (!found.credentialId) return { userId };
  const credentialId = text(found.credentialId);
  const credential = credentials.find(({ id }) => id === credentialId);
  if (!credential) throw mustBe(found.credentialId, "credential");
  return { userId, credential };
}

function userIn(json: Json, users: readonly User[]): User {
  const user = users.find(({ id }) => id === json.value);
  if (!user) throw mustBe(json, "user");
  return user;
}

function readInstant(json: Json): string {
  const written = text(json);
  if (typeof parseTimestamp(written) !== "bigint") throw mustBe(json, "instant");
  return written;
}

function readBoolean(json: Json): boolean {
  if (typeof json.value !== "boolean") throw mustBe(json, "boolean");
  return json.value;
}

function readContext(json: Json) {
  const roots = Object.entries(membersOf(json));
  try {
    return makeEnvironment(
      Object.fromEntries(roots.map(([name, { value }]) => [name, inputFromJson(value)])),
    );
  } catch (error) {
    // The language throws a TypeError if a value does not have the type of its field.
    if (!(error instanceof TypeError)) throw error;
    throw new FaultyText({ kind: "language", message: error.message });
  }
}
