import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ID, membersOf } from "../connection/members.ts";
import { namesIn, ownFolder, readPrivate, writePrivate } from "../connection/own-folder.ts";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";
import type { GivenPolicy } from "../policy-change.ts";

// What `agent create` has made, as the signer stated it: ids that a service shows later may be those of something else.

type Env = Readonly<Record<string, string | undefined>>;

/** A policy that was made for an agent, without its notes. */
export type MadePolicy = Omit<GivenPolicy, "notes"> & {
  readonly policyId: string;
  /** Whether it decides about others too. Then it stays when the agent goes. */
  readonly isShared: boolean;
};

export type Made = {
  readonly organizationId: string;
  readonly userId: string;
  readonly policies: readonly MadePolicy[];
};

/** What this machine made of an agent in an organization, by its name or the id of its user. */
export async function findMade(
  given: string,
  { organizationId, env }: { organizationId: string; env: Env },
): Promise<{ name: string; made: Made } | undefined> {
  for (const name of await namesIn(folderOf(env), ".json")) {
    const made = await readMade(name, env);
    const isIt = name === given || made.userId === given;
    if (isIt && made.organizationId === organizationId) return { name, made };
  }
  return undefined;
}

/** What this machine made under a name, in whichever organization. */
export async function madeAs(name: string, env: Env): Promise<Made | undefined> {
  const names = await namesIn(folderOf(env), ".json");
  return names.includes(name) ? readMade(name, env) : undefined;
}

export async function writeMade(name: string, made: Made, env: Env): Promise<void> {
  await writePrivate(fileOf(name, env), `${JSON.stringify(made, undefined, 2)}\n`);
}

export async function forgetMade(name: string, env: Env): Promise<void> {
  await rm(fileOf(name, env), { force: true });
}

async function readMade(name: string, env: Env): Promise<Made> {
  const path = fileOf(name, env);
  const value = membersOf(await readPrivate(path, "what was made of an agent"));
  const { organizationId, userId, policies } = { ...value };
  if (isId(organizationId) && isId(userId) && Array.isArray(policies)) {
    const made = policies.map(madePolicy);
    if (made.every((each) => each !== undefined)) return { organizationId, userId, policies: made };
  }
  throw new InputError(
    `${plain(path)} is not what this command wrote down of an agent: restore the file from a copy, or remove it, and then the agent's user and policies by their ids`,
  );
}

function madePolicy(value: unknown): MadePolicy | undefined {
  const { policyId, policyName, effect, isShared, ...clauses }: Record<string, unknown> = {
    ...Object(value),
  };
  const { condition, consensus, time } = clauses;
  const isEffect = effect === "EFFECT_ALLOW" || effect === "EFFECT_DENY";
  if (!isId(policyId) || typeof policyName !== "string" || !isEffect) return undefined;
  return {
    ...{ policyId, policyName, effect, isShared: isShared !== false },
    ...(typeof condition === "string" && { condition }),
    ...(typeof consensus === "string" && { consensus }),
    ...(typeof time === "string" && { time }),
  };
}

/** Whether two policies decide the same. In the answer of a query, an empty clause means that the clause is absent. */
export function isSamePolicy(one: Clauses, other: Clauses): boolean {
  const clauses = ["condition", "consensus", "time"] as const;
  return (
    one.effect === other.effect &&
    clauses.every((clause) => (one[clause] ?? "") === (other[clause] ?? ""))
  );
}

type Clauses = {
  readonly effect: string;
  readonly condition?: string | undefined;
  readonly consensus?: string | undefined;
  readonly time?: string | undefined;
};

function isId(value: unknown): value is string {
  return typeof value === "string" && ID.test(value);
}

function folderOf(env: Env): string {
  return join(ownFolder(env), "agents");
}

function fileOf(name: string, env: Env): string {
  return join(folderOf(env), `${name}.json`);
}
