import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

// The story of one payment, told with the commands that the members would type.

const answers = process.argv.slice(2).includes("--yes") ? ["--yes"] : [];
const program = fileURLToPath(new URL("treasury.ts", import.meta.url));

treasury("setup");
const recipient = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const proposed = treasury("propose", "--to", recipient, "--amount", "1.5", "--as", "ada");
const [id = ""] = /^[0-9a-f-]{36}/.exec(proposed) ?? [];
treasury("list", "--as", "carol");
// Bob has it from Ada, and so does not vote on whatever the service shows under the id.
const [, fingerprint = ""] = /--fingerprint (\S+)/.exec(proposed) ?? [];
treasury("approve", id, "--as", "bob", "--fingerprint", fingerprint, ...answers);
treasury("status", id, "--as", "carol");

/** Runs a command and shows it. A question to the approver needs the keyboard, and so its own output. */
function treasury(...args: string[]): string {
  console.log(`\n$ npm run treasury -- ${args.join(" ")}`);
  const isInteractive = args[0] === "approve";
  const { stdout, status } = spawnSync(process.execPath, [program, ...args], {
    stdio: ["inherit", isInteractive ? "inherit" : "pipe", "inherit"],
    encoding: "utf8",
  });
  if (stdout) process.stdout.write(stdout);
  if (status !== 0) process.exit(status ?? 1);
  return stdout ?? "";
}
