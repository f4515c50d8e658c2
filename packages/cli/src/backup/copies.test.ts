import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { readable } from "./copies.ts";

const MB = 1024 * 1024;

/** An archive of one file of 8 GB, in 8 MB. */
function archiveOfZeros(): Buffer {
  const header = Buffer.alloc(512);
  header.write("pglite/zeros", 0);
  header.write("0000600\0" + "0000000\0" + "0000000\0", 100);
  header.write("77777777000\0" + "00000000000\0", 124);
  header.write("        0", 148);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const zeros = gzipSync(Buffer.alloc(64 * MB));
  return Buffer.concat([gzipSync(header), ...Array.from({ length: 129 }, () => zeros)]);
}

test("the list of an archive that unpacks without end is ended with the drill", async () => {
  const folder = mkdtempSync(join(tmpdir(), "keyhearth-copies-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "copy.tar.gz");
  writeFileSync(file, archiveOfZeros());
  const signal = AbortSignal.timeout(300);
  // To its end, it is an archive that lacks files.
  await expect(readable(file, { signal })).rejects.toThrow(/tar cannot read it/);
}, 120_000);
