import { crc32, deflateSync, inflateSync } from "node:zlib";
import { type Picture, SIGNATURE } from "./logo-form.ts";
import { type ReadRow, type Size, shrink } from "./shrink.ts";
import { unfilterRow } from "./unfilter.ts";

/** Makes a picture smaller until it fits, and writes it as a PNG. Throws if the picture is broken. */
export function fitIntoBox(picture: Picture, box: Size): Buffer {
  const size = sizeIn(box, picture);
  return writePng(size, shrink(picture, size, rowsOf(picture)));
}

/** Never larger than it was, and at least one pixel wide and high. */
function sizeIn(box: Size, { width, height }: Size): Size {
  const factor = Math.min(1, box.width / width, box.height / height);
  return {
    width: Math.max(1, Math.round(width * factor)),
    height: Math.max(1, Math.round(height * factor)),
  };
}

/** To be read from the first to the last. */
function rowsOf(picture: Picture): ReadRow {
  const { width, height, bits, channels } = picture;
  const rowBytes = Math.ceil((width * channels * bits) / 8);
  // Each row begins with the number of its filter.
  const unpackedBytes = (1 + rowBytes) * height;
  const data = inflateSync(picture.packed, { maxOutputLength: unpackedBytes, chunkSize: 2 ** 18 });
  if (data.length !== unpackedBytes) throw new Error("the picture has too few pixels");
  const bytesPerPixel = Math.ceil((channels * bits) / 8);
  const spread = channels === 1 ? byTable(picture) : byChannels(picture);
  return (y, row) => {
    const start = y * (1 + rowBytes);
    unfilterRow(data, start, rowBytes, bytesPerPixel);
    spread(data.subarray(start + 1, start + 1 + rowBytes), row);
  };
}

type Spread = (samples: Uint8Array, row: Uint8Array) => void;

/** Greys and palettes, with one to eight bits a pixel. */
function byTable({ width, bits, isIndexed, palette, transparency }: Picture): Spread {
  const most = 2 ** bits - 1;
  const colors = isIndexed ? paletteOf(palette, transparency) : greysOf(most, transparency);
  return (samples, row) => {
    for (let x = 0; x < width; x += 1) {
      const bit = x * bits;
      const index = ((samples[bit >> 3] ?? 0) >> (8 - bits - (bit & 7))) & most;
      const color = colors[index];
      if (color === undefined) throw new Error("the palette has no such color");
      row.set(color, 4 * x);
    }
  };
}

function paletteOf(palette: Uint8Array, transparency: Uint8Array): Uint8Array[] {
  return Array.from({ length: palette.length / 3 }, (_, i) =>
    Uint8Array.of(...palette.subarray(3 * i, 3 * i + 3), transparency[i] ?? 255),
  );
}

function greysOf(most: number, transparency: Uint8Array): Uint8Array[] {
  return Array.from({ length: most + 1 }, (_, value) => {
    const grey = (value * 255) / most;
    return Uint8Array.of(grey, grey, grey, value === transparency[1] ? 0 : 255);
  });
}

/** With eight bits a channel. */
function byChannels({ width, channels, transparency }: Picture): Spread {
  if (channels === 4) return (samples, row) => row.set(samples);
  if (channels === 2) {
    return (samples, row) => {
      for (let x = 0; x < width; x += 1) {
        row.fill(samples[2 * x] ?? 0, 4 * x, 4 * x + 3);
        row[4 * x + 3] = samples[2 * x + 1] ?? 0;
      }
    };
  }
  const [, clearRed = -1, , clearGreen = -1, , clearBlue = -1] = transparency;
  return (samples, row) => {
    for (let x = 0; x < width; x += 1) {
      const red = samples[3 * x] ?? 0;
      const green = samples[3 * x + 1] ?? 0;
      const blue = samples[3 * x + 2] ?? 0;
      row[4 * x] = red;
      row[4 * x + 1] = green;
      row[4 * x + 2] = blue;
      const isClear = red === clearRed && green === clearGreen && blue === clearBlue;
      row[4 * x + 3] = isClear ? 0 : 255;
    }
  };
}

/** With colors only where all is opaque, as most logos are. */
function writePng({ width, height }: Size, pixels: Uint8Array): Buffer {
  const isOpaque = pixels.every((value, index) => index % 4 !== 3 || value === 255);
  const channels = isOpaque ? 3 : 4;
  const rowBytes = width * channels;
  // By the filter that looks at the row above, which suits drawings.
  const rows = Buffer.alloc((1 + rowBytes) * height, 2);
  const samples = isOpaque ? pixels.filter((_, index) => index % 4 !== 3) : pixels;
  for (let y = 0; y < height; y += 1) {
    for (let i = 0; i < rowBytes; i += 1) {
      const at = y * rowBytes + i;
      rows[y * (1 + rowBytes) + 1 + i] = (samples[at] ?? 0) - (samples[at - rowBytes] ?? 0);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  header.writeUInt8(isOpaque ? 2 : 6, 9);
  return Buffer.concat([
    SIGNATURE,
    ...chunk("IHDR", header),
    ...chunk("IDAT", deflateSync(rows, { level: 9 })),
    ...chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer[] {
  const named = Buffer.concat([Buffer.from(name), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return [length, named, checksum];
}
