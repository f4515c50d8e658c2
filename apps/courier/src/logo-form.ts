import { crc32 } from "node:zlib";

export const MAX_LOGO_BYTES = 1024 * 1024;

export const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const MAX_PIXELS = 4_000_000;
const MAX_SIDE = 4096;
const ACCEPTED =
  "a logo is a PNG of at most 1 MiB and 4 megapixels, each side at most 4,096 pixels, with at most 8 bits a channel, not interlaced";

/** All that pixels need. Texts and color profiles could unpack to gigabytes. */
const KEPT_CHUNKS = ["IHDR", "PLTE", "tRNS", "IDAT"];
const NOTHING = Buffer.alloc(0);

/** PNG, 5.6 and 11.2.1: what a color type may have. */
const COLOR_TYPES: Record<number, { channels: number; bits: number[]; chunks: RegExp }> = {
  0: { channels: 1, bits: [1, 2, 4, 8], chunks: /^IHDR (tRNS )?(IDAT )+$/ },
  2: { channels: 3, bits: [8], chunks: /^IHDR (PLTE )?(tRNS )?(IDAT )+$/ },
  3: { channels: 1, bits: [1, 2, 4, 8], chunks: /^IHDR PLTE (tRNS )?(IDAT )+$/ },
  4: { channels: 2, bits: [8], chunks: /^IHDR (IDAT )+$/ },
  6: { channels: 4, bits: [8], chunks: /^IHDR (PLTE )?(IDAT )+$/ },
};

type Chunk = { name: string; data: Buffer };

/** A picture whose form is right, of which nothing is unpacked yet. */
export type Picture = {
  width: number;
  height: number;
  bits: number;
  channels: number;
  isIndexed: boolean;
  /** Red, green and blue of each color. */
  palette: Uint8Array<ArrayBuffer>;
  /** Of the first colors of the palette, or the 16 bits of each channel of the color that is clear. */
  transparency: Uint8Array<ArrayBuffer>;
  packed: Uint8Array<ArrayBuffer>;
};

/** Reads no further than chunks and their checksums. Throws a refusal. */
export function readPicture(bytes: Uint8Array): Picture {
  const chunks = chunksOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const only = (name: string) => chunks.find((each) => each.name === name)?.data ?? NOTHING;
  const header = headerOf(only("IHDR"));
  const names = chunks.map(({ name }) => `${name} `).join("");
  if (!header?.type.chunks.test(names)) throw refused();
  const { type, ...form } = header;
  const palette = only("PLTE");
  const transparency = only("tRNS");
  if (palette.length % 3 !== 0 || palette.length > 3 * 256) throw refused();
  const mostClear = form.isIndexed ? palette.length / 3 : 2 * type.channels;
  if (transparency.length > mostClear) throw refused();
  if (!form.isIndexed && ![0, mostClear].includes(transparency.length)) throw refused();
  const packed = Buffer.concat(
    chunks.filter(({ name }) => name === "IDAT").map(({ data }) => data),
  );
  // In memory of its own, which a thread can have: small buffers share theirs.
  return {
    ...form,
    palette: new Uint8Array(palette),
    transparency: new Uint8Array(transparency),
    packed: new Uint8Array(packed),
  };
}

function chunksOf(image: Buffer): Chunk[] {
  if (image.length > MAX_LOGO_BYTES || !image.subarray(0, 8).equals(SIGNATURE)) throw refused();
  const chunks: Chunk[] = [];
  for (let at = 8; ; ) {
    // A length, a name of four letters, the data and a checksum.
    if (at + 12 > image.length) throw refused();
    const end = at + 12 + image.readUInt32BE(at);
    if (end > image.length) throw refused();
    const name = image.toString("latin1", at + 4, at + 8);
    if (name === "IEND") return chunks;
    if (KEPT_CHUNKS.includes(name)) {
      if (crc32(image.subarray(at + 4, end - 4)) !== image.readUInt32BE(end - 4)) throw refused();
      chunks.push({ name, data: image.subarray(at + 8, end - 4) });
    }
    at = end;
  }
}

/** Width, height, bits, color type, and how it is compressed, filtered and interlaced. */
function headerOf(data: Buffer) {
  if (data.length !== 13) return undefined;
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [bits, colorType] = [data.readUInt8(8), data.readUInt8(9)];
  const type = COLOR_TYPES[colorType];
  const isAccepted =
    Math.min(width, height) > 0 &&
    Math.max(width, height) <= MAX_SIDE &&
    width * height <= MAX_PIXELS &&
    type?.bits.includes(bits) &&
    data.readUIntBE(10, 3) === 0;
  if (!type || !isAccepted) return undefined;
  return { width, height, bits, channels: type.channels, isIndexed: colorType === 3, type };
}

export const refused = () => new Error(ACCEPTED);
