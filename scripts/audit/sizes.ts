import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const kept = new Map<string, number>();

/** Bytes of these files of a build after gzip. */
export function compressedBytes(directory: string, paths: string[]): number {
  return paths.reduce((sum, path) => {
    const file = join(directory, path);
    const bytes = kept.get(file) ?? gzipSync(readFileSync(file), { level: 9 }).length;
    kept.set(file, bytes);
    return sum + bytes;
  }, 0);
}
