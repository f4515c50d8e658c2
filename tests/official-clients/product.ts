import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RootKey, readRootKey, startService } from "../start/process.ts";

export type Product = { url: string; root: RootKey; stop(): Promise<void> };

/** Starts the service as `npm start` does, with a new data directory, and waits until it is ready. */
export async function startProduct(environment: Record<string, string> = {}): Promise<Product> {
  const dataDirectory = mkdtempSync(join(tmpdir(), "keyhearth-official-clients-"));
  const service = await startService({ KEYHEARTH_DATA_DIR: dataDirectory, ...environment });
  return {
    url: service.url,
    root: readRootKey(dataDirectory),
    async stop() {
      await service.stop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}
