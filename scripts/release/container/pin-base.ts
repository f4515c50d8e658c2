// Pins the current packages of Debian that the images are built on: `node scripts/release/container/pin-base.ts`.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { digestOf } from "../checksums.ts";
import { type BasePackage, basePackagesOf, downloadPackage } from "./base.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

function currentOf({ name, license }: BasePackage): BasePackage {
  const folder = mkdtempSync(join(tmpdir(), "keyhearth-base-"));
  try {
    const file = downloadPackage(`${name}:amd64`, folder);
    if (file === null) throw new Error(`apt-get does not find ${name}: run apt-get update`);
    const field = execFileSync("dpkg-deb", ["--field", file, "Version"], { encoding: "utf8" });
    return { name, version: field.trim(), sha256: digestOf(file), license };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const current = basePackagesOf(root).map(currentOf);
const path = join(root, "scripts/release/container/base.json");
writeFileSync(path, `${JSON.stringify(current, null, 2)}\n`);
process.stdout.write(current.map(({ name, version }) => `${name} ${version}\n`).join(""));
