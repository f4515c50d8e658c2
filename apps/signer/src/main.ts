import { parseArgs } from "node:util";
import { watchDescriptors } from "@keyhearth/outbound/descriptors";
import { listenOnSocket } from "./door/socket.ts";
import { DEFAULT_PROVIDERS, PROVIDERS_VARIABLE, parseProviders } from "./oauth2/providers.ts";
import { DEFAULT_ISSUERS, ISSUERS_VARIABLE, parseIssuers } from "./oidc/issuers.ts";
import { boundLog } from "./process/bounded-log.ts";
import { logLine } from "./process/log-line.ts";
import { withoutNetwork } from "./process/without-network.ts";
import {
  acceptClock,
  acceptRestoredDatabase,
  openSigner,
  readPublicKeys,
  trustCourierIn,
} from "./signer.ts";
import { SignerStateError } from "./state/state-error.ts";

const help = `Usage: npm run signer -- [--state DIR] [--socket PATH]
       npm run -s signer -- describe [--state DIR]
       npm run -s signer -- accept-restored-database [TIME] [--state DIR]
       npm run -s signer -- accept-clock TIME [--state DIR]
       npm run -s signer -- trust-courier PUBLIC_KEY [--state DIR]

Runs the signer as a separate process. Start it under a different user id from the API and point
the API at it with KEYHEARTH_SIGNER=unix:PATH.

  --state DIR     root key, keyring and marks (KEYHEARTH_SIGNER_STATE, default ./data/signer)
  --socket PATH   Unix socket to listen on (default DIR/signer.sock)
  --create        create a root key if there is none; only for a new, empty database
  --issuers LIST  whose OpenID Connect tokens count (KEYHEARTH_OIDC_ISSUERS, default
                  ${DEFAULT_ISSUERS}): those names and https URLs, each with =/path/of/jwks.json if
                  the signer has no network; private:URL may be at a private address; or none
  --oauth2-providers LIST
                  where codes of providers that only speak OAuth 2.0 are exchanged
                  (KEYHEARTH_OAUTH2_PROVIDERS, default ${DEFAULT_PROVIDERS}), or none if the signer has no network
  -h, --help      show this text

describe
  Print the public keys that clients pin, as JSON. The signer may be running.

accept-restored-database [TIME]
  After the database was restored from a backup, believe its older documents again. Stop the
  signer first. Anyone who can run this can roll an organization back. The machine's clock must be
  one that a start would believe; otherwise, use accept-clock first. If the marks are lost, state
  TIME, as for accept-clock.

accept-clock TIME
  Believe this machine's clock again, although the signer has worked at a later time, or was stopped
  for more than 30 days. Stop the signer first. Correct the clock first too: TIME is what another
  clock says, in UTC, such as 2026-01-31T09:30Z, and the machine must agree within five minutes.
  If time is taken back, the signer refuses requests with timestamps of times at which it has
  accepted some, now and when the wrong time comes, because they may have run and nothing else
  remembers it. Sessions, keys that expire, invitations and approvals from the wrong time do not
  count before that time comes. Anyone who can run this can make the signer believe any time.

trust-courier PUBLIC_KEY
  Seal messages to this courier instead of the one that was trusted before. Stop the signer first.
  Anyone who holds the courier's private key can read every code and link.`;

withoutNetwork();
try {
  await run();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`keyhearth signer: ${message}\n`);
  process.exitCode = 1;
}

async function run() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      state: { type: "string", default: process.env.KEYHEARTH_SIGNER_STATE ?? "./data/signer" },
      socket: { type: "string" },
      create: { type: "boolean", default: false },
      issuers: {
        type: "string",
        default: process.env[ISSUERS_VARIABLE]?.trim() || DEFAULT_ISSUERS,
      },
      "oauth2-providers": {
        type: "string",
        default: process.env[PROVIDERS_VARIABLE]?.trim() || DEFAULT_PROVIDERS,
      },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${help}\n`);
  if (values.state.trim() === "") {
    throw new SignerStateError(
      "the state directory is set but empty; set --state or KEYHEARTH_SIGNER_STATE to a directory",
    );
  }
  const [command, argument = ""] = positionals;
  if (command === "accept-restored-database") {
    const { setAside, beganAtMs } = acceptRestoredDatabase(values.state, argument);
    return void process.stdout.write(
      `The signer begins new marks at ${new Date(beganAtMs).toISOString()}, with what it sees next. ${setAside === null ? "There were no old ones" : `The old ones are in ${setAside}`}.\n`,
    );
  }
  if (command === "describe") {
    const keys = readPublicKeys(values.state);
    return void process.stdout.write(`${JSON.stringify(keys, null, 2)}\n`);
  }
  if (command === "accept-clock") {
    return void process.stdout.write(describeMove(acceptClock(values.state, argument)));
  }
  if (command === "trust-courier") {
    trustCourierIn(values.state, argument);
    return void process.stdout.write("The signer seals messages to this courier from now on.\n");
  }
  if (command !== undefined)
    throw new SignerStateError(`unknown command \`${command}\`; see --help`);

  const path = values.socket ?? `${values.state}/signer.sock`;
  const issuers = parseIssuers(values.issuers);
  const providers = parseProviders(values["oauth2-providers"]);
  const { log, close: closeLog } = boundLog((event) => process.stderr.write(`${logLine(event)}\n`));
  const { shortages } = watchDescriptors(log);
  const signer = openSigner({
    stateDirectory: values.state,
    mayCreate: values.create,
    createFlag: "--create",
    log,
    issuers,
    providers,
    shortages,
  });
  const server = await listenOnSocket(path, signer.answer, log);
  process.stdout.write(`${logLine({ event: "listening", path })}\n`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      void server.close();
      signer.close();
      closeLog();
      process.stdout.write(`${logLine({ event: "stopped", signal })}\n`);
      process.exit(0);
    });
  }
}

function describeMove({ fromMs, toMs, refused }: ReturnType<typeof acceptClock>): string {
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
  const spans = refused.map(({ fromMs, untilMs }) => {
    const [first, last] = [fromMs, untilMs].map((ms) => new Date(ms).toISOString());
    return `Requests with timestamps from ${first} to ${last} are refused.\n`;
  });
  const what = toMs < fromMs ? `was taken back from ${from} to ${to}` : `goes on at ${to}`;
  return `The signer's time ${what}.\n${spans.join("")}`;
}
