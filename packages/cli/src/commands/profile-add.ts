import type { Given, Surroundings } from "../command.ts";
import { DEFAULT_KEY_FILE } from "../connection/connect.ts";
import { checkedProfile, offlineProfile } from "../connection/new-profile.ts";
import { checkName } from "../connection/own-folder.ts";
import { listProfiles, useProfile, writeProfile } from "../connection/profiles.ts";
import { plain, type Report } from "../output.ts";

/** Keeps a service and a key under a name. */
export async function profileAdd(given: Given, surroundings: Surroundings): Promise<Report> {
  const { env } = surroundings;
  const name = checkName(given.word(0), "the name of a profile");
  const wanted = {
    name,
    url: given.option("url"),
    key: given.option("key") ?? (env.KEYHEARTH_ROOT_KEY || DEFAULT_KEY_FILE),
    organizationId: given.option("organization"),
  };
  const { profile, who } = given.has("offline")
    ? { ...(await offlineProfile(wanted, surroundings)), who: undefined }
    : await checkedProfile(wanted, surroundings);
  await writeProfile(profile, env, { isReplaced: false });
  const { current } = await listProfiles(env);
  const isCurrent = current === null;
  if (isCurrent) await useProfile(name, env);
  const as = who ? ` as ${plain(who.username)} in ${plain(who.organizationName)}` : "";
  return {
    exitCode: 0,
    json: { profile, isCurrent, ...who },
    text: () =>
      `added ${name}: ${profile.url}${as}${isCurrent ? ". It is the current profile" : `. Use it with \`keyhearth profile use ${name}\``}`,
  };
}
