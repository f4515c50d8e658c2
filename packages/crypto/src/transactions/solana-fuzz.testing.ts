/**
 * Changes, inserts, removes and recombines bytes of the parts for a given time, and passes the
 * results to `judge`. Each run has a different seed, which the error names.
 */
export function fuzz(
  parts: readonly Uint8Array[],
  judge: (bytes: Uint8Array) => void,
  durationMs: number,
): void {
  const start = Math.floor(Math.random() * 2 ** 32);
  const next = randomFrom(start);
  const below = (limit: number) => Math.floor(next() * limit);
  const part = () => parts[below(parts.length)] as Uint8Array; // there is one
  const end = performance.now() + durationMs;
  let runs = 0;
  do {
    for (let i = 0; i < 200; i++, runs++) {
      let bytes: Uint8Array = new Uint8Array(part());
      for (let changes = 1 + below(4); changes > 0; changes--) {
        bytes = change(bytes, part(), below);
      }
      try {
        judge(bytes);
      } catch (cause) {
        throw new Error(`run ${runs} from ${start}`, { cause });
      }
    }
  } while (performance.now() < end);
}

function change(
  bytes: Uint8Array,
  other: Uint8Array,
  below: (limit: number) => number,
): Uint8Array {
  const at = below(bytes.length + 1);
  const rest = bytes.length - at;
  switch (below(6)) {
    case 0:
      if (rest > 0) bytes[at] = below(256);
      return bytes;
    case 1: // the small numbers that counts and indexes are, and the edges of lengths
      if (rest > 0) bytes[at] = EDGES[below(EDGES.length)] as number; // within
      return bytes;
    case 2:
      if (rest > 0) bytes[at] = (bytes[at] as number) ^ (1 << below(8)); // within
      return bytes;
    case 3:
      return join(bytes.subarray(0, at), bytes.subarray(at + below(Math.min(rest, 40) + 1)));
    case 4: {
      const from = below(other.length + 1);
      const piece = other.subarray(from, from + below(64));
      return join(bytes.subarray(0, at), piece, bytes.subarray(at));
    }
    default:
      return join(bytes.subarray(0, at), other.subarray(below(other.length + 1)));
  }
}

function join(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Pseudo-random numbers from 0 to 1 (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const EDGES = [0, 1, 2, 3, 4, 31, 32, 63, 64, 127, 128, 129, 254, 255];
