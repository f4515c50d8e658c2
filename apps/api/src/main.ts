import { relative } from "node:path";
import { setFlagsFromString } from "node:v8";
import { readConfig } from "./config/config.ts";
import { StartError } from "./config/start-error.ts";
import { helpText } from "./config/variables.ts";
import { createLog } from "./observability/log.ts";
import { startService } from "./start/service.ts";

const STOP_MS = 10_000;

if (process.argv.includes("--help") || process.argv.includes("-h")) {
  process.stdout.write(helpText());
} else {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`keyhearth: ${error.message}\n`);
    process.exit(1);
  }
}

async function run() {
  // This thread's young generation has its size. The flag would override those that the other threads are given.
  setFlagsFromString("--max-semi-space-size=0");
  const config = readConfig();
  const log = createLog({ level: config.logLevel });
  for (const warning of config.warnings) log.warn(warning);
  const service = await startService(config, log);

  let isStopping = false;
  void service.ended.then((error) => {
    if (isStopping) return;
    isStopping = true;
    process.stderr.write(`keyhearth: ${error.message}\n`);
    setTimeout(() => process.exit(1), STOP_MS).unref();
    const end = () => process.exit(1);
    service.stop().then(end, end);
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      setTimeout(() => process.exit(0), STOP_MS).unref();
      service.stop().then(
        () => process.exit(0),
        (error) => {
          log.error({ err: error }, "stopping failed");
          process.exit(1);
        },
      );
    });
  }

  // Last, because whoever reads it may stop the service at once.
  const keyFile = service.firstStart.keyFile;
  const show = (path: string) => relative(process.cwd(), path) || path;
  const rows = [
    ["Site", service.url],
    ["API", `${service.url}/public/v1`],
    ["Reference", `${service.url}/api`],
    ...(service.mailboxUrl === null ? [] : [["Mailbox", service.mailboxUrl]]),
    ["Data directory", show(config.dataDirectory)],
    ["Root API key", keyFile ? show(keyFile) : "(not in the data directory)"],
    ["Signer public key", service.signerPublicKey],
  ];
  const lines = rows.map(([name = "", value]) => `  ${name.padEnd(18)} ${value}`);
  const title = service.firstStart.isNew
    ? "Keyhearth is ready. A new root organization was created."
    : "Keyhearth is ready.";
  process.stdout.write(`\n${title}\n\n${lines.join("\n")}\n\nStop it with Ctrl+C.\n`);
}
