import type { VersionPages } from "@site/plugins/kept-versions/index.ts";

let asked: Promise<VersionPages[]> | undefined;

/** The pages of all versions, as the current one lists them. None if nothing can be asked. */
export function readVersions(): Promise<VersionPages[]> {
  asked ??= fetch("/versions.json")
    .then((answer) => (answer.ok ? answer.json() : []))
    .catch(() => []);
  return asked;
}
