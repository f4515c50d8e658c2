import type { Given, Surroundings } from "../command.ts";
import { useProfile } from "../connection/profiles.ts";
import type { Report } from "../output.ts";

/** Makes a profile the current one. */
export async function profileUse(given: Given, { env }: Surroundings): Promise<Report> {
  const name = given.word(0);
  await useProfile(name, env);
  return { exitCode: 0, json: { current: name }, text: () => `${name} is the current profile` };
}
