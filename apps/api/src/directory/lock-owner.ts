import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { readStateFile } from "@keyhearth/outbound/state-file";
import { codeOf, isRecord, parseJson } from "./files.ts";

/** The process that a lock file names. */
export type Owner = {
  id: string;
  pid: number;
  startTime: string | null;
  bootId: string | null;
  /** Process ids from another container mean nothing here. */
  pidNamespace: string | null;
};

/** This process, with a new id for each lock. */
export function newOwner(): Owner {
  const { startTime, bootId } = processMarks(process.pid);
  const pidNamespace = currentPidNamespace();
  return { id: randomUUID(), pid: process.pid, startTime, bootId, pidNamespace };
}

export function readOwner(path: string): Owner | undefined {
  let text: string;
  try {
    text = readStateFile(path).toString("utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const owner = parseJson(text);
  if (!isRecord(owner) || typeof owner.id !== "string" || !Number.isSafeInteger(owner.pid)) {
    return undefined;
  }
  return {
    id: owner.id,
    pid: Number(owner.pid),
    startTime: typeof owner.startTime === "string" ? owner.startTime : null,
    bootId: typeof owner.bootId === "string" ? owner.bootId : null,
    pidNamespace: typeof owner.pidNamespace === "string" ? owner.pidNamespace : null,
  };
}

/** Whether the owner's process id means the same process to us: same boot, same container. */
export function isVisible(owner: Owner, self: Owner): boolean {
  return owner.bootId === self.bootId && owner.pidNamespace === self.pidNamespace;
}

/** Process ids are reused; together with the start time they identify one process. */
export function isRunning({ pid, startTime }: Owner): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists but has another user id.
    if (codeOf(error) !== "EPERM") return false;
  }
  const found = processMarks(pid);
  if (found.isZombie) return false;
  return found.startTime === null || startTime === null || found.startTime === startTime;
}

export function describeOwner(holder: Owner, self: Owner): string {
  if (!isVisible(holder, self)) return `process ${holder.pid} of another container or machine`;
  return holder.pid === self.pid ? "this process" : `process ${holder.pid}`;
}

/** Only Linux shows these. On other systems the process id has to do. */
function processMarks(pid: number) {
  const stat = readProc(`/proc/${pid}/stat`);
  // proc(5): the name in parentheses may hold anything; state is field 3, the start time field 22.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    startTime: fields?.[19] ?? null,
    bootId: readProc("/proc/sys/kernel/random/boot_id")?.trim() ?? null,
    isZombie: fields?.[0] === "Z" || fields?.[0] === "X",
  };
}

function currentPidNamespace(): string | null {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return null;
  }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
