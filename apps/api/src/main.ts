import cluster from "node:cluster";
import { resolve } from "node:path";
import { setFlagsFromString } from "node:v8";
import { type Config, readConfig } from "./config/config.ts";
import { StartError } from "./config/start-error.ts";
import { helpText } from "./config/variables.ts";
import type { Demo } from "./demo/demo.ts";
import { createLog, type Log } from "./observability/log.ts";
import { currentSpan } from "./observability/spans.ts";
import type { Service } from "./start/service.ts";
import { type Shown, tell } from "./start/worker.ts";
import type { Workers } from "./start/workers.ts";
import { isPassing } from "./store/unavailable.ts";

const STOP_MS = 10_000;

if (process.argv.includes("--help") || process.argv.includes("-h")) {
  process.stdout.write(helpText());
} else {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    // The first process says it, for all of them.
    if (cluster.isWorker) await tell({ kind: "ended", sentence: error.message });
    else process.stderr.write(`keyhearth: ${error.message}\n`);
    process.exit(1);
  }
}

async function run() {
  if (process.argv.slice(2).join(" ") === "--check") return check();
  const isDemo = readOptions(process.argv.slice(2));
  // This thread's young generation has its size. The flag would override those that the other threads are given.
  setFlagsFromString("--max-semi-space-size=0");
  const config = readConfig();
  if (isDemo && !config.isForDeveloper) {
    throw new StartError(
      "--demo is for a service that only this machine reaches; start without it, or without HOST, KEYHEARTH_PUBLIC_URL and KEYHEARTH_TRUSTED_PROXIES",
    );
  }
  if (isDemo && config.isRehearsal) {
    throw new StartError(
      "--demo makes an organization, and KEYHEARTH_REHEARSAL only tries a copy; start without one of them",
    );
  }
  const more = config.traces ? () => currentSpan()?.ids ?? {} : undefined;
  const log = createLog({ level: config.logLevel, isPassing, more });
  if (cluster.isWorker) return work(config, log);
  for (const warning of config.warnings) log.warn(warning);
  if (config.isRehearsal) return rehearse(config, log);
  const service =
    config.apiWorkers > 1 ? await startAll(config, log) : await startHere(config, log);
  stopOnSignal(service, log);

  const demo = isDemo ? await openDemo(service, config.dataDirectory) : null;

  // Last, because whoever reads it may stop the service at once.
  const { firstStart, mailboxUrl } = service;
  const { keyFile } = firstStart;
  show(
    firstStart.isNew
      ? "Keyhearth is ready. A new root organization was created."
      : "Keyhearth is ready.",
    [
      ["Site", service.url],
      ["API", `${service.url}/public/v1`],
      ["Reference", `${service.url}/api`],
      ...(mailboxUrl === null ? [] : [["Mailbox", mailboxUrl]]),
      // Whole paths: they are copied into the settings of programs that run elsewhere.
      ["Data directory", resolve(config.dataDirectory)],
      ["Root API key", keyFile ? resolve(keyFile) : "(not in the data directory)"],
      ["Signer public key", service.signerPublicKey],
      ...(demo === null ? [] : rowsOf(demo)),
    ],
  );
}

// What a process does not do, it does not load: the first of several processes only starts the others.

/** The service in this process. */
async function startHere(config: Config, log: Log): Promise<Service> {
  const { startService } = await import("./start/service.ts");
  return startService(config, log);
}

/** The service in several processes. */
async function startAll({ apiWorkers }: Config, log: Log): Promise<Shown & Omit<Workers, "shown">> {
  const { startWorkers } = await import("./start/workers.ts");
  const { shown, ended, stop } = await startWorkers(apiWorkers, log);
  return { ...shown, ended, stop };
}

/** One of several processes. The first one shows what it tells. */
async function work(config: Config, log: Log) {
  const { ended, stop, ...shown } = await startHere(config, log);
  stopOnSignal({ ended, stop }, log);
  await tell({ kind: "ready", shown });
}

/** Opens a restored copy. The line of the log is for the program that asked for it, and the table for a person. */
async function rehearse(config: Config, log: Log) {
  const { startRehearsal } = await import("./rehearsal/rehearsal.ts");
  const rehearsal = await startRehearsal(config, log);
  stopOnSignal(rehearsal, log);
  const { url, rootOrganizationId, signerPublicKey, copy } = rehearsal;
  log.info({ rehearsal: { url, rootOrganizationId, ...copy } }, "rehearsal: ready");
  show("This is a restored copy that is only tried. It sends nothing.", [
    ["API", `${url}/public/v1`],
    ["Data directory", resolve(config.dataDirectory)],
    ["Signer public key", signerPublicKey],
    ["Last activity", copy.lastActivityAt ?? "(none)"],
  ]);
}

function show(title: string, rows: string[][]) {
  const lines = rows.map(([name = "", value]) => `  ${name.padEnd(18)} ${value}`);
  process.stdout.write(`\n${title}\n\n${lines.join("\n")}\n\nStop it with Ctrl+C.\n`);
}

function stopOnSignal(service: Pick<Service, "ended" | "stop">, log: Log) {
  let isStopping = false;
  void service.ended.then((error) => {
    if (isStopping) return;
    isStopping = true;
    if (cluster.isWorker) void tell({ kind: "ended", sentence: error.message });
    else process.stderr.write(`keyhearth: ${error.message}\n`);
    setTimeout(() => process.exit(1), STOP_MS).unref();
    const end = () => process.exit(1);
    service.stop().then(end, end);
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      log.info({ signal }, "stopping");
      setTimeout(() => {
        log.warn("stopped, and requests that were under way have no answer");
        process.exit(0);
      }, STOP_MS).unref();
      service.stop().then(
        () => {
          log.info("stopped");
          process.exit(0);
        },
        (error) => {
          log.error({ err: error }, "stopping failed");
          process.exit(1);
        },
      );
    });
  }
}

/** For `keyhearth doctor --inside`, which shows it. */
async function check() {
  const { checkInstallation } = await import("./check/check.ts");
  process.stdout.write(`${JSON.stringify({ findings: await checkInstallation() })}\n`);
  process.exit(0);
}

/** Whether a demo is asked for. `--check` stands alone. */
function readOptions(options: string[]): boolean {
  const unknown = options.find((option) => option !== "--demo");
  if (unknown !== undefined) {
    throw new StartError(
      `there is no option \`${unknown}\`: settings are variables, such as PORT=4000 before the command; --help shows both`,
    );
  }
  return options.length > 0;
}

/** If the demo cannot be made, the service stops, because it is not what was asked for. */
async function openDemo(
  service: Pick<Service, "url" | "firstStart" | "stop">,
  dataDirectory: string,
): Promise<Demo> {
  const { url, firstStart } = service;
  const { makeDemo } = await import("./demo/demo.ts");
  try {
    return await makeDemo({ url, rootKeyFile: firstStart.keyFile, dataDirectory });
  } catch (error) {
    await service.stop();
    throw error;
  }
}

function rowsOf({ organizationId, address, keyFiles }: Demo) {
  return [
    ["Demo organization", organizationId],
    ["Demo wallet", address],
    ["Demo keys", keyFiles.map((path) => resolve(path)).join(", ")],
  ];
}
