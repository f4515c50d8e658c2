import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

export type PngForm = {
  width: number;
  height: number;
  bits?: number;
  /** Red, green, blue and alpha, if nothing else is said. */
  colorType?: number;
  isInterlaced?: boolean;
  /** Chunks between the header and the pixels. */
  texts?: Buffer[];
  /** Rows, each with the number of its filter before it. */
  rows?: Buffer;
  /** Rows as they are packed. */
  pixels?: Buffer;
};

/** A PNG by its bytes, since libraries do not write all that strangers can. */
export function png({
  width,
  height,
  bits = 8,
  colorType = 6,
  isInterlaced = false,
  texts = [],
  // Interlaced pictures have more rows, so some bytes more.
  rows = Buffer.alloc(bytesOfRows({ width, height, bits, colorType }) + (isInterlaced ? 999 : 0)),
  pixels = deflateSync(rows),
}: PngForm): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = bits;
  header[9] = colorType;
  header[12] = isInterlaced ? 1 : 0;
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    ...texts,
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export function bytesOfRow({ width, bits = 8, colorType = 6 }: PngForm): number {
  return 1 + Math.ceil((width * bits * (CHANNELS[colorType] ?? 0)) / 8);
}

export function bytesOfRows(form: PngForm): number {
  return bytesOfRow(form) * form.height;
}

export function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
