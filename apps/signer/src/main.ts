import { parseArgs } from "node:util";
import { isMainThread } from "node:worker_threads";
import { watchDescriptors } from "@keyhearth/outbound/descriptors";
import { createDoor } from "./door/door.ts";
import { listenOnNetwork, parseListenAddress } from "./door/network.ts";
import { openPairing, pair, pairApi } from "./door/pair.ts";
import { listenOnSocket } from "./door/socket.ts";
import { DEFAULT_PROVIDERS, PROVIDERS_VARIABLE, parseProviders } from "./oauth2/providers.ts";
import { DEFAULT_ISSUERS, ISSUERS_VARIABLE, parseIssuers } from "./oidc/issuers.ts";
import { boundLog } from "./process/bounded-log.ts";
import { logLine } from "./process/log-line.ts";
import { withoutNetwork } from "./process/without-network.ts";
import { MARKS_VARIABLE, parseMarksVariable } from "./replication/etcd.ts";
import { NAME_VARIABLE, parseName } from "./replication/shared-signer.ts";
import { TermLost } from "./replication/term.ts";
import {
  acceptClock,
  acceptRestoredDatabase,
  inOwnState,
  openSharedSigner,
  openSigner,
  readPublicKeys,
  shareMarksOf,
  trustCourierIn,
} from "./signer.ts";
import { SignerStateError } from "./state/state-error.ts";
import { moreThanCores, parseWorkers, WORKERS_VARIABLE } from "./workers/count.ts";
import { serveThread } from "./workers/thread.ts";
import { workersOf } from "./workers/threads.ts";

const help = `Usage: npm run signer -- [--state DIR] [--socket PATH] [--listen HOST:PORT]
       npm run -s signer -- describe [--state DIR]
       npm run -s signer -- pair [--state DIR] [NAME LINE | --list | --remove NAME]
       npm run -s signer -- pair [--state DIR] --next | --use-next
       npm run -s signer -- pair --api FILE
       npm run -s signer -- accept-restored-database [TIME] [--state DIR]
       npm run -s signer -- accept-clock TIME [--state DIR]
       npm run -s signer -- trust-courier PUBLIC_KEY [--state DIR]
       npm run -s signer -- share-marks [--marks WHERE] [--state DIR]

Runs the signer as a separate process. Start it under a different user id from the API and point
the API at it with KEYHEARTH_SIGNER=unix:PATH, or on another machine with tls://HOST:PORT.

  --state DIR     root key, keyring and marks (KEYHEARTH_SIGNER_STATE, default ./data/signer)
  --socket PATH   Unix socket to listen on (default DIR/signer.sock), or none
  --listen HOST:PORT
                  IP address and port for APIs on other machines (KEYHEARTH_SIGNER_LISTEN), by TLS
                  1.3 with paired keys
  --create        create a root key if there is none; only for a new, empty database
  --issuers LIST  whose OpenID Connect tokens count (KEYHEARTH_OIDC_ISSUERS, default
                  ${DEFAULT_ISSUERS}): those names and https URLs, each with =/path/of/jwks.json if
                  the signer has no network; private:URL may be at a private address; or none
  --oauth2-providers LIST
                  where codes of providers that only speak OAuth 2.0 are exchanged
                  (KEYHEARTH_OAUTH2_PROVIDERS, default ${DEFAULT_PROVIDERS}), or none if the signer has no network
  --marks WHERE   local, or the etcd cluster in which several signers share their marks, such as
                  etcd:https://10.0.0.1:2379,https://10.0.0.2:2379 (KEYHEARTH_MARKS, default local)
  --name NAME     of this signer among those that share marks (KEYHEARTH_SIGNER_NAME, default the
                  machine's)
  --workers N     threads that decide, from 1 to 8 (KEYHEARTH_SIGNER_WORKERS, default one less than
                  the machine has cores); with 1 there is no thread beside the one that serves
  -h, --help      show this text

describe
  Print the public keys that clients pin, as JSON. The signer may be running.

pair
  Print the line of this signer, for KEYHEARTH_SIGNER_PINS of each API. Makes its key if there is
  none. The signer may be running, here and below.
  pair --api FILE     on the API's machine: print the line of the API whose key is in FILE. Makes
                      the key if there is none; KEYHEARTH_SIGNER_KEY_PATH names the file
  pair NAME LINE      let the API with this line connect. Anyone with its key can send requests
  pair --list         print who may connect
  pair --remove NAME  let an API connect no longer. Its key stays refused
  pair --next         print the line of this signer's next key, to be added to
                      KEYHEARTH_SIGNER_PINS of each API
  pair --use-next     use that key from the next start on

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
  Anyone who holds the courier's private key can read every code and link.

share-marks
  Begin to share marks in etcd, or begin again, with those of this signer. Stop all signers first, run
  this on the machine of the one that decided last, and copy its state directory to the others. With
  --marks local, this signer goes on alone. Anyone who can run this can roll back what the other
  signers have decided.`;

withoutNetwork();
// A worker runs this file too.
if (isMainThread) await runOrSayWhyNot();
else serveThread();

async function runOrSayWhyNot() {
  try {
    await run();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`keyhearth signer: ${message}\n`);
    process.exitCode = 1;
  }
}

async function run() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      state: { type: "string", default: process.env.KEYHEARTH_SIGNER_STATE ?? "./data/signer" },
      socket: { type: "string" },
      listen: { type: "string" },
      create: { type: "boolean", default: false },
      issuers: {
        type: "string",
        default: process.env[ISSUERS_VARIABLE]?.trim() || DEFAULT_ISSUERS,
      },
      "oauth2-providers": {
        type: "string",
        default: process.env[PROVIDERS_VARIABLE]?.trim() || DEFAULT_PROVIDERS,
      },
      list: { type: "boolean", default: false },
      remove: { type: "string" },
      next: { type: "boolean", default: false },
      "use-next": { type: "boolean", default: false },
      api: { type: "string" },
      marks: { type: "string", default: process.env[MARKS_VARIABLE] ?? "local" },
      name: { type: "string", default: process.env[NAME_VARIABLE] },
      workers: { type: "string", default: process.env[WORKERS_VARIABLE] },
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
  if (command === "pair") {
    const { state, api, ...asked } = values;
    const words = positionals.slice(1);
    return void process.stdout.write(
      api === undefined
        ? inOwnState(state, (paths) => pair(paths, words, asked))
        : pairApi(api, words, asked),
    );
  }
  if (command === "accept-restored-database") {
    const isEtcd = parseMarksVariable(values.marks) !== null;
    const restored = acceptRestoredDatabase(values.state, argument, { isShared: isEtcd });
    const { setAside, beganAtMs, isShared } = restored;
    return void process.stdout.write(
      `The signer begins new marks at ${new Date(beganAtMs).toISOString()}, with what it sees next. ${setAside === null ? "There were no old ones" : `The old ones are in ${setAside}`}.\n${isShared ? SHARE_NEXT : ""}`,
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
  const etcd = parseMarksVariable(values.marks);
  if (command === "share-marks") {
    await shareMarksOf(values.state, etcd);
    return void process.stdout.write(
      etcd
        ? "The shared marks begin with those of this signer. Copy its state directory to the other signers before you start them.\n"
        : "This signer no longer shares its marks. Start no other signer of this installation.\n",
    );
  }
  if (command !== undefined)
    throw new SignerStateError(`unknown command \`${command}\`; see --help`);

  const path = values.socket ?? `${values.state}/signer.sock`;
  const listen = values.listen ?? process.env.KEYHEARTH_SIGNER_LISTEN?.trim();
  const network = listen ? parseListenAddress(listen) : null;
  if (path === "none" && !network) {
    throw new SignerStateError(
      "--socket is `none` and there is no --listen, so nobody could connect; set one of them",
    );
  }
  const issuers = parseIssuers(values.issuers);
  const providers = parseProviders(values["oauth2-providers"]);
  const workers = parseWorkers(values.workers);
  const { log, close: closeLog } = boundLog((event) => process.stderr.write(`${logLine(event)}\n`));
  const { shortages } = watchDescriptors(log);
  const options = {
    stateDirectory: values.state,
    mayCreate: values.create,
    createFlag: "--create",
    log,
    issuers,
    providers,
    shortages,
    startThreads: workersOf({ count: workers }),
  };
  const crowd = moreThanCores(workers);
  if (crowd) log(crowd);
  const signer = etcd
    ? openSharedSigner({ ...options, etcd, name: parseName(values.name) })
    : openSigner(options);
  const door = createDoor(signer.answer, log, {
    workers: signer.workers,
    workerFor: signer.workerFor,
  });
  const places: { close(): Promise<void>; shown: object }[] = [];
  try {
    await signer.started;
    if (network) {
      const { key, paired } = openPairing(values.state, log);
      const { address, close } = await listenOnNetwork(network, { key, paired, door, log });
      places.push({ close, shown: { address } });
    }
    if (path !== "none") {
      places.push({ ...(await listenOnSocket(path, door, log)), shown: { path } });
    }
  } catch (error) {
    for (const { close } of places) void close();
    await signer.close();
    throw error;
  }
  for (const { shown } of places) {
    process.stdout.write(`${logLine({ event: "listening", ...shown })}\n`);
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, async () => {
      for (const { close } of places) void close();
      await signer.close();
      closeLog();
      process.stdout.write(`${logLine({ event: "stopped", signal })}\n`);
      process.exit(0);
    });
  }
  if (!("ended" in signer)) return;
  // A signer that has lost its term starts again as a standby, with nothing in memory.
  await signer.ended.catch(async (error: unknown) => {
    // What waits is refused, and told so.
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const { close } of places) void close();
    closeLog();
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`keyhearth signer: ${why}\n`);
    process.exit(error instanceof TermLost ? 75 : 1);
  });
}

const SHARE_NEXT =
  "This signer shares its marks with others: run share-marks here before you start any of them.\n";

function describeMove({ fromMs, toMs, refused, isShared }: ReturnType<typeof acceptClock>): string {
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
  const spans = refused.map(({ fromMs, untilMs }) => {
    const [first, last] = [fromMs, untilMs].map((ms) => new Date(ms).toISOString());
    return `Requests with timestamps from ${first} to ${last} are refused.\n`;
  });
  const what = toMs < fromMs ? `was taken back from ${from} to ${to}` : `goes on at ${to}`;
  return `The signer's time ${what}.\n${spans.join("")}${isShared ? SHARE_NEXT : ""}`;
}
