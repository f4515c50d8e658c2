export const MAX_LOGO_BYTES = 1024 * 1024;

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const MAX_PIXELS = 4_000_000;
const MAX_SIDE = 4096;
const BOX = { width: 340, height: 124 };
const ACCEPTED =
  "a logo is a PNG of at most 1 MiB and 4 megapixels, each side at most 4,096 pixels, with at most 8 bits a channel, not interlaced";

/** All that pixels need. Texts and color profiles could unpack to gigabytes. */
const KEPT_CHUNKS = ["IHDR", "PLTE", "tRNS", "IDAT"];
const END = Buffer.from("0000000049454e44ae426082", "hex");

/**
 * A stranger's picture, made to fit into a mail: decoded and written again, so that nothing of the original
 * but its pixels leaves. The library cannot be stopped once it decodes, so the picture's form is
 * what bounds its time and memory.
 */
export async function fitLogo(bytes: Uint8Array): Promise<Buffer> {
  const picture = onlyPixels(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  // A library of its own size, which only mails with logos need.
  const { default: sharp } = await import("sharp");
  return sharp(picture, { limitInputPixels: MAX_PIXELS, failOn: "error", pages: 1 })
    .resize({ ...BOX, fit: "inside", withoutEnlargement: true })
    .png()
    .toBuffer();
}

function onlyPixels(image: Buffer): Buffer {
  if (image.length > MAX_LOGO_BYTES || !image.subarray(0, 8).equals(SIGNATURE)) throw refused();
  const kept: Buffer[] = [SIGNATURE];
  for (let at = 8; ; ) {
    // A length, a name of four letters, the data and a checksum.
    if (at + 12 > image.length) throw refused();
    const end = at + 12 + image.readUInt32BE(at);
    if (end > image.length) throw refused();
    const name = image.toString("latin1", at + 4, at + 8);
    if (kept.length === 1 && (name !== "IHDR" || !isSmall(image.subarray(at + 8, end - 4)))) {
      throw refused();
    }
    if (name === "IEND") return Buffer.concat([...kept, END]);
    if (KEPT_CHUNKS.includes(name)) kept.push(image.subarray(at, end));
    at = end;
  }
}

/** PNG, 11.2.1: width, height, bits, color type, compression, filter, interlacing. */
function isSmall(header: Buffer): boolean {
  if (header.length !== 13) return false;
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  return (
    width <= MAX_SIDE &&
    height <= MAX_SIDE &&
    width * height <= MAX_PIXELS &&
    header.readUInt8(8) <= 8 &&
    header.readUInt8(12) === 0
  );
}

const refused = () => new Error(ACCEPTED);
