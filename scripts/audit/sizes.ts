import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const measured = new Map<string, number>();

/** The size of these files of a build together, in bytes, after gzip. */
export function compressedBytes(directory: string, paths: string[]): number {
  return paths.reduce((sum, path) => {
    const file = join(directory, path);
    const bytes = measured.get(file) ?? gzipSync(readFileSync(file), { level: 9 }).length;
    measured.set(file, bytes);
    return sum + bytes;
  }, 0);
}
