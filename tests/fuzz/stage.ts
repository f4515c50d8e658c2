import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createDatabase, type Postgres, startPostgres } from "../postgres/start.ts";
import {
  type Environment,
  type Process,
  type RootKey,
  readRootKey,
  type Service,
  startService,
  startSigner,
} from "../start/process.ts";

/** How the service runs: with the signer inside, with a separate signer, or with PostgreSQL too. */
export const kinds = ["embedded", "separate", "postgres"] as const;
export type Kind = (typeof kinds)[number];

/** The running product, whose parts can be killed. */
export type Stage = {
  kind: Kind;
  url: string;
  root: RootKey;
  /** Kills the service as a power cut would, and starts it again. */
  killService(): Promise<void>;
  /** The same for a separate signer. The service goes on meanwhile. */
  killSigner(): Promise<void>;
  hasSigner: boolean;
  /** What the service wrote about errors since it started. */
  log(): string;
  stop(): Promise<void>;
};

export async function openStage(directory: string, kind: Kind): Promise<Stage> {
  const port = await freePort();
  const dataDirectory = join(directory, "data");
  const state = join(directory, "signer");
  mkdirSync(directory, { recursive: true });
  let signer: (Process & { socket: string }) | undefined;
  let postgres: Postgres | undefined;
  const environment: Environment = {
    PORT: String(port),
    KEYHEARTH_DATA_DIR: dataDirectory,
    KEYHEARTH_LOG_LEVEL: "error",
  };
  if (kind === "postgres") {
    postgres = await startPostgres({ fsync: false });
    environment.DATABASE_URL = await createDatabase(postgres.url, "fuzz");
  }
  if (kind !== "embedded") {
    signer = await startSigner(state);
    environment.KEYHEARTH_SIGNER = `unix:${signer.socket}`;
  }
  let service: Service = await startService(environment);
  return {
    kind,
    url: `http://127.0.0.1:${port}`,
    root: readRootKey(dataDirectory),
    hasSigner: signer !== undefined,
    log: () => service.stderr() + service.stdout(),
    async killService() {
      await service.kill();
      service = await startService(environment);
    },
    async killSigner() {
      await signer?.kill();
      if (signer) signer = await startSigner(state);
    },
    async stop() {
      await service.stop();
      await signer?.stop();
      await postgres?.stop();
    },
  };
}

/** One port for all starts, so that everybody finds the service again. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
