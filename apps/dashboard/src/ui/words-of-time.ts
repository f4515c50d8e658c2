import type { Timestamp } from "@keyhearth/sdk";

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const units = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

export function inWords(atMs: number, nowMs: number): string {
  const seconds = Math.round((atMs - nowMs) / 1000);
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  if (!unit) return Math.abs(seconds) < 10 ? "just now" : relative.format(seconds, "second");
  return relative.format(Math.trunc(seconds / unit[1]), unit[0]);
}

export function msOf({ seconds, nanos }: Timestamp): number {
  return Number(seconds) * 1000 + Math.floor(Number(nanos) / 1e6);
}
