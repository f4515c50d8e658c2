import { writeFile } from "node:fs/promises";
import project from "../../../../package.json" with { type: "json" };
import cryptoManifest from "../../../crypto/package.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };
import { codeOf, declarationsOf, entries } from "./entries.ts";

/** Writes the manifest of the published package, whose exports are what was built. */
export async function writeManifest(directory: string, imported: Set<string>): Promise<void> {
  const { name, version, description, license, keywords, type, sideEffects } = manifest;
  const { homepage, repository, bugs, funding } = project;
  const { peerDependencies, peerDependenciesMeta } = manifest;
  const exports = Object.fromEntries([
    ...entries.map(({ subpath, source }) => [
      subpath,
      { types: `./${declarationsOf(source)}`, default: `./${codeOf(source)}` },
    ]),
    ["./package.json", "./package.json"],
  ]);
  // The versions that our tests run with. The application installs the peers.
  const dependencies = Object.fromEntries(
    Object.entries(cryptoManifest.dependencies).filter(([dependency]) => imported.has(dependency)),
  );
  const published = {
    name,
    version,
    description,
    license,
    keywords,
    homepage,
    repository,
    bugs,
    funding,
    type,
    sideEffects,
    engines: { node: ">=20.18" },
    exports,
    dependencies,
    peerDependencies,
    peerDependenciesMeta,
  };
  await writeFile(`${directory}/package.json`, `${JSON.stringify(published, undefined, 2)}\n`);
}
