import { readFileSync } from "node:fs";

/** Resident memory of a process in MB; null where the system does not tell. */
export function residentMb(pid: number | undefined): number | null {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) / 1024;
  } catch {
    return null;
  }
}

export type Samples = { signatures: number; megabytes: number }[];

/** Least squares: MB for each 10,000 signatures over the later half, when caches have filled. */
export function growthPerTenThousand(samples: Samples): number {
  const later = samples.slice(Math.floor(samples.length / 2));
  const mean = (values: number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  const meanX = mean(later.map(({ signatures }) => signatures));
  const meanY = mean(later.map(({ megabytes }) => megabytes));
  let above = 0;
  let below = 0;
  for (const { signatures, megabytes } of later) {
    above += (signatures - meanX) * (megabytes - meanY);
    below += (signatures - meanX) ** 2;
  }
  return (above / below) * 10_000;
}
