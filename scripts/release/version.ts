// Sets the version of everything at once: `node scripts/release/version.ts 0.2.0`.

import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The manifests that have the version of the product, by their path in the repository. */
export function manifestsOf(root: string): string[] {
  return ["package.json", ...globSync("{packages,apps}/*/package.json", { cwd: root })].toSorted();
}

/** What an operator deploys, with the version in it as text. */
export const deployed = [
  "apps/website/docs/self-hosting/docker-compose.mdx",
  "apps/website/docs/self-hosting/kubernetes.mdx",
  "apps/website/snippets/self-hosting/compose.env",
  "deploy/kubernetes/base/kustomization.yaml",
  "deploy/kubernetes/signer-command.yaml",
];

/** Texts that name files of the release, such as `keyhearth-sdk-0.2.0.tgz`. */
export function textsOf(root: string): string[] {
  const texts = [
    "{README.md,{packages,examples}/*/README.md,scripts/release/package-readme.md,apps/website/snippets/install.sh}",
    "apps/website/docs/{_partials,getting-started,sdks,self-hosting}/*.mdx",
    "apps/website/i18n/es/docusaurus-plugin-content-docs/current/{_partials,getting-started,sdks,self-hosting}/*.mdx",
  ];
  return globSync(texts, { cwd: root }).toSorted();
}

/** The programs of the examples, which install the SDK of the release. */
export function examplesOf(root: string): string[] {
  return globSync("examples/*/package.json", { cwd: root }).toSorted();
}

/** A file of a release in a text: its name, and its version. */
export const RELEASED = /(\bkeyhearth(?:-[a-z]+)?[-_])(\d+\.\d+\.\d+)(?=\.tgz|_)/g;

/** Sets the version in every manifest, and where one names another. The contract is generated from them. */
export function setVersion(root: string, version: string): void {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`\`${version}\` must be like \`0.2.0\``);
  const { version: current } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const path of deployed) {
    const file = join(root, path);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(current, version));
  }
  for (const path of textsOf(root)) {
    const file = join(root, path);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(RELEASED, `$1${version}`));
  }
  for (const path of [...manifestsOf(root), ...examplesOf(root)]) {
    const file = join(root, path);
    writeFileSync(file, withVersion(readFileSync(file, "utf8"), version));
  }
  const lock = join(root, "package-lock.json");
  writeFileSync(lock, withLockedVersion(readFileSync(lock, "utf8"), version));
}

function withVersion(manifest: string, version: string): string {
  return manifest
    .replace(/^( {2}"version": )"[^"]+"/m, `$1"${version}"`)
    .replace(/^( {4}"@keyhearth\/[a-z]+": )"[^"]+"/gm, `$1"${version}"`);
}

function withLockedVersion(text: string, version: string): string {
  const lock = JSON.parse(text);
  lock.version = version;
  for (const [path, entry] of Object.entries<Entry>(lock.packages)) {
    if (path !== "" && !/^(packages|apps)\/[^/]+$/.test(path)) continue;
    entry.version = version;
    for (const named of [entry.dependencies, entry.devDependencies]) {
      for (const name of Object.keys(named ?? {})) {
        if (named && name.startsWith("@keyhearth/")) named[name] = version;
      }
    }
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
}

type Entry = {
  version: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};

if (import.meta.main) {
  const [, , version = ""] = process.argv;
  const root = fileURLToPath(new URL("../..", import.meta.url));
  setVersion(root, version);
  execFileSync(process.execPath, ["scripts/generate.ts"], { cwd: root, stdio: "inherit" });
  process.stdout.write(
    `Every manifest and the contract say ${version}. The changelog follows: node scripts/changelog.ts --release=${version}\n`,
  );
}
