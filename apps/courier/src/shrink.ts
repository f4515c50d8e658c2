export type Size = { width: number; height: number };

/** Writes a row of a picture: red, green, blue and alpha of each pixel. */
export type ReadRow = (y: number, row: Uint8Array) => void;

/**
 * Makes a picture smaller. Each pixel is the average of the area that it covers, where a color counts as much as it is
 * opaque. `to` must not be larger than `from`, which has at most four megapixels: then every sum is an integer below 2^53.
 */
export function shrink(from: Size, to: Size, readRow: ReadRow): Uint8Array {
  const row = new Uint8Array(from.width * 4);
  const across = new Float64Array(to.width * 4);
  const sums = new Float64Array(to.width * 4);
  const pixels = new Uint8Array(to.width * to.height * 4);
  const area = from.width * from.height;
  let done = 0;
  for (let y = 0; y < from.height; y += 1) {
    readRow(y, row);
    sumAcross(row, from.width, across, to.width);
    // A row covers `to.height` of the units of which a row of the result covers `from.height`.
    const end = (y + 1) * to.height;
    for (let at = y * to.height; at < end; ) {
      const edge = (done + 1) * from.height;
      const until = Math.min(end, edge);
      for (let i = 0; i < sums.length; i += 1) {
        sums[i] = (sums[i] ?? 0) + (across[i] ?? 0) * (until - at);
      }
      if (until === edge) {
        writeRow(sums, area, pixels.subarray(done * to.width * 4));
        sums.fill(0);
        done += 1;
      }
      at = until;
    }
  }
  return pixels;
}

/** For each pixel of the result, what one row adds to it: of each color times alpha, and of alpha. */
function sumAcross(row: Uint8Array, width: number, across: Float64Array, toWidth: number) {
  let to = 0;
  let left = width;
  let [reds, greens, blues, alphas] = [0, 0, 0, 0];
  for (let from = 0; from < width * 4; from += 4) {
    const alpha = row[from + 3] ?? 0;
    const red = (row[from] ?? 0) * alpha;
    const green = (row[from + 1] ?? 0) * alpha;
    const blue = (row[from + 2] ?? 0) * alpha;
    // A pixel covers `toWidth` of the units of which one of the result covers `width`.
    const weight = Math.min(toWidth, left);
    reds += red * weight;
    greens += green * weight;
    blues += blue * weight;
    alphas += alpha * weight;
    left -= weight;
    if (left > 0) continue;
    across[to] = reds;
    across[to + 1] = greens;
    across[to + 2] = blues;
    across[to + 3] = alphas;
    to += 4;
    const rest = toWidth - weight;
    reds = red * rest;
    greens = green * rest;
    blues = blue * rest;
    alphas = alpha * rest;
    left = width - rest;
  }
}

function writeRow(sums: Float64Array, area: number, pixels: Uint8Array) {
  for (let at = 0; at < sums.length; at += 4) {
    const opacity = sums[at + 3] ?? 0;
    const alpha = Math.round(opacity / area);
    // A clear pixel has no color.
    if (alpha === 0) continue;
    for (let channel = 0; channel < 3; channel += 1) {
      pixels[at + channel] = Math.round((sums[at + channel] ?? 0) / opacity);
    }
    pixels[at + 3] = alpha;
  }
}
