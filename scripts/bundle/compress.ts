import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { cp, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { keep } from "./kept.ts";
import { openKeptTexts } from "./kept-texts.ts";

/** At the next quality, the files of the database take ten times as long, and are a tenth smaller. */
const QUALITY = 9;

/**
 * For each file, quality 9 clears tables of 32 MB. The thousand texts of the site then take six times as long as at this
 * one, and are half a percent smaller.
 */
const QUALITY_OF_TEXTS = 7;

const TEXT = /\.(css|html|js|json|md|svg|txt|xml)$/;

/** Smaller texts take a block of the disk either way. */
const LEAST_BYTES = 4096;

const LEAST_KEPT = 4_000_000;

/** Copies a file compressed, or a folder with its texts compressed. What is compressed ends in `.br`. */
export async function copyCompressed(source: string, target: string): Promise<void> {
  if (!(await stat(source)).isDirectory()) return writeCompressed(source, target);
  const files = globSync("**/*", { cwd: source, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(source.length + 1));
  const texts = await openKeptTexts(`texts-${QUALITY_OF_TEXTS}-${process.versions.brotli}`);
  await Promise.all(
    files.map(async (file) => {
      const [from, to] = [join(source, file), join(target, file)];
      const { size } = await stat(from);
      await mkdir(dirname(to), { recursive: true });
      if (size < LEAST_BYTES || !TEXT.test(file)) return cp(from, to);
      const text = await readFile(from);
      const make = () => compress(text, { quality: QUALITY_OF_TEXTS });
      await writeFile(`${to}.br`, await texts.of(text, make));
    }),
  );
  await texts.save();
}

async function writeCompressed(source: string, target: string): Promise<void> {
  const bytes = await readFile(source);
  const quality = TEXT.test(source) ? QUALITY_OF_TEXTS : QUALITY;
  await mkdir(dirname(target), { recursive: true });
  await writeFile(`${target}.br`, await compress(bytes, { quality }));
}

type Options = { quality?: number; windowBits?: number };

/** What takes seconds is kept, because tests and releases compress the same. */
export async function compress(bytes: Uint8Array, options: Options = {}): Promise<Buffer> {
  const { quality = QUALITY, windowBits = 22 } = options;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: windowBits,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  if (bytes.length < LEAST_KEPT) return promisify(brotliCompress)(bytes, { params });
  const digest = createHash("sha256").update(bytes).digest("hex");
  const name = `${digest}-${quality}-${windowBits}-${process.versions.brotli}.br`;
  const path = await keep(name, async (path) =>
    writeFile(path, await promisify(brotliCompress)(bytes, { params })),
  );
  return readFile(path);
}
