import { Unverified } from "@keyhearth/sdk";
import type { Surroundings } from "../command.ts";
import { checkId, checkUrl, DEFAULT_URL, newClient } from "./connect.ts";
import { absolute, findKeyFile, loadKey } from "./key-files.ts";
import { listProfiles, type Profile, pinnedIn, readProfile } from "./profiles.ts";
import { readServiceFacts } from "./service-facts.ts";

type Asked = {
  readonly name: string;
  /** Without one, that of the environment or of the current profile. */
  readonly url: string | undefined;
  readonly key: string;
  readonly organizationId: string | undefined;
};

/** The profile for a service and a key, without asking the service. */
export async function offlineProfile(
  { name, url, key, organizationId }: Asked,
  { env, asked }: Surroundings,
): Promise<{ profile: Profile; key: Awaited<ReturnType<typeof loadKey>> }> {
  const { current } = await listProfiles(env);
  const before = current === null ? undefined : await readProfile(current, env);
  const address = checkUrl(url ?? (env.KEYHEARTH_URL || before?.url || DEFAULT_URL));
  asked.url = address;
  const keyFile = absolute(await findKeyFile(key, env));
  const loaded = await loadKey(keyFile);
  // A key of a file without an organization is mostly one for the organization at hand. The service checks it.
  const known = organizationId ?? loaded.organizationId ?? before?.organizationId;
  const id = checkId(known, keyFile, "--organization");
  return { profile: { name, url: address, organizationId: id, keyFile }, key: loaded };
}

/** The profile with the public keys that the service shows, after the service has said who the key belongs to. */
export async function checkedProfile(wanted: Asked, surroundings: Surroundings) {
  const { profile, key } = await offlineProfile(wanted, surroundings);
  const pinned = pinnedIn(await readServiceFacts(profile.url));
  const client = newClient(
    { ...profile, key, quorumPublicKey: pinned.quorumPublicKey },
    surroundings.asked,
  );
  const { organizationId, organizationName, userId, username } = await client.whoami();
  // The key of a parent may ask in a sub-organization, where it is no user.
  const isMember = organizationId === profile.organizationId;
  const isNamed = key.userId !== undefined && key.organizationId === profile.organizationId;
  if (isNamed && (!isMember || key.userId !== userId)) {
    throw new Unverified(
      `the service says that the key in ${profile.keyFile} is of another user than the file names, so no profile was made: check the address of the service`,
      { code: "UNVERIFIED" },
    );
  }
  return {
    profile: { ...profile, ...(isMember && { userId }), ...pinned },
    who: { organizationName, userId, username },
  };
}
