import type { Given, Surroundings } from "../command.ts";
import { removeProfile } from "../connection/profiles.ts";
import type { Report } from "../output.ts";

/** Forgets a profile. The key may be in use elsewhere, so its file stays. */
export async function profileRemove(given: Given, { env }: Surroundings): Promise<Report> {
  const name = given.word(0);
  await removeProfile(name, env);
  return {
    exitCode: 0,
    json: { removed: name },
    text: () => `removed the profile ${name}. Its key file is where it was`,
  };
}
