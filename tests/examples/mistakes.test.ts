import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Playground, run, start, startPlayground } from "./programs.ts";

// What the examples say to somebody who has not started Keyhearth, or has started another one: a sentence that
// helps, and no trace of the code.

let playground: Playground;
let environment: Record<string, string>;
const place = (name: string) => join(playground.directory, name);

beforeAll(async () => {
  playground = await startPlayground();
  environment = {
    ...playground.environment,
    PAYOUTS_DATA: place("payouts"),
    TREASURY_DATA: place("treasury"),
    PORT: "0",
  };
}, 60_000);
afterAll(() => playground?.stop());

/** What a program says that ends with one line. */
async function sentence(file: string, args: string[], changes: Record<string, string> = {}) {
  const { code, output } = await run(file, args, { ...environment, ...changes });
  expect(output.trim().split("\n")).toHaveLength(1);
  expect(code).toBe(1);
  return output.trim();
}

const programs = [
  ["server-signer/setup.ts", []],
  ["treasury/treasury.ts", ["setup"]],
  ["passkey-wallet/server.ts", []],
] as const;

test.each(programs)("%s without a service names the service", async (file, args) => {
  const KEYHEARTH_URL = "http://127.0.0.1:1";
  expect(await sentence(file, [...args], { KEYHEARTH_URL })).toMatch(
    /^Keyhearth does not answer at http:\/\/127\.0\.0\.1:1\. Start it.*, or set KEYHEARTH_URL to its address\.$/,
  );
});

test.each(programs)("%s without a key names the key", async (file, args) => {
  const KEYHEARTH_ROOT_KEY = place("nothing.json");
  const said = await sentence(file, [...args], { KEYHEARTH_ROOT_KEY });
  expect(said).toMatch(/nothing\.json cannot be read .* key file: set KEYHEARTH_ROOT_KEY to it\.$/);
  expect(said).not.toContain("setup");
});

test.each(programs)("%s with a broken key file names the file, not the key", async (file, args) => {
  const KEYHEARTH_ROOT_KEY = place("broken.json");
  const { apiPrivateKey } = playground.root;
  writeFileSync(KEYHEARTH_ROOT_KEY, `{"apiPrivateKey":"${apiPrivateKey}"`);
  const said = await sentence(file, [...args], { KEYHEARTH_ROOT_KEY });
  expect(said).toMatch(/broken\.json is not a key file: .*: set KEYHEARTH_ROOT_KEY to it\.$/);
  expect(said).not.toContain(apiPrivateKey.slice(0, 8));
});

test.each(programs)("%s with the key of another installation names it", async (file, args) => {
  const KEYHEARTH_ROOT_KEY = place("foreign.json");
  const key = { ...playground.root, organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" };
  writeFileSync(KEYHEARTH_ROOT_KEY, JSON.stringify(key));
  expect(await sentence(file, [...args], { KEYHEARTH_ROOT_KEY })).toMatch(
    /^The key in .*foreign\.json is of another installation .* or KEYHEARTH_ROOT_KEY to root-api-key\.json/,
  );
});

test("the state of another installation is named, with what to delete", async () => {
  const key = { ...playground.root, organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" };
  for (const folder of ["payouts", "treasury"]) mkdirSync(place(folder));
  for (const file of ["payouts/server.json", "payouts/approver.json", "treasury/ada.json"]) {
    writeFileSync(place(file), JSON.stringify(key));
  }
  const treasury = { ...key, address: "0x00", members: { ada: key.apiPublicKey } };
  writeFileSync(place("treasury/treasury.json"), JSON.stringify(treasury));
  for (const [file, args, folder] of [
    ["server-signer/setup.ts", [], "payouts"],
    ["server-signer/approve.ts", [key.organizationId], "payouts"],
    ["treasury/treasury.ts", ["list", "--as", "ada"], "treasury"],
  ] as const) {
    expect(await sentence(file, [...args])).toMatch(
      new RegExp(`The keys in ${place(folder)} are of another installation .* delete that folder`),
    );
  }
  for (const folder of ["payouts", "treasury"]) rmSync(place(folder), { recursive: true });
});

test("a port that is in use is named", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  const PORT = String(typeof address === "object" ? address?.port : "");
  try {
    expect(await sentence("passkey-wallet/server.ts", [], { PORT })).toContain("set PORT");
    const made = await run("server-signer/setup.ts", [], environment);
    expect(made.code).toBe(0);
    expect(await sentence("server-signer/server.ts", [], { PORT })).toContain(`Port ${PORT} is`);
  } finally {
    other.close();
  }
});

test("a command or an id that means nothing is answered in words", async () => {
  const unknown = await run("treasury/treasury.ts", ["frob"], environment);
  expect(unknown.output).toMatch(/^There is no command frob\./);
  const server = start("server-signer/server.ts", [], environment);
  await server.waitFor(/\/payouts/);
  await server.stop();
  expect(await sentence("server-signer/approve.ts", ["nonsense"])).not.toContain(" at ");
  const flag = await run("server-signer/approve.ts", ["--frob"], environment);
  expect(flag.output).toMatch(/'--frob'.*\nUsage: npm run approve/);
});
