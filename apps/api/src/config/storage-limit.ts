/** How many bytes one family may store, unless `KEYHEARTH_STORAGE_LIMIT` says something else. */
export const DEFAULT_STORAGE_LIMIT = 10 * 1024 ** 3;

const UNITS = new Map([
  ["TiB", 1024 ** 4],
  ["GiB", 1024 ** 3],
  ["MiB", 1024 ** 2],
]);

/** Reads `10GiB`. Undefined if the text is something else. */
export function parseStorageLimit(text: string): number | undefined {
  const [, count = "", unit = ""] = /^([1-9]\d{0,3})([MGT]iB)$/.exec(text) ?? [];
  const size = UNITS.get(unit);
  return size === undefined ? undefined : Number(count) * size;
}

/** `10GiB`, or `10.3GiB`. */
export function formatBytes(bytes: number): string {
  const [unit, size] = [...UNITS].find(([, each]) => bytes >= each) ?? ["MiB", 1024 ** 2];
  return `${Math.round((10 * bytes) / size) / 10}${unit}`;
}
