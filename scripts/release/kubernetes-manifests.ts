import { globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artefact } from "./artefact.ts";
import { tarOf, textEntry } from "./container/tar.ts";

const SECRETS = "apps/website/snippets/self-hosting/kubernetes-secrets.sh";

/** The manifests at the paths that the page names, and the script that makes their secrets. */
export const kubernetesManifests: Artefact = {
  name: "Kubernetes manifests",
  async write(directory, { root, version, epoch }) {
    const manifests = globSync("deploy/kubernetes/**/*.yaml", { cwd: root }).toSorted();
    const read = (path: string) => readFileSync(join(root, path), "utf8");
    const entries = [
      ...manifests.map((path) => textEntry(path, read(path))),
      textEntry("kubernetes-secrets.sh", read(SECRETS)),
    ];
    await writeFile(join(directory, `keyhearth-kubernetes-${version}.tar`), tarOf(entries, epoch));
  },
};
