import { createReadStream } from "node:fs";

/** What a tar file has at a path, which is relative. */
export type Entry = {
  path: string;
  mode: number;
  /** The number of its user and group. */
  owner: number;
} & (
  | { kind: "directory" }
  | { kind: "link"; target: string }
  | { kind: "text"; text: string }
  | { kind: "file"; source: string; size: number }
);

export function directoryEntry(path: string): Entry {
  return { path, kind: "directory", mode: 0o755, owner: 0 };
}

export function textEntry(path: string, text: string): Entry {
  return { path, kind: "text", text, mode: 0o644, owner: 0 };
}

export function fileEntry(path: string, file: { source: string; size: number }): Entry {
  return { path, kind: "file", ...file, mode: 0o644, owner: 0 };
}

const BLOCK = 512;
const types = { file: "0", text: "0", link: "2", directory: "5" } as const;

/** A tar file in POSIX's `ustar` format, in which every time is `epoch`, in seconds. */
export async function* tarOf(entries: readonly Entry[], epoch: number): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    const size = sizeOf(entry);
    yield headerOf(entry, size, epoch);
    if (entry.kind === "text") yield Buffer.from(entry.text);
    if (entry.kind === "file") yield* createReadStream(entry.source, { highWaterMark: 1 << 20 });
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
  }
  yield Buffer.alloc(2 * BLOCK);
}

function sizeOf(entry: Entry): number {
  if (entry.kind === "text") return Buffer.byteLength(entry.text);
  return entry.kind === "file" ? entry.size : 0;
}

function headerOf(entry: Entry, size: number, epoch: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const [prefix, name] = splitPath(entry.kind === "directory" ? `${entry.path}/` : entry.path);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;
  const fields: [number, string][] = [
    [0, name],
    [100, octal(entry.mode, 8)],
    [108, octal(entry.owner, 8)],
    [116, octal(entry.owner, 8)],
    [124, octal(size, 12)],
    [136, octal(epoch, 12)],
    [148, " ".repeat(8)],
    [156, types[entry.kind]],
    [157, entry.kind === "link" ? entry.target : ""],
    [257, "ustar\x0000"],
    [345, prefix],
  ];
  for (const [at, text] of fields) header.write(text, at, "utf8");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

/** A long path is divided at a slash into a prefix of 155 bytes and a name of 100. */
function splitPath(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ["", path];
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (name !== "" && Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) {
      return [prefix, name];
    }
  }
  throw new Error(`${path} is too long for a tar file`);
}
