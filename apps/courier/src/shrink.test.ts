import fc from "fast-check";
import { expect, test } from "vitest";
import { type Size, shrink } from "./shrink.ts";

const size = (width: number, height: number): Size => ({ width, height });

const shrunk = (from: Size, to: Size, pixels: readonly number[]) => [
  ...shrink(from, to, (y, row) =>
    row.set(pixels.slice(y * from.width * 4, (y + 1) * from.width * 4)),
  ),
];

const RED = [255, 0, 0, 255];
const BLUE = [0, 0, 255, 255];
const CLEAR_GREEN = [0, 255, 0, 0];
const HALF_WHITE = [255, 255, 255, 128];

test.each([
  ["two pixels become their average", size(2, 1), [RED, BLUE], [128, 0, 128, 255]],
  [
    "what is clear takes opacity, and gives no color",
    size(2, 1),
    [RED, CLEAR_GREEN],
    [255, 0, 0, 128],
  ],
  ["a color counts as much as it is opaque", size(1, 2), [BLUE, HALF_WHITE], [85, 85, 255, 192]],
  ["what nobody sees has no color", size(2, 1), [CLEAR_GREEN, CLEAR_GREEN], [0, 0, 0, 0]],
  ["four pixels become one", size(2, 2), [RED, RED, RED, BLUE], [191, 0, 64, 255]],
])("%s", (_, from, pixels, expected) => {
  expect(shrunk(from, size(1, 1), pixels.flat())).toEqual(expected);
});

test("a pixel that two others cover counts for both, by their parts", () => {
  const [black, white] = [
    [0, 0, 0, 255],
    [255, 255, 255, 255],
  ];
  // The one in the middle is a third of each.
  expect(shrunk(size(3, 1), size(2, 1), [black, white, black].flat() as number[])).toEqual([
    ...[85, 85, 85, 255],
    ...[85, 85, 85, 255],
  ]);
  expect(shrunk(size(1, 3), size(1, 2), [black, black, white].flat() as number[])).toEqual([
    ...[0, 0, 0, 255],
    ...[170, 170, 170, 255],
  ]);
});

/** From what to what, with the pixels of the first. */
const cases = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
  .chain(([width, height]) =>
    fc.record({
      from: fc.constant(size(width, height)),
      to: fc.record({
        width: fc.integer({ min: 1, max: width }),
        height: fc.integer({ min: 1, max: height }),
      }),
      pixels: fc.array(fc.nat(255), {
        minLength: width * height * 4,
        maxLength: width * height * 4,
      }),
    }),
  );

test("every pixel is the average that fractions give", () => {
  fc.assert(
    fc.property(cases, ({ from, to, pixels }) => {
      expect(shrunk(from, to, pixels)).toEqual(byFractions(from, to, pixels));
    }),
    { numRuns: 500 },
  );
});

test("four white megapixels stay white", () => {
  const pixels = shrink(size(4096, 976), size(340, 81), (_, row) => row.fill(255));
  expect(pixels.every((value) => value === 255)).toBe(true);
});

/** Each pixel cut into as many parts as the result has pixels, and no part into fractions. */
function byFractions(from: Size, to: Size, pixels: readonly number[]): number[] {
  const result: number[] = [];
  const area = BigInt(from.width * from.height);
  for (let y = 0; y < to.height; y += 1) {
    for (let x = 0; x < to.width; x += 1) {
      const sums = [0n, 0n, 0n, 0n];
      for (let v = y * from.height; v < (y + 1) * from.height; v += 1) {
        for (let u = x * from.width; u < (x + 1) * from.width; u += 1) {
          const at = 4 * (Math.floor(v / to.height) * from.width + Math.floor(u / to.width));
          const alpha = BigInt(pixels[at + 3] ?? 0);
          for (const channel of [0, 1, 2]) {
            sums[channel] = (sums[channel] ?? 0n) + BigInt(pixels[at + channel] ?? 0) * alpha;
          }
          sums[3] = (sums[3] ?? 0n) + alpha;
        }
      }
      const [red = 0n, green = 0n, blue = 0n, opacity = 0n] = sums;
      const alpha = rounded(opacity, area);
      result.push(...[red, green, blue].map((sum) => (alpha ? rounded(sum, opacity) : 0)), alpha);
    }
  }
  return result;
}

const rounded = (sum: bigint, by: bigint) => Number((2n * sum + by) / (2n * by));
