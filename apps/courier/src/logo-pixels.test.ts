import { deflateSync } from "node:zlib";
import fc from "fast-check";
import sharp from "sharp";
import { expect, test } from "vitest";
import { fitLogo } from "./logo-picture.ts";
import { bytesOfRow, bytesOfRows, chunk, type PngForm, png } from "./png.testing.ts";

/** However busy the machine is. */
const fit = (picture: Uint8Array) => fitLogo(picture, 30_000);

const REFUSAL = /^a logo is a PNG of at most 1 MiB and 4 megapixels, .*, not interlaced$/;

/** By a library that is not ours, where all that is clear is the same. */
async function pixelsOf(picture: Uint8Array) {
  const { data, info } = await sharp(picture)
    .toColourspace("srgb")
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 0) data.fill(0, at, at + 3);
  return { width: info.width, height: info.height, pixels: data.toString("hex") };
}

const logoPixelsOf = async (picture: Uint8Array) => pixelsOf(await fit(picture));

const PALETTE = chunk("PLTE", Buffer.from("ff000000ff000000ff", "hex"));
const trns = (hex: string) => chunk("tRNS", Buffer.from(hex, "hex"));
const rowsOf = (...rows: string[]) => Buffer.from(rows.join(""), "hex");

test.each<[string, PngForm, string]>([
  [
    "of a palette, with two bits a pixel",
    { width: 5, height: 1, bits: 2, colorType: 3, texts: [PALETTE], rows: rowsOf("00", "1840") },
    "ff0000ff00ff00ff0000ffffff0000ff00ff00ff",
  ],
  [
    "of a palette with transparency",
    {
      ...{ width: 3, height: 1, colorType: 3, texts: [PALETTE, trns("0080")] },
      rows: rowsOf("00", "000102"),
    },
    "0000000000ff00800000ffff",
  ],
  [
    "of greys",
    { width: 2, height: 2, colorType: 0, rows: rowsOf("00", "0080", "02", "10ff") },
    "000000ff808080ff101010ff7f7f7fff",
  ],
  [
    "of black and white, of which black is clear",
    {
      ...{ width: 3, height: 1, bits: 1, colorType: 0, texts: [trns("0000")] },
      rows: rowsOf("00", "a0"),
    },
    "ffffffff00000000ffffffff",
  ],
  [
    "of greys with alpha",
    { width: 2, height: 1, colorType: 4, rows: rowsOf("01", "20ff2001") },
    "202020ff00000000",
  ],
  [
    "of colors, one of which is clear",
    {
      ...{ width: 2, height: 1, colorType: 2, texts: [trns("000100020003")] },
      rows: rowsOf("00", "010203", "010204"),
    },
    "00000000010204ff",
  ],
  ["of one pixel", { width: 1, height: 1, rows: rowsOf("04", "01020304") }, "01020304"],
])("a picture %s keeps its pixels", async (_, form, pixels) => {
  const { width, height } = form;
  expect(await logoPixelsOf(png(form))).toEqual({ width, height, pixels });
});

test.each([
  [4096, 1, 340, 1],
  [4096, 976, 340, 81],
  [1, 4096, 1, 124],
  [341, 124, 340, 124],
  [340, 124, 340, 124],
  [2000, 1000, 248, 124],
])("%i × %i pixels become %i × %i", async (width, height, fittedWidth, fittedHeight) => {
  const rows = Buffer.alloc(bytesOfRows({ width, height, colorType: 2 }), 200);
  for (let y = 0; y < height; y += 1) rows[y * (1 + 3 * width)] = 0;
  const fitted = await logoPixelsOf(png({ width, height, colorType: 2, rows }));
  expect([fitted.width, fitted.height]).toEqual([fittedWidth, fittedHeight]);
  expect(fitted.pixels).toBe("c8c8c8ff".repeat(fittedWidth * fittedHeight));
});

const hundred = { width: 10, height: 10 };
const palette = (colors: number) => chunk("PLTE", Buffer.alloc(3 * colors, 9));
const indexed = { ...hundred, bits: 8, colorType: 3 };
const rowsOf200 = Buffer.alloc(110, 200).map((byte, index) => (index % 11 === 0 ? 0 : byte));

test.each<[string, PngForm]>([
  ["has no width", { width: 0, height: 9 }],
  ["has no height", { width: 9, height: 0 }],
  ["has an unknown color type", { ...hundred, colorType: 5 }],
  ["has four bits for each of three colors", { ...hundred, bits: 4, colorType: 2 }],
  ["has three bits a pixel", { ...hundred, bits: 3, colorType: 0 }],
  ["lacks its palette", indexed],
  ["has two palettes", { ...indexed, texts: [palette(9), palette(9)] }],
  ["has a palette of greys", { ...hundred, colorType: 0, texts: [palette(9)] }],
  ["has 257 colors", { ...indexed, texts: [palette(257)] }],
  ["has no color in its palette", { ...indexed, texts: [palette(0)] }],
  ["has a part of a color", { ...indexed, texts: [chunk("PLTE", Buffer.alloc(4))] }],
  [
    "uses a color that it does not have",
    { ...indexed, texts: [palette(9)], rows: rowsOf200 as Buffer },
  ],
  ["has its transparency before its palette", { ...indexed, texts: [trns("00"), palette(9)] }],
  ["has more transparency than colors", { ...indexed, texts: [palette(1), trns("0000")] }],
  ["has half a clear color", { ...hundred, colorType: 2, texts: [trns("000000")] }],
  ["has a clear color and alpha", { ...hundred, texts: [trns("000000000000")] }],
  ["has an unknown filter", { ...hundred, rows: Buffer.alloc(410, 5) }],
  ["has too few rows", { ...hundred, rows: Buffer.alloc(409) }],
  ["has too many rows", { ...hundred, rows: Buffer.alloc(411) }],
  ["has no pixels", { ...hundred, pixels: Buffer.alloc(0) }],
  ["has pixels that do not unpack", { ...hundred, pixels: Buffer.alloc(99, 7) }],
  [
    "has pixels that end early",
    { ...hundred, pixels: deflateSync(Buffer.alloc(410)).subarray(0, -4) },
  ],
])("a picture that %s is refused", async (_, form) => {
  await expect(fit(png(form))).rejects.toThrow(REFUSAL);
});

test("a picture with a wrong checksum is refused", async () => {
  const picture = png({ ...indexed, texts: [palette(9)] });
  expect(await fit(picture)).toBeInstanceOf(Buffer);
  for (const name of ["IHDR", "PLTE", "IDAT"]) {
    const changed = Buffer.from(picture);
    const at = picture.indexOf(name);
    const sum = at + 4 + changed.readUInt32BE(at - 4);
    changed.writeUInt32BE((changed.readUInt32BE(sum) ^ 1) >>> 0, sum);
    await expect(fit(changed)).rejects.toThrow(REFUSAL);
  }
});

/** With every color type, every filter, palettes and transparency. */
const pictures = fc
  .record({
    kind: fc.constantFrom(
      ...[1, 2, 4, 8].flatMap((bits) => [0, 3].map((colorType) => ({ bits, colorType }))),
      ...[2, 4, 6].map((colorType) => ({ bits: 8, colorType })),
    ),
    width: fc.integer({ min: 1, max: 20 }),
    height: fc.integer({ min: 1, max: 20 }),
    isClear: fc.boolean(),
    parts: fc.integer({ min: 1, max: 3 }),
  })
  .chain(({ kind, width, height, isClear, parts }) => {
    const form: PngForm = { ...kind, width, height };
    const colors = kind.colorType === 3 ? 2 ** kind.bits : 0;
    const clear = { 0: 2, 2: 6, 3: colors }[kind.colorType] ?? 0;
    return fc
      .record({
        data: bytes(bytesOfRows(form)),
        filters: fc.array(fc.nat(4), { minLength: height, maxLength: height }),
        palette: bytes(3 * colors),
        transparency: bytes(isClear ? clear : 0),
      })
      .map(({ data, filters, ...chunks }) => {
        const rows = Buffer.from(data);
        for (const [y, filter] of filters.entries()) rows[y * bytesOfRow(form)] = filter;
        // Only the bits of a channel count.
        const transparency = chunks.transparency.map((byte, index) =>
          kind.colorType === 3 ? byte : index % 2 === 0 ? 0 : byte % 2 ** kind.bits,
        );
        const texts = [
          ...(colors ? [chunk("PLTE", chunks.palette)] : []),
          ...(transparency.length ? [chunk("tRNS", transparency)] : []),
        ];
        const packed = deflateSync(rows);
        const cut = Math.floor(packed.length / parts);
        const before = Array.from({ length: parts - 1 }, (_, i) =>
          chunk("IDAT", packed.subarray(i * cut, (i + 1) * cut)),
        );
        const pixels = packed.subarray((parts - 1) * cut);
        return png({ ...form, texts: [...texts, ...before], pixels });
      });
  });

function bytes(length: number) {
  return fc.uint8Array({ minLength: length, maxLength: length });
}

test("any picture has the pixels that another decoder reads", async () => {
  await fc.assert(
    fc.asyncProperty(pictures, async (picture) => {
      expect(await logoPixelsOf(picture)).toEqual(await pixelsOf(picture));
    }),
    { numRuns: 200 },
  );
}, 120_000);

/** A logo that another decoder reads, or the refusal: nothing else. */
async function assertRefusedOrRead(picture: Uint8Array) {
  const answer = await fit(picture).catch((error: Error) => error.message);
  if (typeof answer === "string") return expect(answer).toMatch(REFUSAL);
  const { width, height } = await pixelsOf(answer);
  expect(width).toBeLessThanOrEqual(340);
  expect(height).toBeLessThanOrEqual(124);
}

const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });

test("whatever is changed in a picture, it is refused or a logo", async () => {
  await fc.assert(
    fc.asyncProperty(pictures, changes, fc.boolean(), async (picture, all, isSummed) => {
      const changed = Buffer.from(picture);
      for (const [place, byte] of all) changed[8 + (place % (changed.length - 8))] = byte;
      await assertRefusedOrRead(isSummed ? summed(changed) : changed);
    }),
    { numRuns: 500 },
  );
}, 120_000);

test("bytes that are no picture are refused", async () => {
  const starts = [Buffer.alloc(0), png(hundred).subarray(0, 8), png(hundred).subarray(0, 33)];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...starts), fc.uint8Array(), async (start, rest) => {
      await assertRefusedOrRead(Buffer.concat([start, rest]));
    }),
    { numRuns: 500 },
  );
});

/** With checksums that are right, so that changes reach what is behind them. */
function summed(picture: Buffer): Buffer {
  const chunks = [picture.subarray(0, 8)];
  for (let at = 8; at + 12 <= picture.length; ) {
    const end = at + 8 + picture.readUInt32BE(at);
    if (end + 4 > picture.length) break;
    chunks.push(chunk(picture.toString("latin1", at + 4, at + 8), picture.subarray(at + 8, end)));
    at = end + 4;
  }
  return Buffer.concat(chunks);
}
