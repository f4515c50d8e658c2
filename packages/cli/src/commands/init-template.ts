import { relative, resolve } from "node:path";
import type { Given, Surroundings } from "../command.ts";
import { download } from "../connection/download.ts";
import { absolute } from "../connection/key-files.ts";
import { shellWord } from "../connection/own-folder.ts";
import { listProfiles, readProfile, showsPinned } from "../connection/profiles.ts";
import { readServiceFacts } from "../connection/service-facts.ts";
import { InputError } from "../errors.ts";
import { plain, type Report } from "../output.ts";
import { filesOf, TEMPLATES, templates, writeNewFiles } from "../templates.ts";
import { assertMayOffer, assertOfRelease } from "../templates-origin.ts";

/** Connects if there is no profile yet, and makes the app of a template. */
export async function initTemplate(
  given: Given,
  surroundings: Surroundings,
  connect: () => Promise<Report>,
): Promise<Report> {
  const { asked } = surroundings;
  const name = given.choice("template", TEMPLATES);
  const template = templates[name];
  const folder = resolve(given.option("directory") ?? template.folder);
  const { report, profile } = await connected(given, surroundings, connect);
  asked.url = profile.url;
  const facts = await readServiceFacts(profile.url);
  if (!showsPinned(facts, profile)) {
    throw new InputError(
      `the service shows other keys than the profile ${profile.name} has pinned, so nothing was made: ask your operator what has changed`,
    );
  }
  const { url, organizationId } = profile;
  assertMayOffer(url);
  const archive = await download(url, "/packages/keyhearth-programs.tgz");
  assertOfRelease(archive, url);
  const keyFile = absolute(profile.keyFile);
  // The app believes every login that this key vouches for.
  const { sessionPublicKey = facts.sessionPublicKey, quorumPublicKey } = profile;
  const isUnpinned = name !== "server" && profile.sessionPublicKey === undefined;
  const files = await filesOf(archive, name, {
    ...{ url, organizationId, keyFile, sessionPublicKey },
    ...(quorumPublicKey !== undefined && { quorumPublicKey }),
  });
  await writeNewFiles(folder, files);
  const address = template.address(template.port);
  const shown = relative(process.cwd(), folder) || ".";
  const inFolder = shown === "." ? "" : `cd ${shellWord(shown)} && `;
  return {
    exitCode: 0,
    json: {
      ...Object(report?.json ?? { profile }),
      app: { template: name, folder, address, isSessionKeyPinned: !isUnpinned },
    },
    text: (paint) =>
      [
        ...(report ? report.text(paint).split("\n").slice(0, -1) : []),
        `${paint("green", "made")} ${name} in ${plain(shown)}: ${files.size} files`,
        ...(isUnpinned
          ? [
              `the session key in .env is the service's word, because the profile ${profile.name} has none: compare it with your operator's, or make the profile again with \`keyhearth profile remove ${profile.name}\` and \`keyhearth init\``,
            ]
          : []),
        "next:",
        `  ${inFolder}npm install`,
        "  npm run dev",
        `then open ${address}`,
      ].join("\n"),
  };
}

/** A profile that is there is used, unless the command line says what a new one is to be. */
async function connected(given: Given, { env }: Surroundings, connect: () => Promise<Report>) {
  const name = given.option("name") ?? "default";
  const isNew = ["url", "key", "organization"].some((each) => given.option(each) !== undefined);
  const { names } = await listProfiles(env);
  if (names.includes(name) && !isNew)
    return { report: null, profile: await readProfile(name, env) };
  const report = await connect();
  return { report, profile: await readProfile(name, env) };
}
