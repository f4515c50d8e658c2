import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { openSigner } from "@keyhearth/signer/signer";
import { flags } from "../../scripts/setup/allocation.mjs";
import { type Environment, mainOf, type Process, run, until } from "./process.ts";

/** Runs a command of the signer, and returns the line that it prints. */
export async function pair(...args: string[]): Promise<string> {
  const command = [mainOf("signer"), "pair", ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  return stdout.trim();
}

export type RemoteSigner = Process & {
  /** As KEYHEARTH_SIGNER has it. */
  address: string;
  port: number;
  pin: string;
  /** Each line of its log. */
  lines(): Record<string, unknown>[];
};

/** Runs a signer that listens by TLS alone. Its state is made if there is none. */
export async function startRemoteSigner(state: string, port = 0): Promise<RemoteSigner> {
  if (!existsSync(join(state, "keyring"))) {
    openSigner({ stateDirectory: state, mayCreate: true, log: () => {} }).close();
  }
  const pin = await pair("--state", state);
  return { ...(await runRemoteSigner(state, port)), pin };
}

/** The same of a state that is there, and whose pin is known. */
export async function runRemoteSigner(
  state: string,
  port: number,
  environment: Environment = {},
): Promise<Omit<RemoteSigner, "pin">> {
  const listen = ["--socket", "none", "--listen", `127.0.0.1:${port}`];
  const args = [mainOf("signer"), "--state", state, ...listen, "--issuers", "none"];
  const process = run([...flags, ...args], environment);
  await until(process, () => process.stdout().includes("listening"));
  const [, bound = ""] = /"address":"127\.0\.0\.1:(\d+)"/.exec(process.stdout()) ?? [];
  const lines = () =>
    process
      .stderr()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
  return { ...process, address: `tls://127.0.0.1:${bound}`, port: Number(bound), lines };
}

/** The settings of a service whose key is paired with these signers. */
export async function pairedWith(
  dataDirectory: string,
  states: string[],
  signers: Pick<RemoteSigner, "address" | "pin">[],
): Promise<Environment> {
  const key = join(dataDirectory, "signer-door-key");
  const line = await pair("--api", key);
  for (const state of states) await pair("--state", state, "api-1", line);
  return {
    KEYHEARTH_DATA_DIR: dataDirectory,
    KEYHEARTH_SIGNER: signers.map(({ address }) => address).join(","),
    KEYHEARTH_SIGNER_PINS: [...new Set(signers.map(({ pin }) => pin))].join(","),
  };
}
