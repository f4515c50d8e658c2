import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import type { Contents } from "../bundle/contents.ts";
import type { Locked } from "../bundle/lock.ts";
import type { Context } from "./artefact.ts";
import { type BasePackage, basePackagesOf } from "./container/base.ts";
import { readJson, readManifest } from "./manifest.ts";

const FOLDER = /^((?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/**
 * Writes the bill of materials of the package `keyhearth`: the packages whose code is in its bundles, those that npm
 * installs beside them, and what the images take from Debian. It is read from the tarball, and has neither a serial
 * number nor a time, so that it can be built again.
 */
export async function writeBillOfMaterials(directory: string, context: Context): Promise<void> {
  const { root, version } = context;
  const tarball = join(directory, `keyhearth-${version}.tgz`);
  const lock: Locked = readJson(join(root, "package-lock.json")).packages;
  const read = (file: string) => readPacked(tarball, file);
  const components = new Map<string, Models.Component>();
  const add = (name: string, entry: Entry, scope: Enums.ComponentScope) => {
    const component = componentOf(name, entry, scope);
    if (!components.has(component.purl ?? "")) components.set(component.purl ?? "", component);
  };

  for (const bundle of ["service", "signer", "cli", "cli/emulator"]) {
    const contents: Contents = await read(`${bundle}/contents.json`);
    const modules = Object.values(contents).flatMap((file) => Object.keys(file.modules));
    for (const module of modules) {
      const [, place = "", name = ""] = FOLDER.exec(module) ?? [];
      const entry = lock[place];
      if (name !== "" && entry) add(name, entry, Enums.ComponentScope.Required);
    }
  }
  const { "": _, ...installed } = (await read("npm-shrinkwrap.json")).packages as Locked;
  for (const [place, entry] of Object.entries(installed)) {
    const { Optional, Required } = Enums.ComponentScope;
    add(
      entry.name ?? place.split("node_modules/").at(-1) ?? "",
      entry,
      entry.optional ? Optional : Required,
    );
  }

  for (const each of basePackagesOf(root)) components.set(each.name, componentOfBase(each));
  const own = componentOf("keyhearth", { version, license: readManifest(root).license }, undefined);
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: own }),
    components: new Models.ComponentRepository(components.values()),
  });
  const serializer = new Serialize.JsonSerializer(
    new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6),
  );
  const text = serializer.serialize(bom, { sortLists: true, space: 2 });
  await writeFile(join(directory, `keyhearth-${version}.cdx.json`), `${text}\n`);
}

type Entry = { version: string; license?: unknown; integrity?: unknown };

function componentOf(
  full: string,
  { version, license, integrity }: Entry,
  scope: Enums.ComponentScope | undefined,
): Models.Component {
  const [, group, name = full] = /^(@[^/]+)\/(.+)$/.exec(full) ?? [];
  const purl = `pkg:npm/${group ? `${encodeURIComponent(group)}/` : ""}${name}@${version}`;
  const component = new Models.Component(
    scope ? Enums.ComponentType.Library : Enums.ComponentType.Application,
    name,
    { group, version, scope, purl, bomRef: purl },
  );
  if (typeof license === "string") component.licenses.add(new Models.LicenseExpression(license));
  const [, digest] = /^sha512-(.+)$/.exec(String(integrity)) ?? [];
  if (digest) {
    const hex = Buffer.from(digest, "base64").toString("hex");
    component.hashes.set(Enums.HashAlgorithm["SHA-512"], hex);
  }
  return component;
}

function componentOfBase({ name, version, sha256, license }: BasePackage): Models.Component {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=amd64`;
  const component = new Models.Component(Enums.ComponentType.Library, name, {
    version,
    scope: Enums.ComponentScope.Optional,
    purl,
    bomRef: purl,
  });
  component.licenses.add(new Models.LicenseExpression(license));
  component.hashes.set(Enums.HashAlgorithm["SHA-256"], sha256);
  return component;
}

async function readPacked(tarball: string, file: string) {
  const args = ["-xzOf", tarball, `package/${file}`];
  const { stdout } = await promisify(execFile)("tar", args, { maxBuffer: 16 * 1024 * 1024 });
  return JSON.parse(stdout);
}
