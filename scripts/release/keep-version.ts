// Keeps the site of the release that is checked out, below its name: `node scripts/release/keep-version.ts 0.1`.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packSite, SUFFIX } from "./site-archive.ts";

/** What only programs and search engines read, who take the current version. */
const leftOut = /^(llms(-full)?\.txt|sitemap\.xml)$|\.(map|LICENSE\.txt)$/;

const website = fileURLToPath(new URL("../../apps/website", import.meta.url));
const [, , version = ""] = process.argv;
if (!/^\d+\.\d+$/.test(version)) {
  process.stderr.write(`\`${version}\` must be the first two numbers of a release, such as 0.2\n`);
  process.exit(1);
}

const built = mkdtempSync(join(tmpdir(), "keyhearth-kept-"));
try {
  execFileSync("npm", ["run", "build", "--", "--locale", "en", "--out-dir", built], {
    cwd: website,
    stdio: "inherit",
    // The service writes its own address into what it serves.
    env: { ...process.env, KEYHEARTH_SITE_KEPT: version, KEYHEARTH_SITE_URL: "" },
  });
  const packed = packSite(built, (path) => !leftOut.test(path));
  mkdirSync(join(website, "versions"), { recursive: true });
  writeFileSync(join(website, "versions", `${version}${SUFFIX}`), packed);
  process.stdout.write(`The site of ${version} has ${packed.length} bytes\n`);
} finally {
  rmSync(built, { recursive: true, force: true });
}
