import { readdirSync, readFileSync } from "node:fs";

/** Resident memory of a process in MB; null if the system does not show it. */
export function residentMb(pid: number | undefined): number | null {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) / 1024;
  } catch {
    return null;
  }
}

/** The same for a process and all that it has started. */
export function residentMbOfTree(pid: number): number {
  return treeOf(pid).reduce((sum, each) => sum + (residentMb(each) ?? 0), 0);
}

/** A process and all that it has started. */
export function treeOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const fields = /^\d+$/.test(name) ? statOf(Number(name)) : null;
    if (fields) parents.set(Number(name), Number(fields[1]));
  }
  const isOfTree = (each: number | undefined): boolean =>
    each !== undefined && (each === pid || isOfTree(parents.get(each)));
  return [...parents.keys()].filter(isOfTree);
}

export type Samples = { signatures: number; megabytes: number }[];

/** Least squares: MB for each 10,000 signatures over the second half, when the caches are full. */
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

const TICKS_PER_SECOND = 100;

/** Processor seconds that a process and all its threads have used; null if unknown. */
export function processorSeconds(pid: number | undefined): number | null {
  const fields = statOf(pid);
  return fields && (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The same for a process and all that it has started, except what ended before its parent noticed. */
export function processorSecondsOfTree(pid: number): number {
  const ticks = treeOf(pid).flatMap((each) => statOf(each)?.slice(11, 15) ?? []);
  return ticks.reduce((sum, each) => sum + Number(each), 0) / TICKS_PER_SECOND;
}

/** The same for everything that runs on this machine, this and other work. */
export function machineSeconds(): number {
  const [user = 0, nice = 0, system = 0] = readFileSync("/proc/stat", "utf8")
    .split(/\s+/, 4)
    .slice(1)
    .map(Number);
  return (user + nice + system) / TICKS_PER_SECOND;
}

/** The same for a PostgreSQL server: all its present and past processes, found from one of them. */
export function serverSeconds(backendPid: number): number | null {
  const server = Number(statOf(backendPid)?.[1]);
  if (!server) return null;
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    const fields = /^\d+$/.test(name) ? statOf(Number(name)) : null;
    if (!fields) continue;
    if (Number(fields[1]) === server) ticks += Number(fields[11]) + Number(fields[12]);
    // The server's own time, and that of its ended children.
    if (Number(name) === server)
      ticks += fields.slice(11, 15).reduce((sum, n) => sum + Number(n), 0);
  }
  return ticks / TICKS_PER_SECOND;
}

/** proc(5), from field 3 on, because the name before it may contain anything. */
function statOf(pid: number | undefined): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}
