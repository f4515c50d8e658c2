import { rm } from "node:fs/promises";
import { join } from "node:path";
import { nearest } from "@keyhearth/policy/errors";
import type { Given } from "../command.ts";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";
import { membersOf } from "./members.ts";
import { checkName, namesIn, ownFolder, readPrivate, writePrivate } from "./own-folder.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A service, a key and an organization under a name. No secret: the key stays in its file. */
export type Profile = {
  readonly name: string;
  readonly url: string;
  readonly organizationId: string;
  readonly keyFile: string;
  /** The user of the key in the organization. Profiles that were made without asking have none. */
  readonly userId?: string | undefined;
  /** Public keys of the service, as it showed them when the profile was made. */
  readonly signerPublicKey?: string | undefined;
  readonly quorumPublicKey?: string | undefined;
  /** Profiles that were made by an earlier release have neither of these. */
  readonly sessionPublicKey?: string | undefined;
  readonly verificationPublicKey?: string | undefined;
};

/** The public keys of a service that a profile pins. */
const PINNED_KEYS = [
  "signerPublicKey",
  "quorumPublicKey",
  "sessionPublicKey",
  "verificationPublicKey",
] as const;

export type PinnedKeys = Pick<Profile, (typeof PINNED_KEYS)[number]>;

/** Whether a service shows each key that is pinned. One that was never pinned is its word. */
export function showsPinned(shown: PinnedKeys, pinned: PinnedKeys): boolean {
  return PINNED_KEYS.every((name) => pinned[name] === undefined || pinned[name] === shown[name]);
}

export function pinnedIn(keys: PinnedKeys): PinnedKeys {
  const named = PINNED_KEYS.map((name) => [name, keys[name] || undefined] as const);
  return Object.fromEntries(named.filter(([, key]) => key !== undefined));
}

/** The profile that a command line or the environment names. */
export function namedProfile(given: Given, { KEYHEARTH_PROFILE }: Env): string | undefined {
  return given.option("profile") ?? (KEYHEARTH_PROFILE || undefined);
}

export async function listProfiles(env: Env): Promise<{ names: string[]; current: string | null }> {
  const [names, current] = await Promise.all([
    namesIn(join(ownFolder(env), "profiles"), ".json"),
    currentProfile(env),
  ]);
  return { names, current };
}

/** That profile, or else the current one. */
export async function chosenProfile(given: Given, env: Env): Promise<Profile | undefined> {
  const name = namedProfile(given, env) ?? (await listProfiles(env)).current;
  return name === null ? undefined : readProfile(name, env);
}

export async function readProfile(name: string, env: Env): Promise<Profile> {
  checkName(name, "the name of a profile");
  const { names } = await listProfiles(env);
  if (!names.includes(name)) throw unknownProfile(name, names);
  const path = fileOf(name, env);
  const value = membersOf(await readPrivate(path, "the profile"));
  const text = (member: string) => {
    const found = value?.[member];
    return typeof found === "string" && found !== "" ? found : undefined;
  };
  const [url, organizationId, keyFile] = [text("url"), text("organizationId"), text("keyFile")];
  if (url === undefined || organizationId === undefined || keyFile === undefined) {
    throw new InputError(
      `${plain(path)} is not a profile of this command: remove it with \`keyhearth profile remove ${name}\`, and add it again`,
    );
  }
  return {
    ...{ name, url, organizationId, keyFile, userId: text("userId") },
    ...Object.fromEntries(PINNED_KEYS.map((key) => [key, text(key)])),
  };
}

/** Keeps a profile. A profile of that name is replaced only if `isReplaced`. */
export async function writeProfile(
  { name, ...profile }: Profile,
  env: Env,
  { isReplaced }: { isReplaced: boolean },
): Promise<void> {
  const text = `${JSON.stringify(profile, undefined, 2)}\n`;
  if (await writePrivate(fileOf(name, env), text, { isNew: !isReplaced })) return;
  throw new InputError(
    `there is a profile ${name} already: remove it with \`keyhearth profile remove ${name}\`, or choose another name`,
  );
}

export async function useProfile(name: string, env: Env): Promise<void> {
  checkName(name, "the name of a profile");
  const { names } = await listProfiles(env);
  if (!names.includes(name)) throw unknownProfile(name, names);
  await writePrivate(join(ownFolder(env), "current-profile"), `${name}\n`);
}

export async function removeProfile(name: string, env: Env): Promise<void> {
  checkName(name, "the name of a profile");
  const { names, current } = await listProfiles(env);
  if (!names.includes(name)) throw unknownProfile(name, names);
  await rm(fileOf(name, env));
  if (current === name) await rm(join(ownFolder(env), "current-profile"), { force: true });
}

async function currentProfile(env: Env): Promise<string | null> {
  const folder = ownFolder(env);
  if (!(await namesIn(folder, "-profile")).includes("current")) return null;
  const path = join(folder, "current-profile");
  return (await readPrivate(path, "the name of the current profile")).trim() || null;
}

function fileOf(name: string, env: Env): string {
  return join(ownFolder(env), "profiles", `${name}.json`);
}

function unknownProfile(name: string, names: readonly string[]): InputError {
  const near = nearest(name, names);
  const hint =
    near !== undefined
      ? `did you mean ${near}?`
      : names.length > 0
        ? `the profiles are ${names.join(", ")}`
        : "make one with `keyhearth init`";
  return new InputError(`there is no profile ${plain(name)}: ${hint}`);
}
