import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { findPostgres, startPostgres } from "./start.ts";

describe.runIf(findPostgres())("a PostgreSQL for tests", () => {
  test("answers queries and is gone after stop", async () => {
    const { url, stop } = await startPostgres({ fsync: false });
    expect(await ask(url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await stop();
    await expect(ask(url, "SELECT 1")).rejects.toThrow();
  });

  test("can be halted and resumed with what it holds", async () => {
    const postgres = await startPostgres({ fsync: false });
    await ask(postgres.url, "CREATE TABLE kept AS SELECT 1 AS one");
    await postgres.halt();
    await expect(ask(postgres.url, "SELECT 1")).rejects.toThrow();
    await postgres.resume();
    expect(await ask(postgres.url, "SELECT one FROM kept")).toEqual([{ one: 1 }]);
    await postgres.stop();
    await expect(ask(postgres.url, "SELECT 1")).rejects.toThrow();
  });

  test("does not outlive the process that started it, even a killed one", async () => {
    const start = fileURLToPath(new URL("./start.ts", import.meta.url));
    const script = `import { startPostgres } from ${JSON.stringify(start)};
      const { url } = await startPostgres({ fsync: false });
      console.log(url);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [url] = (await once(createInterface(child.stdout), "line")) as [string];
    expect(await ask(url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    child.kill("SIGKILL");
    await once(child, "exit");
    await expect
      .poll(
        () =>
          ask(url, "SELECT 1").then(
            () => "alive",
            () => "gone",
          ),
        { timeout: 10_000 },
      )
      .toBe("gone");
  });
});

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
