import { lstatSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { membersOf } from "./connection/members.ts";
import type { Profile } from "./connection/profiles.ts";
import { InputError } from "./errors.ts";
import { plain } from "./output.ts";

// The sample apps of the pages as apps of the caller's own. Their sources are in the archive of programs that each service
// offers, with the SDK that fits it, so that this command has no second copy of them.

export const TEMPLATES = ["next", "vite", "server"] as const;

export type TemplateName = (typeof TEMPLATES)[number];

export type Template = {
  /** Its folder in the archive. */
  readonly from: string;
  /** Where it goes, if nothing else is given. */
  readonly folder: string;
  readonly port: number;
  readonly address: (port: number) => string;
  /** What it reads of its environment beside the port. */
  readonly env: (facts: Facts) => Record<string, string>;
};

/** What an app has to know. None of it is secret. */
export type Facts = Pick<Profile, "url" | "organizationId" | "keyFile"> & {
  readonly sessionPublicKey: string;
  readonly quorumPublicKey?: string;
};

/** Passkeys belong to a name, and not to an address. */
const named = ({ url }: Facts) => url.replace("://127.0.0.1", "://localhost");

/** With it, an app believes no answer that the signer has not stated. A key that nobody pinned would prove nothing. */
const pinned = (name: string, { quorumPublicKey }: Facts): Record<string, string> =>
  quorumPublicKey === undefined ? {} : { [name]: quorumPublicKey };

export const templates: Readonly<Record<TemplateName, Template>> = {
  next: {
    from: "apps/website/snippets/next-wallet/",
    folder: "next-wallet",
    port: 4200,
    address: (port) => `http://localhost:${port}`,
    env: (facts) => ({
      NEXT_PUBLIC_KEYHEARTH_URL: named(facts),
      NEXT_PUBLIC_ORGANIZATION_ID: facts.organizationId,
      NEXT_PUBLIC_SESSION_PUBLIC_KEY: facts.sessionPublicKey,
      ...pinned("NEXT_PUBLIC_QUORUM_PUBLIC_KEY", facts),
      KEYHEARTH_ROOT_KEY: facts.keyFile,
    }),
  },
  vite: {
    from: "examples/passkey-wallet/",
    folder: "passkey-wallet",
    port: 4100,
    address: (port) => `http://localhost:${port}`,
    env: (facts) => ({
      KEYHEARTH_URL: named(facts),
      KEYHEARTH_ROOT_KEY: facts.keyFile,
      KEYHEARTH_SESSION_PUBLIC_KEY: facts.sessionPublicKey,
      ...pinned("KEYHEARTH_QUORUM_PUBLIC_KEY", facts),
    }),
  },
  server: {
    from: "examples/server-signer/",
    folder: "server-signer",
    port: 4000,
    address: (port) => `http://127.0.0.1:${port}/payouts`,
    env: (facts) => ({
      ...{ KEYHEARTH_URL: facts.url, KEYHEARTH_ROOT_KEY: facts.keyFile },
      ...pinned("QUORUM_PUBLIC_KEY", facts),
    }),
  },
};

/** The folder of the archive, and the file in it that has the SDK. */
const ARCHIVE = "keyhearth-programs/";
const SDK = "keyhearth-sdk.tgz";

type Files = Map<string, Uint8Array>;

/** The files of an app, by their paths in its folder. */
export async function filesOf(
  archive: Uint8Array,
  name: TemplateName,
  facts: Facts,
): Promise<Files> {
  const { from, env, port } = templates[name];
  const entries = await unpackTar(unpacked(archive)).catch((cause: unknown) => {
    throw unusable("it is not a tar archive", { cause });
  });
  const files: Files = new Map();
  for (const { header, data } of entries) {
    if (header.type !== "file" || data === undefined) continue;
    const path = pathIn(header.name, from);
    if (path !== undefined) files.set(path, data);
    if (header.name === ARCHIVE + SDK) files.set(SDK, data);
  }
  const manifest = files.get("package.json");
  if (!manifest || !files.has(SDK)) throw unusable(`it lacks the app ${name} or its SDK`);
  const values = { ...env(facts), PORT: String(port) };
  files.set("package.json", manifestOf(manifest));
  files.set(".env", Buffer.from(envText(values)));
  files.set(".gitignore", Buffer.from(IGNORED));
  return files;
}

const IGNORED = [".env", "node_modules/", "data/", "dist/", ".next/", ""].join("\n");

function unpacked(archive: Uint8Array): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(gunzipSync(archive, { maxOutputLength: 128 * 1024 * 1024 }));
  } catch (cause) {
    throw unusable("it is not compressed by gzip", { cause });
  }
}

/** A name of the archive as a path below the app's folder. A name that leads elsewhere is refused, and not skipped. */
function pathIn(name: string, from: string): string | undefined {
  const before = ARCHIVE + from;
  if (!name.startsWith(before)) return undefined;
  const path = name.slice(before.length);
  const parts = path.split("/");
  if (parts.every((part) => /^[\w@[\]-][\w.@[\]-]*$/.test(part))) return path;
  throw unusable(`it has the path ${plain(name)}`);
}

function unusable(why: string, options?: ErrorOptions): InputError {
  return new InputError(
    `the archive of programs that the service offers cannot be used, because ${why}: check the address of the service, and whether its release is that of this command`,
    {},
    options,
  );
}

/** The app's own manifest, with the SDK beside it, and with programs that read the file `.env`. */
function manifestOf(bytes: Uint8Array): Uint8Array {
  const manifest = membersOf(Buffer.from(bytes).toString("utf8"));
  if (!manifest) throw unusable("a package.json of it is not JSON");
  const { dependencies, scripts } = manifest;
  const read = Object.entries(Object(scripts)).map(([name, line]) => {
    return [name, String(line).replace(/\bnode (?=\S+\.ts\b)/g, "node --env-file=.env ")];
  });
  const own: Record<string, string> = Object.fromEntries(read);
  const { start } = own;
  // A server that builds its pages is what a person wants to see first. What renews pages keeps a name.
  const dev =
    start?.includes("--env-file") && own.dev !== start
      ? { dev: start, ...(own.dev !== undefined && { pages: own.dev }) }
      : {};
  const all = { ...Object(dependencies), "@keyhearth/sdk": `file:${SDK}` };
  const changed = { ...manifest, scripts: { ...own, ...dev }, dependencies: all };
  return Buffer.from(`${JSON.stringify(changed, null, 2)}\n`);
}

/** As Node.js, Vite and Next.js read it. Single quotes keep whatever a path has. */
function envText(values: Record<string, string>): string {
  const lines = Object.entries(values).map(([name, value]) => {
    if (/['\n\r]/.test(value)) {
      throw new InputError(
        `${plain(value)} cannot be written into the file .env, because of its quotes or lines: move the key file`,
      );
    }
    return `${name}='${value}'`;
  });
  return `${lines.join("\n")}\n`;
}

/** Writes files below a folder. Before the first, it makes sure that none of them is there. */
export async function writeNewFiles(folder: string, files: Files): Promise<void> {
  const paths = [...files.keys()].map((path) => join(folder, path));
  const taken = paths.find((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (taken !== undefined) throw isThere(taken);
  for (const [path, bytes] of files) {
    const target = join(folder, path);
    try {
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, bytes, { flag: "wx", mode: path === ".env" ? 0o600 : 0o644 });
    } catch (cause) {
      const { code }: { code?: unknown } = Object(cause);
      if (code === "EEXIST") throw isThere(target);
      throw new InputError(
        `${plain(target)} cannot be written (${String(code)}): name a folder that you may write to with --directory`,
        {},
        { cause },
      );
    }
  }
}

function isThere(path: string): InputError {
  return new InputError(
    `${plain(path)} is there already, and no file is replaced: name another folder with --directory`,
  );
}
