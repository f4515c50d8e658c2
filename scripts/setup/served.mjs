// Builds what the service serves, the site, the frames, the dashboard and the packages, when one of their inputs has changed since the last build.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readManifest, sameContent, scan, writeManifest } from "./inputs.mjs";
import { findNpm } from "./npm.mjs";
import { SetupError } from "./run.mjs";

const website = "apps/website";

/**
 * @typedef {object} Built
 * @property {string} label
 * @property {string} manifest where it is kept what it was built from
 * @property {string} home without this file, the repository does not have it
 * @property {string[]} inputs
 * @property {string[]} variables
 * @property {string[]} outputs
 * @property {string[]} command what npm runs
 * @property {(output: string) => string} explain what to do if it fails
 */

/** Everything that pages are built from. The lock file determines the version of the builder. */
export const siteInputs = [
  website,
  "contract",
  "deploy",
  "packages/sdk",
  "packages/policy",
  "packages/search",
  "packages/crypto",
  "examples",
  "scripts/page-history.ts",
  "scripts/changelog",
  "scripts/release/site-archive.ts",
  "changelog",
  "CHANGELOG.md",
  "package-lock.json",
];

/** @type {Built} */
const site = {
  label: "Build the site",
  manifest: ".cache/keyhearth/website.json",
  home: `${website}/package.json`,
  inputs: siteInputs,
  // The address is for hosts of plain files: the service writes its own into the pages that it serves.
  variables: [
    "KEYHEARTH_SITE_URL",
    "KEYHEARTH_SITE_API_URL",
    "KEYHEARTH_SITE_SECURITY_CONTACT",
    "KEYHEARTH_SITE_SECURITY_KEY",
    "KEYHEARTH_SITE_SECURITY_RESPONSE_DAYS",
    "ALGOLIA_APP_ID",
    "ALGOLIA_SEARCH_KEY",
    "ALGOLIA_INDEX",
  ],
  // One page of each language. A build of a single language, made by hand, is not the whole site.
  outputs: [`${website}/build/index.html`, `${website}/build/es/index.html`],
  command: ["run", "build", "--workspace", website],
  explain: explainSite,
};

/** @type {Built} */
const frames = {
  label: "Build the frames",
  manifest: ".cache/keyhearth/frames.json",
  home: "apps/frames/package.json",
  inputs: ["apps/frames", "packages/crypto", "scripts/bundle/notices.ts", "package-lock.json"],
  variables: [],
  outputs: ["dist/frames/auth.html"],
  command: ["run", "build", "--workspace", "apps/frames"],
  explain: () =>
    "The frames could not be built: the output above says why; fix it and run the command again",
};

/** @type {Built} */
const dashboard = {
  label: "Build the dashboard",
  manifest: ".cache/keyhearth/dashboard.json",
  home: "apps/dashboard/package.json",
  inputs: [
    "apps/dashboard",
    "apps/website/src/css",
    "apps/website/static/img",
    "packages/sdk",
    "packages/policy",
    "packages/crypto",
    "scripts/bundle/notices.ts",
    "package-lock.json",
  ],
  variables: [],
  outputs: ["dist/dashboard/index.html"],
  command: ["run", "build", "--workspace", "apps/dashboard"],
  explain: () =>
    "The dashboard could not be built: the output above says why; fix it and run the command again",
};

/** @type {Built} */
const packages = {
  label: "Pack the SDK, the command line and the programs",
  manifest: ".cache/keyhearth/packages.json",
  home: "packages/cli/package.json",
  inputs: [
    "packages/sdk",
    "packages/cli",
    "packages/policy",
    "packages/crypto",
    // The emulator of the command line is the API.
    ...["api", "courier", "dashboard", "frames", "signer"].map((name) => `apps/${name}`),
    ...["engine", "outbound"].map((name) => `packages/${name}`),
    "contract",
    "apps/website/snippets",
    "examples",
    "scripts/bundle",
    "scripts/release",
    "package.json",
    "package-lock.json",
  ],
  variables: [],
  outputs: ["dist/packages/packages.json"],
  command: ["run", "packages"],
  explain: () =>
    "The SDK, the command line and the programs could not be packed: the output above says why; fix it and run the command again",
};

/** @param {string} root */
export async function buildWhatIsServed(root) {
  for (const each of [site, frames, dashboard, packages]) await buildIfChanged(root, each);
}

/** @param {string} root @param {Built} built */
async function buildIfChanged(
  root,
  { label, manifest, home, inputs, variables, outputs, command, explain },
) {
  if (!existsSync(join(root, home))) return;
  const built = readManifest(root, manifest);
  const current = scan(root, { inputs, variables, known: built });
  const isWhole = outputs.every((output) => existsSync(join(root, output)));
  if (isWhole && sameContent(built, current)) {
    if (JSON.stringify(built) !== JSON.stringify(current)) writeManifest(root, manifest, current);
    return;
  }

  // An interrupted build must not look finished.
  rmSync(join(root, manifest), { force: true });
  const { code, output } = await findNpm(root).run(label, command);
  if (code !== 0) throw new SetupError(explain(output), output);
  writeManifest(root, manifest, current);
}

/** @param {string} output */
function explainSite(output) {
  if (/ENOSPC/.test(output)) return "The disk is full: free some space and run the command again";
  if (/heap out of memory|SIGKILL/.test(output)) {
    return "The site needs about 2 GB of free memory to build: close something and run the command again";
  }
  return "The site could not be built: the output above names the page or file; fix it and run the command again";
}
