import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSmtp } from "@keyhearth/courier/smtp.testing";
import { startWorker } from "../../bench/worker.ts";
import { createDatabase, startPostgres } from "../postgres/start.ts";
import { type RootKey, readRootKey, type Service, startService } from "../start/process.ts";

export type Database = "embedded" | "postgres";

/** The real service, its database, and what it sends to. */
export type Bed = {
  service: Service;
  root: RootKey;
  webhookUrl: string;
  stop(): Promise<void>;
};

/** As it runs behind a proxy, with its default limits. The proxy is on this machine. */
export async function openBed(database: Database, profile?: string): Promise<Bed> {
  const directory = mkdtempSync(join(tmpdir(), "keyhearth-load-"));
  const postgres = database === "postgres" ? await startPostgres() : null;
  const smtp = await startSmtp();
  const receiver = startWorker<object, { url: string }>("receiver.ts");
  const { url: webhookUrl } = await receiver.ask({});
  const dataDirectory = join(directory, "data");
  const environment = {
    KEYHEARTH_DATA_DIR: dataDirectory,
    ...(postgres && { DATABASE_URL: await createDatabase(postgres.url, "load") }),
    KEYHEARTH_TRUSTED_PROXIES: "127.0.0.1",
    KEYHEARTH_SIGNUP: "open",
    KEYHEARTH_WEBHOOK_PRIVATE_TARGETS: "127.0.0.1",
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    KEYHEARTH_MAIL_FROM: "login@acme.example",
    SMS_WEBHOOK_URL: webhookUrl,
    KEYHEARTH_LOG_LEVEL: "error",
  };
  const profiling = profile === undefined ? [] : ["--cpu-prof", "--cpu-prof-dir", profile];
  // What it measures is promised of `npm start`.
  const service = await startService(environment, profiling, { isFromSources: true });
  return {
    service,
    root: readRootKey(dataDirectory),
    webhookUrl,
    async stop() {
      await service.stop();
      receiver.stop();
      await smtp.stop();
      await postgres?.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
