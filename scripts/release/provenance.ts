import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Context } from "./artefact.ts";

/**
 * Writes what somebody needs to build the same bytes, and where a public build adds its statement. The statement itself
 * names who built it and when, so it is beside the release and not in it.
 */
export async function writeProvenance(
  directory: string,
  { root, version, commit, epoch }: Context,
): Promise<void> {
  const { stdout: npm } = await promisify(execFile)("npm", ["--version"], { cwd: root });
  const text = `# Where Keyhearth ${version} comes from

- Commit: ${commit}, of ${new Date(epoch * 1000).toISOString()}
- Node.js ${process.versions.node}, npm ${npm.trim()}, and the packages of package-lock.json
- For the images of containers, the packages of Debian in scripts/release/container/base.json

To build the same bytes, check out the commit, run \`npm run release\` with this version of npm, and compare
\`dist/release/SHA256SUMS\`.

A public build signs a statement about these files, for example with \`npm publish --provenance\` or
\`actions/attest-build-provenance\`. \`npm audit signatures\` and \`gh attestation verify\` check it.
`;
  await writeFile(join(directory, "PROVENANCE.md"), text);
}
