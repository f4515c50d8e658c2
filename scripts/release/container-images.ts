import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import type { Artefact, Context } from "./artefact.ts";
import { type Configuration, type Layer, makeLayer, writeArchive } from "./container/archive.ts";
import { downloadBase } from "./container/base.ts";
import { type Image, images } from "./container/images.ts";
import { baseEntries, programEntries } from "./container/layers.ts";
import { users } from "./container/users.ts";
import { hasDpkg } from "./debian.ts";
import { describeProject, readManifest } from "./manifest.ts";
import { writeProgramTree } from "./program-tree.ts";
import { Refusal } from "./publishing.ts";

/** The images of containers, each an archive that `docker load`, `podman load` and `ctr images import` read. */
export const containerImages: Artefact = {
  name: "container images",
  write: (directory, context) => writeImages(images, directory, context),
};

/** Writes images and returns their paths. The same sources give the same bytes, in any folder. */
export async function writeImages(
  chosen: readonly Image[],
  directory: string,
  context: Context,
): Promise<string[]> {
  if (!hasDpkg()) throw new Refusal("the images need dpkg-deb: run apt-get install dpkg");
  await mkdir(directory, { recursive: true });
  const folder = await mkdtemp(join(tmpdir(), "keyhearth-image-"));
  try {
    const files = join(folder, "base");
    await mkdir(files);
    for (const each of downloadBase(context.root)) {
      await promisify(execFile)("dpkg-deb", ["--extract", each, files]);
    }
    const entries = baseEntries(files);
    const base = await makeLayer(entries, context.epoch);
    const paths: string[] = [];
    for (const image of chosen) {
      paths.push(await writeImage(image, { folder, base, directory, context }));
    }
    return paths;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What containers and manifests call an image. */
export function referenceOf(name: string, version: string): string {
  // No registry has names of this host, so a missing image is not looked for elsewhere.
  return `localhost/${name}:${version}`;
}

type Work = { folder: string; base: Layer; directory: string; context: Context };

async function writeImage(
  image: Image,
  { folder, base, directory, context }: Work,
): Promise<string> {
  const { root, version, epoch } = context;
  const tree = join(folder, image.name);
  await writeProgramTree(image, tree, root);
  await writeLaunchers(image, tree, context);
  const layers = [base, await makeLayer(programEntries(tree, image), epoch)];
  const path = join(directory, `${image.name}-${version}-oci.tar`);
  const configuration = configurationOf(image, context);
  const reference = referenceOf(image.name, version);
  await writeArchive(path, { reference, layers, configuration, epoch });
  return path;
}

function configurationOf(image: Image, context: Context): Configuration {
  const { user, initial, environment, port, states } = image;
  const id = users[user];
  return {
    created: new Date(context.epoch * 1000).toISOString(),
    config: {
      User: `${id}:${id}`,
      ...(port && { ExposedPorts: { [`${port}/tcp`]: {} } }),
      Env: Object.entries({ PATH: "/usr/bin", ...environment }).map((pair) => pair.join("=")),
      Entrypoint: ["/usr/bin/keyhearth"],
      Cmd: [initial],
      Volumes: Object.fromEntries(states.map((each) => [`/var/lib/${each}`, {}])),
      WorkingDir: "/",
      Labels: labelsOf(image, context),
      StopSignal: "SIGTERM",
    },
  };
}

function labelsOf({ name, description }: Image, { root, version, commit }: Context) {
  const { homepage } = describeProject(root);
  const labels = {
    title: name,
    description,
    url: homepage,
    source: String(homepage).replace(/#.*$/, ""),
    version,
    revision: commit,
    licenses: readManifest(root).license,
    vendor: "The Keyhearth authors",
  };
  const pairs = Object.entries(labels).map(([label, text]) => [
    `org.opencontainers.image.${label}`,
    String(text),
  ]);
  return Object.fromEntries(pairs);
}

/** `keyhearth` and `keyhearth-ready`, on the Node.js of the image. */
async function writeLaunchers({ name, commands }: Image, tree: string, context: Context) {
  const { root, version } = context;
  const library = `/usr/lib/${name}`;
  await build({
    absWorkingDir: root,
    entryPoints: ["launch", "ready"].map(
      (each) => `scripts/release/container/launcher/${each}.mjs`,
    ),
    outdir: join(tree, library),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    logLevel: "warning",
  });
  const image = JSON.stringify({ library, commands, version });
  const launchers = {
    keyhearth: `import("${library}/launch.mjs").then(({ launch }) => launch(${image}));`,
    "keyhearth-ready": `import("${library}/ready.mjs");`,
  };
  await mkdir(join(tree, "usr/bin"), { recursive: true });
  for (const [file, text] of Object.entries(launchers)) {
    const path = join(tree, "usr/bin", file);
    await writeFile(path, `#!${library}/bin/node\n${text}\n`);
    await chmod(path, 0o755);
  }
}
