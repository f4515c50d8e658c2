/** A file of an archive, or a folder, which has no content. */
export type TarFile = { name: string; content: Uint8Array | null };

const BLOCK_BYTES = 512;
const NAME = { at: 0, bytes: 100 };
const SIZE = { at: 124, bytes: 12 };
const TYPE_AT = 156;
/** The beginning of a name that is too long for its field. */
const PREFIX_AT = 345;
const [FILE, FOLDER] = ["0", "5"].map((type) => type.charCodeAt(0));

/** A name below the folder in which the archive is unpacked. */
const NAME_BELOW = /^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[\w./-]+$/;

/**
 * What is in an archive that a build of ours wrote. It has files and folders with short names; anything else is damage.
 * The content is a part of the archive's memory.
 */
export function* filesInTar(archive: Buffer): Generator<TarFile> {
  for (let at = 0; at + BLOCK_BYTES <= archive.length; ) {
    const name = textAt(archive, at + NAME.at, NAME.bytes);
    // Two blocks of zeros are the end.
    if (name === "") return;
    const type = archive[at + TYPE_AT];
    const octal = textAt(archive, at + SIZE.at, SIZE.bytes).trim();
    const size = Number.parseInt(octal, 8);
    const start = at + BLOCK_BYTES;
    const isKnown = (type === FILE || type === FOLDER) && archive[at + PREFIX_AT] === 0;
    if (
      !isKnown ||
      !/^[0-7]+$/.test(octal) ||
      !NAME_BELOW.test(name) ||
      start + size > archive.length
    ) {
      throw new Error(`the archive is damaged at byte ${at}`);
    }
    yield { name, content: type === FOLDER ? null : archive.subarray(start, start + size) };
    at = start + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
  throw new Error("the archive is damaged: it has no end");
}

/** A field ends with its last byte or with a zero. */
function textAt(archive: Buffer, at: number, bytes: number): string {
  const field = archive.subarray(at, at + bytes);
  const end = field.indexOf(0);
  return field.toString("latin1", 0, end < 0 ? bytes : end);
}
