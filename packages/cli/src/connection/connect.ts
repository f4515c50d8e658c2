import { KeyhearthClient } from "@keyhearth/sdk";
import type { Asked, Given, Surroundings } from "../command.ts";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";
import { findKeyFile, type LoadedKey, loadKey } from "./key-files.ts";
import { listProfiles, namedProfile, type PinnedKeys, pinnedIn, readProfile } from "./profiles.ts";

/** A service, and the key and the organization to ask it with. */
export type Connected = {
  readonly client: KeyhearthClient;
  readonly url: string;
  readonly organizationId: string;
  /** The user of the key in this organization, as the profile or the key file says: never from an answer. */
  readonly userId: string | undefined;
  readonly key: LoadedKey;
  /** The profile that says so, if it is not the environment. */
  readonly profile: string | null;
  readonly signerPublicKey: string | undefined;
  readonly quorumPublicKey: string | undefined;
  /** All keys that the profile pins. */
  readonly pinned: PinnedKeys;
};

export const DEFAULT_URL = "http://localhost:3000";
export const DEFAULT_KEY_FILE = "data/root-api-key.json";

/**
 * The connection of a command line. `--profile` and KEYHEARTH_PROFILE name a profile, which then says everything.
 * Otherwise KEYHEARTH_URL and KEYHEARTH_ROOT_KEY count if one of them is set, then the current profile, and without
 * one the files of a service in this folder.
 */
export async function connect(given: Given, { env, asked }: Surroundings): Promise<Connected> {
  const named = namedProfile(given, env);
  const isInEnvironment = Boolean(env.KEYHEARTH_URL || env.KEYHEARTH_ROOT_KEY);
  const current = named || isInEnvironment ? null : (await listProfiles(env)).current;
  const name = named ?? current;
  const profile = name === null ? undefined : await readProfile(name, env);
  const url = checkUrl(profile?.url ?? (env.KEYHEARTH_URL || DEFAULT_URL));
  const keyFile = profile?.keyFile ?? (env.KEYHEARTH_ROOT_KEY || DEFAULT_KEY_FILE);
  const key = await loadKey(await existing(keyFile, env, isInEnvironment || profile !== undefined));
  const organizationId = checkId(
    given.option("organization-id") ?? profile?.organizationId ?? key.organizationId,
    key.path,
  );
  const { signerPublicKey, quorumPublicKey } = { ...profile };
  const userId = [profile, key].find(
    (each) => each?.organizationId === organizationId && each.userId !== undefined,
  )?.userId;
  const client = newClient({ url, organizationId, key, quorumPublicKey }, asked);
  asked.url = url;
  asked.client = client;
  return {
    ...{ client, url, organizationId, userId, key, profile: profile?.name ?? null },
    ...{ signerPublicKey, quorumPublicKey, pinned: pinnedIn({ ...profile }) },
  };
}

/** A client that gives up soon: a person waits in front of it. */
export function newClient(
  {
    url,
    organizationId,
    key,
    quorumPublicKey,
  }: Pick<Connected, "url" | "organizationId" | "key" | "quorumPublicKey">,
  asked: Asked,
): KeyhearthClient {
  return new KeyhearthClient({
    baseUrl: url,
    organizationId,
    stamper: key.stamper,
    maxRetries: 2,
    fetch: async (...request) => {
      const response = await fetch(...request);
      asked.isAnswered = true;
      return response;
    },
    ...(quorumPublicKey !== undefined && { quorumPublicKey }),
  });
}

export function checkUrl(given: string): string {
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    throw new InputError(
      `the address of the service must be a URL such as ${DEFAULT_URL}, but is ${JSON.stringify(plain(given.slice(0, 200)))}`,
    );
  }
  const { protocol, username, password, search, hash } = url;
  if (username + password !== "") {
    throw new InputError(
      "the address of the service must have no user name and no password in it: a service knows you by your key",
    );
  }
  if (!/^https?:$/.test(protocol) || search + hash !== "") {
    throw new InputError(
      `the address of the service must begin with http:// or https:// and have no ? and no #, but is ${JSON.stringify(plain(given.slice(0, 200)))}`,
    );
  }
  return given.replace(/\/+$/, "");
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The organization, which the key file may not name. */
export function checkId(
  id: string | undefined,
  keyFile: string,
  option = "--organization-id",
): string {
  if (id === undefined) {
    throw new InputError(
      `${plain(keyFile)} does not name one organization: give its id with ${option} ID`,
    );
  }
  if (ID.test(id)) return id.toLowerCase();
  throw new InputError(
    `the id of an organization must be a UUID such as 5b2a9f04-64f9-4d4b-9d8e-3c5a0a9c1f11, but is ${JSON.stringify(plain(id.slice(0, 100)))}`,
  );
}

async function existing(keyFile: string, env: Surroundings["env"], isChosen: boolean) {
  try {
    return await findKeyFile(keyFile, env);
  } catch (error) {
    if (isChosen || !(error instanceof InputError)) throw error;
    throw new InputError(
      "no service is chosen: run `keyhearth init`, or set KEYHEARTH_URL and KEYHEARTH_ROOT_KEY, the path of a key file. In the folder where a service was started, neither is needed",
    );
  }
}
