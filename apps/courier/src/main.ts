import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { watchDescriptors } from "@keyhearth/outbound/descriptors";
import { createCourier } from "./courier.ts";
import { assertKnownForm, keepForm } from "./form-file.ts";
import { courierPublicKeyOf, keepCourierKey, prepareCourierKey } from "./key-file.ts";
import { courierSecrets, readSecretFiles } from "./secret-files.ts";
import { courierVariables, readCourierSettings } from "./settings.ts";
import { listenOnSocket } from "./socket.ts";
import { CourierStartError } from "./start-error.ts";
import { FOR_OWNER_AND_SOCKETS, tightenDirectory } from "./state-directory.ts";

const help = `Usage: npm run courier -- [--state DIR] [--socket PATH]
       npm run -s courier -- describe [--state DIR]

Runs the courier as a separate process, which opens, renders and sends messages. Start it under a
different user id from the API and point the API at it with KEYHEARTH_COURIER=unix:PATH.

  --state DIR     the private key (KEYHEARTH_COURIER_STATE, default ./data/courier)
  --socket PATH   Unix socket to listen on (default DIR/courier.sock)
  -h, --help      show this text

describe
  Print the public key, for \`npm run signer -- trust-courier\`. The courier may be running.

Environment: ${Object.keys(courierVariables).join(", ")}

${courierSecrets.join(", ")} can be in files:
name each with _FILE, such as SMTP_URL_FILE=/run/secrets/smtp-url.
`;

try {
  await run();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`keyhearth courier: ${message}\n`);
  process.exitCode = 1;
}

async function run() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      state: { type: "string", default: process.env.KEYHEARTH_COURIER_STATE ?? "./data/courier" },
      socket: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(help);
  if (values.state.trim() === "") {
    throw new CourierStartError(
      "the state directory is set but empty; set --state or KEYHEARTH_COURIER_STATE to a directory",
    );
  }
  const [command] = positionals;
  if (command !== undefined && command !== "describe") {
    throw new CourierStartError(`unknown command \`${command}\`; see --help`);
  }
  makeDirectory(values.state);
  // Another user, such as root, may ask for the public key.
  const isStart = command === undefined;
  const problem = isStart ? tightenDirectory(values.state, FOR_OWNER_AND_SOCKETS) : null;
  if (problem !== null)
    throw new CourierStartError(`the state directory ${values.state} ${problem}`);
  const form = join(values.state, "form");
  assertKnownForm(values.state, form);
  const path = join(values.state, "courier-key");
  const privateKey = prepareCourierKey(path, { mayCreate: isStart });
  if (!privateKey)
    throw new CourierStartError(`there is no key ${path}; start the courier once to make one`);
  keepCourierKey(path);
  if (isStart) keepForm(form);
  const publicKey = courierPublicKeyOf(privateKey);
  if (command === "describe") return void process.stdout.write(`${publicKey}\n`);

  const settings = readCourierSettings(readSecretFiles(process.env, courierSecrets));
  if (!settings.smtp && !settings.sms) {
    throw new CourierStartError(
      "nothing to send with: set SMTP_URL, TWILIO_ACCOUNT_SID or SMS_WEBHOOK_URL in the courier's environment",
    );
  }
  const courier = createCourier({ privateKey, settings });
  const socket = values.socket ?? join(values.state, "courier.sock");
  watchDescriptors(log);
  const server = await listenOnSocket(socket, courier.answer, log);
  process.stdout.write(lineOf("info", { event: "listening", path: socket, publicKey }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      void server.close();
      courier.close();
      process.stdout.write(lineOf("info", { event: "stopped", signal }));
      process.exit(0);
    });
  }
}

function makeDirectory(state: string) {
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : cause;
    throw new CourierStartError(
      `the state directory ${state} cannot be made (${code}); mount a volume there, or make the directory for this user`,
      { cause },
    );
  }
}

function log({ cause, ...event }: { event: string; cause?: Error }) {
  process.stderr.write(lineOf("error", { ...event, detail: cause?.message }));
}

function lineOf(level: "info" | "error", event: { event: string; [member: string]: unknown }) {
  return `${JSON.stringify({ time: new Date().toISOString(), level, ...event })}\n`;
}
