import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

/** An installed package has the texts of the site compressed by brotli only, which takes a fifth of the disk. */
const SUFFIX = ".br";

/** A file, and its compressed form if it is stored so. */
export type Stored = { bytes: Buffer<ArrayBuffer>; brotli: Buffer<ArrayBuffer> | null };

/** The name of what a file holds. */
export function nameOf(path: string): string {
  return path.endsWith(SUFFIX) ? path.slice(0, -SUFFIX.length) : path;
}

export async function readStored(path: string): Promise<Stored> {
  const stored = await readFile(path);
  if (!path.endsWith(SUFFIX)) return { bytes: stored, brotli: null };
  return { bytes: await promisify(brotliDecompress)(stored), brotli: stored };
}
