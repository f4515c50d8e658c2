import type { Surroundings } from "../command.ts";
import { listProfiles, readProfile } from "../connection/profiles.ts";
import { columns, plain, type Report } from "../output.ts";

/** The profiles, with a star at the current one. */
export async function profileList({ env }: Surroundings): Promise<Report> {
  const { names, current } = await listProfiles(env);
  const profiles = await Promise.all(names.map((name) => readProfile(name, env)));
  return {
    exitCode: 0,
    json: { current, profiles },
    text: (paint) => {
      if (profiles.length === 0) return "there is no profile: make one with `keyhearth init`";
      const head = ["", "PROFILE", "SERVICE", "ORGANIZATION", "KEY FILE"];
      const rows = profiles.map(({ name, url, organizationId, keyFile }) => [
        name === current ? "*" : "",
        ...[name, plain(url), plain(organizationId), plain(keyFile)],
      ]);
      return columns([head.map((cell) => paint("dim", cell)), ...rows]).join("\n");
    },
  };
}
