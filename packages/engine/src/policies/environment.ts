import { type Environment, type Input, lazyEnvironment } from "@keyhearth/policy/environment";
import { kindOf } from "@keyhearth/policy/kind-of";
import { lowerCase } from "@keyhearth/policy/values";
import type { ActivityDeclaration } from "../declare/define.ts";
import type { Reading } from "../declare/reading.ts";
import { seenSender } from "../declare/seen-sender.ts";
import type { Roots } from "../keys/policy-roots.ts";
import type { User } from "../records/organization.ts";
import type { Organization } from "../records/organization-index.ts";

/** An activity that policies are asked about. */
export type Subject = {
  declaration: ActivityDeclaration;
  /** The activity's full type, with its version. */
  type: string;
  /** In the shape of the declaration's default version. */
  intent: unknown;
  reading: Reading;
  organization: Organization;
  /** The organization whose users and policies decide: the same one, or its parent. */
  decider: Organization;
  /** The user who started the activity. */
  submitter: User;
};

/** The values that conditions can read about an activity. */
export function environmentOf(subject: Subject): Environment {
  return lazyEnvironment({
    // Policies about transactions and messages seldom read it.
    activity: () => activityRoot(subject),
    ...rootsOf(subject),
  });
}

function activityRoot(subject: Subject): Input {
  const { declaration, type, intent, submitter, organization, reading } = subject;
  const { resource, action } = declaration.policy;
  const kind = declaration.rootQuorumOnly === true ? undefined : kindOf(type);
  const seen = seenSender(declaration, submitter);
  const complete = declaration.complete?.(intent, seen, organization.document) ?? intent;
  // Parameters are an object in every version.
  const params = { ...snakeCased(complete as Record<string, unknown>), ...reading.named };
  return { type, resource, action, kind, params };
}

/**
 * Empty if the key or wallet was deleted while the activity was waiting. A policy that reads it
 * then fails, and the voter gets the error when the activity is executed.
 */
function rootsOf({ declaration, reading }: Subject): Roots {
  if ("error" in reading) {
    if (reading.error.code === "NOT_FOUND") return {};
    throw reading.error;
  }
  return declaration.roots?.(reading.value) ?? {};
}

/** `apiKeyIds` is `api_key_ids` in policies. */
function snakeCased(value: Record<string, unknown>): { [name: string]: Input } {
  const fields: { [name: string]: Input } = {};
  for (const name of Object.keys(value)) {
    fields[lowerCase(name.replace(/[A-Z]/g, "_$&"))] = inputOf(value[name]);
  }
  return fields;
}

function inputOf(value: unknown): Input {
  if (Array.isArray(value)) return value.map(inputOf);
  if (typeof value === "object" && value !== null) {
    return snakeCased(value as Record<string, unknown>);
  }
  // A schema produced the value, so only JSON scalars are left.
  return value as boolean | number | string | undefined;
}
