import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findPostgres } from "../postgres/start.ts";
import { type Environment, type Process, readRootKey, type Service } from "../start/process.ts";
import { makeWorld, type World } from "./world.ts";

/** How the programs of a release are started. */
export type Programs = {
  startService(environment: Environment): Promise<Service>;
  startSigner(state: string): Promise<Process & { socket: string }>;
  startCourier(state: string, environment: Environment): Promise<Process & { socket: string }>;
};

/** Everything in one process, and the embedded database: `data` and `world.json`. */
export async function leaveEmbedded({ startService }: Programs, folder: string) {
  const service = await startService(embeddedIn(folder));
  await fill(service, [service], folder, "data");
}

/** Three processes and PostgreSQL: `api`, `signer`, `courier`, `keyhearth.sql` and `world.json`. */
export async function leaveProcesses(programs: Programs, folder: string, databaseUrl: string) {
  const { service, courier, signer } = await startProcesses(programs, folder, databaseUrl);
  await fill(service, [service, courier, signer], folder, "api");
  // The dump begins and ends with a word that newer psql programs take from the command and older ones do not know.
  const dump = execFileSync(
    join(findPostgres() ?? "", "pg_dump"),
    ["--no-owner", "--no-privileges", databaseUrl],
    { encoding: "utf8", maxBuffer: 1024 ** 3 },
  );
  writeFileSync(join(folder, "keyhearth.sql"), dump.replaceAll(/^\\(un)?restrict .*\n/gm, ""));
}

/** The environment of a service that keeps everything below one folder. */
export function embeddedIn(folder: string): Environment {
  return { ...OPEN, KEYHEARTH_DATA_DIR: join(folder, "data") };
}

/** Signer, courier and service. Without a mail server that answers, messages wait. */
export async function startProcesses(
  { startService, startSigner, startCourier }: Programs,
  folder: string,
  databaseUrl: string,
  smtpPort = 9,
) {
  const signer = await startSigner(join(folder, "signer"));
  const courier = await startCourier(join(folder, "courier"), {
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}?tls=off`,
    KEYHEARTH_MAIL_FROM: "login@example.com",
  });
  const environment = {
    ...OPEN,
    KEYHEARTH_DATA_DIR: join(folder, "api"),
    DATABASE_URL: databaseUrl,
    KEYHEARTH_SIGNER: `unix:${signer.socket}`,
    KEYHEARTH_COURIER: `unix:${courier.socket}`,
  };
  return { service: await startService(environment), signer, courier, environment };
}

/** Anyone can sign up, webhooks may reach this machine, and messages and requests are counted. */
const OPEN = {
  KEYHEARTH_SIGNUP: "open",
  KEYHEARTH_WEBHOOK_PRIVATE_TARGETS: "127.0.0.1",
  KEYHEARTH_RATE_LIMIT: "1000",
};

export async function stopAll(processes: Process[]) {
  for (const process of processes) {
    const outcome = await process.stop();
    if (outcome !== 0) throw new Error(`it ended with ${outcome}:\n${process.stderr()}`);
  }
}

/** Asks the service for everything, keeps what it said, and ends all processes in any case. */
async function fill(service: Service, processes: Process[], folder: string, data: string) {
  try {
    const world = await makeWorld(service, readRootKey(join(folder, data)));
    writeFileSync(join(folder, "world.json"), JSON.stringify(world));
  } catch (error) {
    await Promise.all(processes.map((each) => each.kill()));
    throw error;
  }
  await stopAll(processes);
}

export function readWorld(folder: string): World {
  return JSON.parse(readFileSync(join(folder, "world.json"), "utf8"));
}

export function restoreDump(folder: string, databaseUrl: string) {
  const file = join(folder, "keyhearth.sql");
  const psql = join(findPostgres() ?? "", "psql");
  const args = ["--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--single-transaction"];
  execFileSync(psql, [...args, `--file=${file}`, databaseUrl], { stdio: "pipe" });
}
