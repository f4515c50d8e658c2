import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

/** The files of a folder by their paths: as text, or as bytes in base64. */
type Archive = Record<string, string | { base64: string }>;

/** An archive ends so. Its name before that is the version. */
export const SUFFIX = ".json.br";

/** The files of a folder that count, as one compressed text. The same files give the same bytes. */
export function packSite(folder: string, counts: (path: string) => boolean): Buffer {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join("/"))
    .filter(counts)
    .toSorted(byKind);
  const archive: Archive = {};
  for (const path of paths) archive[path] = toMember(readFileSync(join(folder, path)));
  const text = Buffer.from(JSON.stringify(archive));
  return brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });
}

/** Files of one kind have much in common, and are found if they are near each other. */
function byKind(one: string, other: string): number {
  const [kind, otherKind] = [one, other].map((path) => path.replace(/.*\./, ""));
  return kind === otherKind ? compare(one, other) : compare(kind ?? "", otherKind ?? "");
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}

function toMember(bytes: Buffer): Archive[string] {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString("base64") };
}

export function readSite(file: string): Archive {
  return JSON.parse(brotliDecompressSync(readFileSync(file)).toString("utf8"));
}

/** Writes the files below a folder. */
export function writeSite(archive: Archive, folder: string): void {
  const folders = new Set<string>();
  for (const [path, member] of Object.entries(archive)) {
    const target = join(folder, path);
    if (relative(folder, target).startsWith("..")) throw new Error(`the archive leads to ${path}`);
    const parent = dirname(target);
    if (!folders.has(parent)) mkdirSync(parent, { recursive: true });
    folders.add(parent);
    writeFileSync(
      target,
      typeof member === "string" ? member : Buffer.from(member.base64, "base64"),
    );
  }
}
