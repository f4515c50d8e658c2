import type { Given, Surroundings } from "../command.ts";
import { DEFAULT_KEY_FILE, DEFAULT_URL } from "../connection/connect.ts";
import { checkedProfile } from "../connection/new-profile.ts";
import { checkName } from "../connection/own-folder.ts";
import { useProfile, writeProfile } from "../connection/profiles.ts";
import { InputError } from "../errors.ts";
import { columns, plain, type Report } from "../output.ts";
import { askText } from "../prompts.ts";

/** Connects to a service, and keeps it as the current profile. With a template, it also makes an app that runs. */
export async function init(given: Given, surroundings: Surroundings): Promise<Report> {
  const template = given.option("template");
  if (template === undefined) {
    if (given.option("directory") === undefined) return connect(given, surroundings);
    throw new InputError("--directory is where an app goes: add --template next, vite or server");
  }
  const { initTemplate } = await import("./init-template.ts");
  return initTemplate(given, surroundings, () => connect(given, surroundings));
}

async function connect(given: Given, surroundings: Surroundings): Promise<Report> {
  const { env } = surroundings;
  const answer = async (option: string, question: string, usual: string) =>
    given.option(option) ?? askText(surroundings, question, usual);
  const url = await answer("url", "Address of the service", env.KEYHEARTH_URL || DEFAULT_URL);
  const key = await answer("key", "Key file", env.KEYHEARTH_ROOT_KEY || DEFAULT_KEY_FILE);
  const name = await answer("name", "Name of the profile", "default");
  checkName(name, "the name of a profile");
  const organizationId = given.option("organization");
  const { profile, who } = await checkedProfile({ name, url, key, organizationId }, surroundings);
  await writeProfile(profile, env, { isReplaced: false });
  await useProfile(name, env);
  return {
    exitCode: 0,
    json: { profile, ...who },
    text: (paint) =>
      [
        `${paint("green", "connected")} to ${profile.url} as ${plain(who.username)}`,
        ...columns([
          [
            paint("dim", "organization"),
            `${plain(who.organizationName)} (${profile.organizationId})`,
          ],
          [paint("dim", "user"), `${plain(who.username)} (${plain(who.userId)})`],
          [paint("dim", "profile"), `${name}, the current one`],
        ]),
        "next: `keyhearth wallets create treasury --account ethereum`",
      ].join("\n"),
  };
}
