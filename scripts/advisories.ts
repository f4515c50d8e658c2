// Asks npm's registry for advisories about the packages of package-lock.json, and checks that the registry signed
// them. A registry or a key server that cannot be reached proves nothing, so that is said and passes.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { readAudit } from "./advisories/read-audit.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

for (const args of [
  ["audit", "--omit=dev", "--audit-level=high"],
  ["audit", "signatures"],
]) {
  const name = `npm ${args.join(" ")}`;
  const { code, stdout } = await npm([...args, "--json", "--fetch-retries=1"]);
  const found = readAudit(stdout, code);
  if (found === "nothing") console.log(`${name}: nothing found`);
  else if ("unreachable" in found) console.log(`${name}: passed over, ${found.unreachable}`);
  else {
    console.error(`${name}:\n${found.report}`);
    process.exitCode = 1;
  }
}

function npm(args: string[]): Promise<{ code: number; stdout: string }> {
  const options = { cwd: root, timeout: 300_000, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    const child = execFile("npm", args, options, (_, stdout) =>
      resolve({ code: child.exitCode ?? 1, stdout }),
    );
  });
}
