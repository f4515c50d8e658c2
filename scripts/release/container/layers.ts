import { readdirSync, readlinkSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { isOfBase } from "./base.ts";
import type { Image } from "./images.ts";
import { directoryEntry, type Entry, fileEntry, textEntry } from "./tar.ts";
import { type User, users } from "./users.ts";

/** The libraries, and what a system has in `/etc`. Both images have the same. */
export function baseEntries(folder: string): Entry[] {
  const names = Object.entries(users);
  const passwd = names.map(([name, id]) => `${name}:x:${id}:${id}::/nonexistent:/usr/sbin/nologin`);
  const files = {
    "etc/group": lines("root:x:0:", ...names.map(([name, id]) => `${name}:x:${id}:`)),
    "etc/ld.so.conf": lines("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"),
    "etc/nsswitch.conf": lines("passwd: files", "group: files", "hosts: files dns"),
    "etc/passwd": lines("root:x:0:0:root:/root:/usr/sbin/nologin", ...passwd),
  };
  return withParents([
    ...entriesBelow(folder).filter(({ path }) => isOfBase(path)),
    ...Object.entries(files).map(([path, text]) => textEntry(path, text)),
    ...["dev", "proc", "run", "sys", "var/lib"].map((path) => directoryEntry(path)),
    { ...directoryEntry("tmp"), mode: 0o1777 },
  ]);
}

/** The program, and the directories of its users, which a new volume is made like. */
export function programEntries(folder: string, { states, sockets }: Image): Entry[] {
  const own = (path: string, user: User, mode: number): Entry => ({
    ...directoryEntry(`${path}/${user}`),
    mode,
    owner: users[user],
  });
  return withParents([
    ...entriesBelow(folder),
    ...states.map((user) => own("var/lib", user, 0o700)),
    ...sockets.map((user) => own("run", user, 0o750)),
  ]);
}

function entriesBelow(folder: string): Entry[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((found) => {
    const source = join(found.parentPath, found.name);
    const path = relative(folder, source);
    if (found.isDirectory()) return directoryEntry(path);
    if (found.isSymbolicLink()) {
      return { path, kind: "link", target: readlinkSync(source), mode: 0o777, owner: 0 };
    }
    const file = fileEntry(path, { source, size: statSync(source).size });
    return { ...file, mode: isProgram(path) ? 0o755 : 0o644 };
  });
}

const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join("");

/** Programs, and the loader of libraries, which the kernel runs. Packages have more that nobody runs. */
function isProgram(path: string): boolean {
  return /^usr\/bin\/|\/bin\/node$|\/ld-linux[^/]*$/.test(path);
}

/** In the order of their bytes, with a directory before what is in it. */
function withParents(entries: Entry[]): Entry[] {
  const all = new Map<string, Entry>();
  for (const { path } of entries) {
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
      all.set(path.slice(0, at), directoryEntry(path.slice(0, at)));
    }
  }
  for (const entry of entries) all.set(entry.path, entry);
  return [...all.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
