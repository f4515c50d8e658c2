import { randomUUID } from "node:crypto";
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { EmulatedOrganization, EmulatorOptions } from "../emulator/types.ts";
import { InputError } from "../errors.ts";
import type { Report } from "../output.ts";

export type DevOptions = {
  port?: string | undefined;
  organizationId?: string | undefined;
  apiPublicKey?: string | undefined;
  keyFile?: string | undefined;
};

/** A program that is told what the emulator is, as soon as it answers. */
type Ready = (report: Report) => void;

const DEFAULT_PORT = 3100;

/** Runs an emulator until a signal ends it. */
export async function dev(given: DevOptions, ready: Ready): Promise<void> {
  const { keyFile } = given;
  const options = readOptions(given);
  const stopped = untilStopped();
  // A bundle of its own: the other commands do not load the API.
  const { startEmulator } = await import("../emulator/index.ts");
  const emulator = await startEmulator(options).catch((error: unknown) => {
    throw isOfCaller(error) ? new InputError(inWords(error), {}, { cause: error }) : error;
  });
  try {
    const { organization, url } = emulator;
    if (keyFile !== undefined) writeKeyFile(keyFile, organization);
    ready(reportOf(url, organization, keyFile));
    await stopped;
  } finally {
    await emulator.close();
  }
}

function readOptions(given: DevOptions): EmulatorOptions {
  const { port, organizationId, apiPublicKey, keyFile } = given;
  const kept = keyFile === undefined ? null : readKeyFile(keyFile);
  if (keyFile !== undefined && apiPublicKey !== undefined) {
    throw new InputError(
      "--key-file is for a private key that the emulator makes, and --api-public-key for one that it never has: give one of the two",
    );
  }
  if (kept && organizationId !== undefined && organizationId !== kept.organizationId) {
    throw new InputError(
      `${keyFile} is the key of organization ${kept.organizationId}: leave --organization-id out, or name another file`,
    );
  }
  return {
    port: port === undefined ? DEFAULT_PORT : readPort(port),
    ...(organizationId !== undefined && { organizationId }),
    ...(apiPublicKey !== undefined && { apiPublicKey }),
    ...(kept && { organizationId: kept.organizationId, apiPrivateKey: kept.apiPrivateKey }),
  };
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InputError(
    `--port is \`${text}\`; use a whole number from 0 to 65535, and 0 for a free port`,
  );
}

type KeyFile = { organizationId: string; apiPrivateKey: string };

/** Null if there is no such file yet. */
function readKeyFile(path: string): KeyFile | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return null;
  let file: Partial<Record<keyof KeyFile, unknown>> | undefined;
  try {
    file = Object(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    // The parser's message would show a part of the key.
  }
  const { organizationId, apiPrivateKey } = file ?? {};
  if (typeof organizationId === "string" && typeof apiPrivateKey === "string") {
    return { organizationId, apiPrivateKey };
  }
  throw new InputError(
    `${path} is not a key file of an emulator: name one that \`keyhearth dev --key-file\` wrote, or a path where nothing is yet`,
    { file: path },
  );
}

/** For its owner alone, as all key files are. The user of the organization is another one after each start. */
function writeKeyFile(path: string, organization: EmulatedOrganization) {
  const { organizationId, userId, apiPublicKey, apiPrivateKey } = organization;
  const file = { organizationId, userId, apiPublicKey, apiPrivateKey };
  const unfinished = `${path}.${randomUUID()}`;
  try {
    writeFileSync(unfinished, `${JSON.stringify(file, null, 2)}\n`, { flag: "wx", mode: 0o600 });
    renameSync(unfinished, path);
  } catch (cause) {
    rmSync(unfinished, { force: true });
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new InputError(
      `the key file ${path} cannot be written (${code}): name one in a folder that exists and that you may write to`,
      { file: path },
      { cause },
    );
  }
}

function reportOf(
  url: string,
  { organizationId, userId, apiPublicKey, apiPrivateKey }: EmulatedOrganization,
  keyFile: string | undefined,
): Report {
  const key =
    keyFile ?? (apiPrivateKey === "" ? "you have it" : "not kept; --key-file FILE writes it");
  const rows = [
    ["API", url],
    ["Messages", `${url}/mailbox/messages`],
    ["Organization", organizationId],
    ["Root user", userId],
    ["API public key", apiPublicKey],
    ["Private key", key],
  ];
  const lines = rows.map(([name = "", value]) => `  ${name.padEnd(16)} ${value}`);
  return {
    exitCode: 0,
    json: { url, organizationId, userId, apiPublicKey, ...(keyFile !== undefined && { keyFile }) },
    text: (paint) =>
      [
        paint("bold", "The emulator is ready."),
        "It is for tests: everything is in memory, and gone when it stops.",
        "",
        ...lines,
        "",
        "Stop it with Ctrl+C.",
      ].join("\n"),
  };
}

/** A second signal ends the process at once. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.once(signal, () => resolve());
  });
}

/** Its own class is in another bundle. */
function isOfCaller(error: unknown): error is Error & { option: string } {
  return error instanceof Error && error.name === "EmulatorError";
}

const FLAGS: Record<string, string> = {
  port: "--port",
  organizationId: "--organization-id",
  apiPublicKey: "--api-public-key",
  apiPrivateKey: "the private key of --key-file",
};

/** As somebody at a command line calls the options. */
function inWords({ option, message }: Error & { option: string }): string {
  const flag = FLAGS[option];
  return flag === undefined ? message : message.replaceAll(`\`${option}\``, flag);
}
