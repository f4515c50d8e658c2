import { rmSync } from "node:fs";
import { join } from "node:path";
import { newDataDirectory } from "../start/data-directory.ts";
import { type RootKey, readRootKey, startService } from "../start/process.ts";

export type Product = {
  url: string;
  root: RootKey;
  /** The link to the mailbox, with its token. */
  mailboxUrl: string;
  /** What a program in another process reads. */
  rootKeyFile: string;
  stop(): Promise<void>;
};

/** Starts the service with a new data directory and waits until it is ready. */
export async function startProduct(environment: Record<string, string> = {}): Promise<Product> {
  const dataDirectory = await newDataDirectory("official-clients");
  const service = await startService({ KEYHEARTH_DATA_DIR: dataDirectory, ...environment });
  return {
    url: service.url,
    root: readRootKey(dataDirectory),
    mailboxUrl: service.mailboxUrl,
    rootKeyFile: join(dataDirectory, "root-api-key.json"),
    async stop() {
      await service.stop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}
