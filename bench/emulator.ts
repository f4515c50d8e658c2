import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeProject, nodes, runIn } from "../tests/emulator/project.ts";
import type { Line } from "./report.ts";

/** How long a test runner waits for the emulator, from the start of a process that has it from its tarball. */

type Times = { readyMs: number; signedMs: number };

const RUNS = 5;
const READY_MS = 3000;
const SIGNED_MS = 3200;

/** `performance.now()` counts from the start of the process. */
const program = `
import { startEmulator } from "@keyhearth/cli/emulator";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";

const emulator = await startEmulator();
const readyMs = performance.now();
const { organizationId, ...apiKey } = emulator.organization;
const stamper = new ApiKeyStamper(apiKey);
const client = new KeyhearthClient({ baseUrl: emulator.url, organizationId, stamper });
const accounts = [{
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
}];
const { addresses } = await client.createWallet({ walletName: "First", accounts });
await client.signRawPayload({
  signWith: addresses[0],
  payload: "${"ab".repeat(32)}",
  encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
  hashFunction: "HASH_FUNCTION_NO_OP",
});
console.log(JSON.stringify({ readyMs, signedMs: performance.now() }));
await emulator.close();
`;

export async function measureEmulator(progress: (text: string) => void) {
  const project = await makeProject();
  try {
    writeFileSync(join(project.folder, "measure.mjs"), program);
    const measured: Record<string, Times[]> = {};
    const lines: Line[] = [];
    for (const [version, node] of await nodes()) {
      progress(`the emulator on Node.js ${version}`);
      const runs: Times[] = [];
      for (let run = 0; run < RUNS; run++) {
        const { code, stdout, stderr } = await runIn(project.folder, [node, "measure.mjs"]);
        if (code !== 0) throw new Error(`the emulator did not start: ${stderr}`);
        runs.push(JSON.parse(stdout));
      }
      measured[version] = runs;
      lines.push(
        lineOf(`emulator ready, Node.js ${version}`, medianOf(runs, "readyMs"), READY_MS),
        lineOf(
          `emulator, first signature, Node.js ${version}`,
          medianOf(runs, "signedMs"),
          SIGNED_MS,
        ),
      );
    }
    return { lines, measured };
  } finally {
    await project.remove();
  }
}

function medianOf(runs: readonly Times[], member: keyof Times): number {
  const sorted = runs.map((each) => each[member]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function lineOf(what: string, ms: number, mostMs: number): Line {
  return {
    what,
    result: `${(ms / 1000).toFixed(2)} s`,
    target: `< ${mostMs / 1000} s`,
    isMet: ms < mostMs,
  };
}
