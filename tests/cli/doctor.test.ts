import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { certificate } from "../../packages/cli/src/installation/outside.ts";
import { createDatabase, findPostgres, type Postgres, startPostgres } from "../postgres/start.ts";
import { mainOf, type Process, startSigner } from "../start/process.ts";
import { newPerson, type Person } from "./cli.ts";

// An installation as its operator looks at it. Without options, `secrets.test.ts` has the command.

let person: Person;
const folder = mkdtempSync(join(tmpdir(), "keyhearth-doctor-"));
beforeAll(async () => {
  person = await newPerson();
  // As the Debian package has it.
  const program = join(folder, "keyhearth-api");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${mainOf("api")}" "$@"\n`);
  chmodSync(program, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Finding = { check: string; status: string; message: string };

async function findingsOf(args: string[], env: Record<string, string> = {}, status = 0) {
  const path = `${folder}:${process.env.PATH}`;
  const ended = await person.run(["doctor", ...args, "--json"], { env: { PATH: path, ...env } });
  expect([ended.status, ended.stderr]).toEqual([status, ""]);
  const { findings }: { findings: Finding[] } = JSON.parse(ended.stdout);
  const of = (check: string) => findings.find((finding) => finding.check === check);
  return { findings, of };
}

test("from outside, it finds nothing wrong with a service of this machine, and needs no key", async () => {
  const { findings, of } = await findingsOf(["--url", person.product.url]);
  expect(findings.filter(({ status }) => status === "error")).toEqual([]);
  for (const check of ["TLS", "service", "release", "clock", "readiness", "metrics", "CORS"]) {
    expect([check, of(check)?.status]).toEqual([check, "ok"]);
  }
  expect(of("pinned keys")).toMatchObject({ status: "warning" });
});

test("a proxy that hides for whom it asks, and drops headers, is found", async () => {
  // At an address of this machine that is not a loopback name, as a proxy's would be.
  const proxy = createServer(async (request, response) => {
    const { method = "GET", url = "/" } = request;
    const answer = await fetch(person.product.url + url, { method, redirect: "manual" });
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { date: answer.headers.get("date") ?? "" }).end(body);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.2", resolve));
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo; // A server that listens on a port has one.
  const { of } = await findingsOf(["--url", `http://127.0.0.2:${port}`], {}, 1);
  expect(of("TLS")).toMatchObject({ status: "error" });
  expect(of("metrics")).toMatchObject({
    status: "error",
    message: expect.stringContaining("anybody may read /metrics"),
  });
  expect(of("headers")).toMatchObject({ status: "warning" });
  expect(of("CORS")).toMatchObject({ status: "warning" });
});

test("a certificate is looked at before it ends", () => {
  const day = 24 * 60 * 60 * 1000;
  expect(certificate(60 * day, 0).status).toBe("ok");
  expect(certificate(13 * day, 0)).toMatchObject({
    status: "warning",
    message: "the certificate ends in 13 days: see why it was not renewed",
  });
  expect(certificate("CERT_HAS_EXPIRED", 0).status).toBe("error");
});

test("a file of settings that cannot be read, or has a line of another form, gives one sentence", async () => {
  const path = { env: { PATH: `${folder}:${process.env.PATH}` } };
  const noFile = await person.run(["doctor", "--env-file", "/nowhere/api.env"], path);
  expect(noFile.status).toBe(2);
  expect(noFile.stderr).toMatch(/^keyhearth: \/nowhere\/api\.env cannot be read: .+\n$/);
  const file = join(folder, "wrong.env");
  writeFileSync(file, "PORT=3000\nthis is no setting with hunter2\n");
  const wrong = await person.run(["doctor", "--env-file", file], path);
  expect(wrong.stderr).toContain(`line 2 of ${file} must be NAME=value`);
  expect(wrong.stderr).not.toContain("hunter2");
});

test("the age of a backup", async () => {
  const copies = join(folder, "copies");
  mkdirSync(copies);
  expect((await findingsOf(["--backup", copies], {}, 1)).of("backup")?.status).toBe("error");
  const copy = join(copies, "keyhearth.dump");
  writeFileSync(copy, "");
  expect((await findingsOf(["--backup", copies])).of("backup")?.status).toBe("ok");
  const before = Date.now() / 1000 - 30 * 60 * 60;
  utimesSync(copy, before, before);
  expect((await findingsOf(["--backup", copies], {}, 1)).of("backup")?.message).toContain(
    "is 30 hours old",
  );
});

test("a setting that the service would refuse is what it says, without a secret", async () => {
  const secret = "mysql://keyhearth:hunter2@db/keyhearth";
  const { findings, of } = await findingsOf(["--inside"], { DATABASE_URL: secret }, 1);
  expect(findings).toHaveLength(1);
  expect(of("settings")?.message).toMatch(/^DATABASE_URL has a value that is not accepted/);
  expect(JSON.stringify(findings)).not.toContain("hunter2");
});

test.runIf(findPostgres() !== null)(
  "from inside: the signer, what it has in common with the database, settings that lose commits, modes",
  { timeout: 120_000 },
  async () => {
    const state = join(folder, "signer");
    const data = join(folder, "data");
    mkdirSync(data, { mode: 0o755 });
    chmodSync(data, 0o755);
    writeFileSync(join(data, "keyhearth.json"), "{}");
    let [postgres, signer]: [Postgres | undefined, Process | undefined] = [undefined, undefined];
    onTestFinished(async () => {
      await signer?.stop();
      await postgres?.stop();
    });
    postgres = await startPostgres({ fsync: false });
    const { socket, ...running } = await startSigner(state);
    signer = running;
    const file = join(folder, "api.env");
    const lines = [
      "# The settings of the unit",
      "HOST=0.0.0.0",
      "KEYHEARTH_PUBLIC_URL=https://keys.example.com",
      `KEYHEARTH_DATA_DIR="${data}"`,
      `KEYHEARTH_SIGNER=unix:${socket}`,
      `DATABASE_URL=${await createDatabase(postgres.url, "doctor")}`,
    ];
    writeFileSync(file, `${lines.join("\n")}\n`);
    const { of } = await findingsOf(["--env-file", file], {}, 1);
    expect(of("permissions")).toMatchObject({
      status: "error",
      message: expect.stringContaining(`chmod go-rwx ${data}`),
    });
    expect(of("separate signer")?.status).toBe("ok");
    expect(of("signer")?.message).toContain("it answers");
    expect(of("signer's clock")?.status).toBe("ok");
    expect(of("database")?.status).toBe("ok");
    expect(of("fsync")).toMatchObject({
      status: "error",
      message: expect.stringContaining("set fsync = on"),
    });
    expect(of("disk")).toBeDefined();

    await signer.stop();
    const gone = await findingsOf(["--env-file", file], {}, 1);
    expect(gone.of("signer")?.message).toContain("does not answer at");
    expect(gone.of("database")?.status).toBe("ok");
  },
);
