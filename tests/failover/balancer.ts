import { chownSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adapt, snippet } from "../postgres/patroni.ts";
import { findProgram, type Program, startProgram } from "../postgres/programs.ts";
import { freePort, makeDirectory, unprivilegedUser } from "../postgres/start.ts";

export type Balancer = {
  url: string;
  /** What it says of the API processes. */
  output(): string;
  stop(): Promise<void>;
};

/** HAProxy with the file of the site, and the addresses of this machine. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const haproxy = findProgram("haproxy");
  if (haproxy === null) throw new Error("HAProxy is not installed");
  const port = await freePort();
  const text = adapt(snippet("haproxy-api.cfg"), [
    ["127.0.0.1:8080", `127.0.0.1:${port}`],
    ...ports.map((each, i): [string, string] => [`10.0.0.1${i + 1}:3000`, `127.0.0.1:${each}`]),
  ]);
  const owner = unprivilegedUser();
  const directory = makeDirectory(owner);
  const path = join(directory, "haproxy.cfg");
  writeFileSync(path, text, { mode: 0o600 });
  if (owner) chownSync(path, owner.uid, owner.gid);
  const program = startProgram(haproxy, ["-db", "-f", path], { directory });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, program);
  return {
    url,
    output: program.output,
    async stop() {
      await program.kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function untilReady(url: string, program: Program) {
  const giveUpAt = performance.now() + 90_000;
  for (;;) {
    const status = await fetch(`${url}/readyz`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    if (performance.now() > giveUpAt) throw new Error(`no API is ready:\n${program.output()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
