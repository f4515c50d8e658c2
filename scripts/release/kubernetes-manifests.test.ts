import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { kubernetesManifests } from "./kubernetes-manifests.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("what the page unpacks has every path that the page and its script name", async () => {
  const directory = mkdtempSync(join(tmpdir(), "keyhearth-manifests-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const context = { root, version: "9.8.7", commit: "", epoch: 1_700_000_000 };
  await kubernetesManifests.write(directory, context);
  const archive = join(directory, "keyhearth-kubernetes-9.8.7.tar");
  const unpacked = join(directory, "unpacked");
  mkdirSync(unpacked);
  const { status, stderr } = spawnSync("tar", ["-xf", archive], { cwd: unpacked });
  expect([status, stderr.toString()]).toEqual([0, ""]);

  const read = (path: string) => readFileSync(join(unpacked, path), "utf8");
  const page = readFileSync(join(root, "apps/website/docs/self-hosting/kubernetes.mdx"), "utf8");
  const script = read("kubernetes-secrets.sh");
  const applied = /^kubectl apply --(filename|kustomize) (\S+)$/gm;
  const named = [...`${page}\n${script}`.matchAll(applied)].map(([, kind, path = ""]) =>
    kind === "kustomize" ? `${path}/kustomization.yaml` : path,
  );
  expect(named.length).toBeGreaterThan(3);
  for (const path of named) expect(read(path)).toBe(readFileSync(join(root, path), "utf8"));

  const first = readFileSync(archive);
  await kubernetesManifests.write(directory, context);
  expect(readFileSync(archive).equals(first)).toBe(true);
});
