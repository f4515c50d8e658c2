import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { chmod, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { homedir, platform } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The folder for profiles and keys. A relative XDG_CONFIG_HOME is invalid, and is ignored as its specification says. */
export function ownFolder({ XDG_CONFIG_HOME: configured = "" }: Env): string {
  return join(isAbsolute(configured) ? configured : join(homedir(), ".config"), "keyhearth");
}

/** Profiles and keys are small. */
const MAX_BYTES = 64 * 1024;

/**
 * The text of a file that only its owner may read. Throws `InputError` if others may, because then they may have read it
 * already; the message has the command that corrects it.
 */
export async function readPrivate(path: string, what: string): Promise<string> {
  return readKeyFile(path, what, { isSecret: true });
}

/** The text of a public half. The released command lets others read it. */
export async function readPublic(path: string, what: string): Promise<string> {
  return readKeyFile(path, what, { isSecret: false });
}

async function readKeyFile(
  path: string,
  what: string,
  { isSecret }: { isSecret: boolean },
): Promise<string> {
  const file = await open(path, "r").catch((cause) => {
    throw unreadable(path, what, cause);
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new InputError(`${plain(path)} is not a file`);
    // Windows has no such modes.
    if (isSecret && platform() !== "win32" && (stats.mode & 0o077) !== 0) {
      const mode = (stats.mode & 0o777).toString(8).padStart(4, "0");
      throw new InputError(
        `${plain(path)} can be read by other users of this machine (mode ${mode}): run \`chmod 600 ${shellWord(path)}\`, and replace the key if others may have read it`,
      );
    }
    if (stats.size > MAX_BYTES) throw new InputError(`${plain(path)} is too large for ${what}`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/**
 * Writes a file that only its owner may read, and gives it its name when all of it is there. With `isNew`, a file of that
 * name stays as it is and the answer is false. Nothing else is left, nor after Ctrl-C.
 */
export async function writePrivate(
  path: string,
  text: string,
  { isNew = false, isOwnFolder = true }: { isNew?: boolean; isOwnFolder?: boolean } = {},
): Promise<boolean> {
  const folder = dirname(path);
  if (isOwnFolder) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The folder may be older than this rule.
    if (platform() !== "win32") await chmod(folder, 0o700);
  }
  if (isNew && (await exists(path))) return false;
  const written = <Result>(result: Promise<Result>) =>
    result.catch((cause) => {
      throw new InputError(`cannot write ${plain(path)} (${codeOf(cause)})`, {}, { cause });
    });
  const unfinished = join(folder, `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  const stop = onEndBySignal(() => rmSync(unfinished, { force: true }));
  try {
    const file = await written(open(unfinished, "wx", 0o600));
    try {
      await written(file.appendFile(text));
      await written(file.sync());
    } finally {
      await file.close();
    }
    // Unlike a rename, a link replaces nothing.
    return await written(isNew ? linked(unfinished, path) : renamed(unfinished, path));
  } finally {
    stop();
    await rm(unfinished, { force: true });
  }
}

async function renamed(unfinished: string, path: string): Promise<true> {
  await rename(unfinished, path);
  return true;
}

/** False if there is a file of that name. */
export async function linked(unfinished: string, path: string): Promise<boolean> {
  return link(unfinished, path).then(
    () => true,
    (cause) => {
      if (codeOf(cause) === "EEXIST") return false;
      throw cause;
    },
  );
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Does this if a signal ends the process, which then ends by that signal. Returns what ends this. */
export function onEndBySignal(before: () => void): () => void {
  const stop = () => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
  function end(signal: NodeJS.Signals) {
    before();
    stop();
    process.kill(process.pid, signal);
  }
  for (const signal of SIGNALS) process.on(signal, end);
  return stop;
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** The names of the files in a folder that end so, without that end. None if there is no folder. */
export async function namesIn(folder: string, end: string): Promise<string[]> {
  const names = await readdir(folder).catch((cause) => {
    if (codeOf(cause) === "ENOENT") return [];
    throw unreadable(folder, "a folder", cause);
  });
  return names
    .filter((name) => name.endsWith(end) && !name.startsWith("."))
    .map((name) => name.slice(0, -end.length))
    .sort();
}

/** Names become names of files, here and on other systems. */
const NAME = /^[a-z0-9][\w.-]{0,63}$/i;

export function checkName(name: string, what: string): string {
  if (NAME.test(name)) return name;
  throw new InputError(
    `${what} must begin with a letter or digit and have at most 64 letters, digits, dots, dashes and underscores, but is ${JSON.stringify(plain(name.slice(0, 100)))}`,
  );
}

/** A text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function unreadable(path: string, what: string, cause: unknown): InputError {
  const code = codeOf(cause);
  const why: Record<string, string> = {
    ENOENT: "there is no such file",
    EACCES: `this user may not read it: run \`ls -l ${shellWord(path)}\` to see who may`,
    EISDIR: "it is a folder",
  };
  return new InputError(`cannot read ${what} ${plain(path)}: ${why[code] ?? code}`, {}, { cause });
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
