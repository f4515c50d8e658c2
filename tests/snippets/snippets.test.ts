import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asBundled } from "../start/bundled-imports.ts";
import { newDataDirectory } from "../start/data-directory.ts";
import { compiled, type Service, startService } from "../start/process.ts";

// Runs each sample of the site against the real service, as readers would.

const snippets = fileURLToPath(new URL("../../apps/website/snippets/", import.meta.url));
const files = readdirSync(snippets).filter((file) => file.endsWith(".ts"));

let service: Service;
let dataDirectory: string;

beforeAll(async () => {
  dataDirectory = await newDataDirectory("snippets");
  service = await startService({
    KEYHEARTH_DATA_DIR: dataDirectory,
    // The receiver of webhooks among the samples listens on this machine.
    KEYHEARTH_WEBHOOK_PRIVATE_TARGETS: "127.0.0.1",
  });
});

afterAll(async () => {
  await service.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
});

test("the quickstart is among the samples", () => {
  expect(files).toContain("quickstart.ts");
});

test.each(files)("%s runs unchanged and succeeds", async (file) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...asBundled, join(snippets, file)],
    {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: compiled,
        KEYHEARTH_URL: service.url,
        KEYHEARTH_ROOT_KEY: join(dataDirectory, "root-api-key.json"),
      },
      timeout: 30_000,
    },
  );
  expect(stdout).not.toBe("");
  const recorded = join(snippets, file.replace(/\.ts$/, ".out.txt"));
  if (existsSync(recorded)) expect(numbered(stdout)).toBe(numbered(readFileSync(recorded, "utf8")));
});

/** The output with ids replaced by their order, and without times, because each run has others. */
function numbered(output: string): string {
  const ids: string[] = [];
  const timeless = output.replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "a time");
  return timeless.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
    if (!ids.includes(id)) ids.push(id);
    return `id ${ids.indexOf(id) + 1}`;
  });
}
