import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newDataDirectory } from "./data-directory.ts";
import { type RootKey, readRootKey, type Service, startService } from "./process.ts";

export type SharedProduct = {
  url: string;
  root: RootKey;
  /** What a program in another process reads from its environment. */
  environment: { KEYHEARTH_URL: string; KEYHEARTH_ROOT_KEY: string };
};

let started: Promise<SharedProduct> | undefined;

/**
 * One product for all files that run in this process, as the start costs seconds. A file that uses it
 * leaves the parent organization as it is, apart from what it adds under names of its own. It ends with
 * this process.
 */
export function sharedProduct(): Promise<SharedProduct> {
  started ??= start();
  return started;
}

async function start(): Promise<SharedProduct> {
  const directory = await newDataDirectory("shared");
  const endsWithUs = fileURLToPath(new URL("end-with-parent.ts", import.meta.url));
  const service: Service = await startService({ KEYHEARTH_DATA_DIR: directory }, [
    "--import",
    endsWithUs,
  ]);
  return {
    url: service.url,
    root: readRootKey(directory),
    environment: {
      KEYHEARTH_URL: service.url,
      KEYHEARTH_ROOT_KEY: join(directory, "root-api-key.json"),
    },
  };
}
