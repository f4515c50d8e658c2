import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../config/config.ts";
import { doubtful, type Finding, fine, wrong } from "./findings.ts";

const GB = 1e9;
/** What the embedded database keeps free, with some room. */
const LEAST_FREE = 0.1 * GB;
const LITTLE_FREE = 2 * GB;

/** Whose files they are, who may read them, and how much room there is. Opens none of them. */
export function checkFiles(config: Config): Finding[] {
  const { dataDirectory } = config;
  const check = "data directory";
  if (!existsSync(dataDirectory)) {
    return [
      wrong(check, `${dataDirectory} is not there: set KEYHEARTH_DATA_DIR as for the service`),
    ];
  }
  return [
    modes(config),
    ...ofSigner(config),
    ...rootKey(dataDirectory),
    space(dataDirectory, statfsSync(dataDirectory)),
  ];
}

/** Files of keys and secrets, which only the service's user may read. */
const SECRET =
  /^(root-api-key\.json|login-proxy-key|signer-door-key|courier-key|mailbox-token|feedback-access|root-key|keyring)$/;

function modes({ dataDirectory, signer, signerStateDirectory }: Config): Finding {
  const check = "permissions";
  const directories = [
    dataDirectory,
    ...(signer.kind === "embedded" ? [signerStateDirectory] : []),
  ];
  const there = directories.filter((path) => existsSync(path));
  const secrets = there.flatMap((path) =>
    readable(path)
      .filter((name) => SECRET.test(name))
      .map((name) => join(path, name)),
  );
  const open = [
    ...there.filter((path) => isOpen(path, 0o007)),
    ...secrets.filter((path) => isOpen(path, 0o077)),
  ];
  if (open.length > 0) {
    return wrong(
      check,
      `others may read ${open.join(", ")}: run \`chmod go-rwx ${open.join(" ")}\``,
    );
  }
  return fine(check, `nobody else may read ${directories.join(", ")}`);
}

function isOpen(path: string, mask: number): boolean {
  return process.platform !== "win32" && (statSync(path).mode & mask) !== 0;
}

function readable(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function ofSigner({ signer, isForDeveloper }: Config): Finding[] {
  const check = "separate signer";
  if (signer.kind === "embedded") {
    const message =
      "the signer is in the API's process, so whoever takes over the API has every key: run it as its own process under its own user, and set KEYHEARTH_SIGNER (/self-hosting/production)";
    return [isForDeveloper ? doubtful(check, message) : wrong(check, message)];
  }
  const states = signer.addresses.flatMap((address) =>
    address.kind === "unix" ? [join(dirname(address.path), "root-key")] : [],
  );
  const own = states.find(mayRead);
  // Root may read everything, whoever the service runs as.
  if (process.getuid?.() === 0 || own === undefined) {
    return [fine(check, "it is a process of its own")];
  }
  return [
    wrong(
      check,
      `this user can read the root key in ${own}: run the signer under another user, whose state directory has mode 0700`,
    ),
  ];
}

function mayRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function rootKey(dataDirectory: string): Finding[] {
  const path = join(dataDirectory, "root-api-key.json");
  if (!existsSync(path)) return [fine("first API key", "it is not on this machine")];
  const message = `${path} can do everything in the root organization: copy it to a safe place, and remove it from this machine`;
  return [doubtful("first API key", message)];
}

export function space(
  directory: string,
  { bavail, bsize }: { bavail: number; bsize: number },
): Finding {
  const check = "disk";
  const free = bavail * bsize;
  const shown = `${(free / GB).toFixed(1)} GB are free on the disk of ${directory}`;
  if (free < LEAST_FREE) return wrong(check, `only ${shown}: free some space now`);
  return free < LITTLE_FREE
    ? doubtful(check, `only ${shown}: free some space`)
    : fine(check, shown);
}
