import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { expect, test } from "vitest";
import { createLogos } from "./logo.ts";
import { fitLogo } from "./logo-picture.ts";

const ADDRESS = "https://example.com/logo.png";

const logoOf = (bytes: Uint8Array) => createLogos({ fetch: async () => bytes }).find(ADDRESS);

test("a PNG of four megapixels with 8 bits a channel is a logo, and so is one of few colors", async () => {
  for (const picture of [
    png({ width: 2000, height: 2000 }),
    png({ width: 4096, height: 976 }),
    await sharp({ create: { width: 90, height: 90, channels: 3, background: "red" } })
      .png({ palette: true })
      .toBuffer(),
  ]) {
    expect(await logoOf(picture)).not.toBeNull();
  }
});

test.each([
  ["has 16 bits a channel", { width: 40, height: 40, bits: 16 }],
  ["is interlaced", { width: 40, height: 40, isInterlaced: true }],
  ["has more than four megapixels", { width: 2001, height: 2000 }],
  ["is wider than 4,096 pixels", { width: 4097, height: 9 }],
  ["is higher than 4,096 pixels", { width: 9, height: 4097 }],
])("a picture that %s is left out, and the error says what is accepted", async (_, form) => {
  await expect(fitLogo(png(form))).rejects.toThrow(
    "a logo is a PNG of at most 1 MiB and 4 megapixels",
  );
  expect(await logoOf(png(form))).toBeNull();
});

test("texts and profiles of a picture are not unpacked", async () => {
  const text = Buffer.concat([Buffer.from("k\0\0"), deflateSync(Buffer.alloc(7_900_000, 97))]);
  const bomb = png({ width: 4, height: 4, texts: Array(100).fill(chunk("zTXt", text)) });
  const before = process.resourceUsage().maxRSS;
  expect(await logoOf(bomb)).not.toBeNull();
  // In kilobytes. The texts have 790 MB.
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(200_000);
});

test("chunks that leave the file are no picture", async () => {
  const picture = png({ width: 4, height: 4 });
  for (const length of [picture.length, 0x7fffffff, 0xffffffff]) {
    const changed = Buffer.from(picture);
    changed.writeUInt32BE(length, picture.indexOf("IDAT") - 4);
    expect(await logoOf(changed)).toBeNull();
  }
  for (let end = 0; end < picture.length - 12; end += 1) {
    expect(await logoOf(picture.subarray(0, end))).toBeNull();
  }
});

test("one picture is decoded at a time", async () => {
  const picture = png({ width: 2000, height: 2000 });
  const logos = createLogos({ fetch: async () => picture });
  const found = Promise.all(Array.from({ length: 8 }, (_, i) => logos.find(`${ADDRESS}?${i}`)));
  const most = await mostDecodings(found);
  expect(most).toBe(1);
  expect((await found).every((logo) => logo !== null)).toBe(true);
});

test("a picture that comes when its mail has left is not decoded", async () => {
  const picture = png({ width: 2000, height: 2000 });
  const coming = new Promise<Buffer>((resolve) => setTimeout(resolve, 2300, picture));
  const logos = createLogos({ fetch: () => coming });
  expect(await logos.find(ADDRESS)).toBeNull();
  expect(await mostDecodings(coming.then(() => new Promise((done) => setTimeout(done, 200))))).toBe(
    0,
  );
});

/** The most pictures that the library worked on at once until `end`. */
async function mostDecodings(end: Promise<unknown>): Promise<number> {
  let most = 0;
  let isOver = false;
  void end.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    // A picture that leaves the queue counts as waiting and as decoded for a moment.
    most = Math.max(most, sharp.counters().process);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return most;
}

/** A PNG by its bytes, since libraries do not write all that strangers can. */
function png({
  width,
  height,
  bits = 8,
  isInterlaced = false,
  texts = [],
}: {
  width: number;
  height: number;
  bits?: number;
  isInterlaced?: boolean;
  texts?: Buffer[];
}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = bits;
  // Red, green, blue and alpha.
  header[9] = 6;
  header[12] = isInterlaced ? 1 : 0;
  // Interlaced pictures have more rows, so some bytes more.
  const pixels = Buffer.alloc((width * 4 * (bits / 8) + 1) * height + (isInterlaced ? 999 : 0));
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    ...texts,
    chunk("IDAT", deflateSync(pixels)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
