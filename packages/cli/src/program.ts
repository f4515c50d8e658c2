import { Command, CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { InputError } from "./errors.ts";
import { indent, type Progress, paintFor, plain, progressOn, type Report } from "./output.ts";
import { servicePrograms } from "./service-programs.ts";

/**
 * Runs a command line and returns its exit code: 0, 1 or 3 from the command, 2 for a mistake. The usage lists the programs
 * that are installed.
 */
export async function run(
  args: readonly string[],
  streams: Streams,
  installed: readonly Program[],
): Promise<number> {
  const { stdout, stderr } = streams;
  const progress = progressOn(stderr);
  let exitCode = 0;
  const program = define({ streams, progress, installed }, (report) => {
    exitCode = report.exitCode;
    const { json, color } = program.opts<GlobalOptions>();
    const text = json
      ? JSON.stringify(report.json, undefined, 2)
      : report.text(paintFor(stdout, color));
    stdout.write(`${text}\n`);
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    progress.clear();
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISTAKE;
    if (!(error instanceof InputError)) {
      const message = error instanceof Error ? error.message : String(error);
      stderr.write(`keyhearth: this is a bug, please report it: ${plain(message)}\n`);
      return FAULT;
    }
    const { json, color } = program.opts<GlobalOptions>();
    if (json) {
      const { message, details } = error;
      stdout.write(`${JSON.stringify({ error: { message, ...details } }, undefined, 2)}\n`);
    } else {
      const lines = indent(error.details.excerpt ?? []);
      const head = `${paintFor(stderr, color)("red", "keyhearth:")} ${plain(error.message)}`;
      stderr.write(`${[head, ...lines].join("\n")}\n`);
    }
    return MISTAKE;
  }
}

type Streams = { readonly stdout: NodeJS.WriteStream; readonly stderr: NodeJS.WriteStream };

/** The name of a program of the service, and its text in the usage. */
type Program = readonly [name: string, description: string];

type Surroundings = {
  readonly streams: Streams;
  readonly progress: Progress;
  readonly installed: readonly Program[];
};

type Show = (report: Report) => void;

/** The commands. The code of a command is loaded when the command runs. */
function define({ streams, progress, installed }: Surroundings, show: Show): Command {
  const { stdout, stderr } = streams;
  const root = new Command("keyhearth")
    .description("Work with Keyhearth from the command line.")
    .version(manifest.version, "-V, --version", "show the version")
    .option("--json", "write JSON for programs to standard output")
    .option("--no-color", "write no colours (so does the environment variable NO_COLOR)")
    .helpOption("-h, --help", "show the usage")
    .helpCommand("help [command]", "show the usage of a command")
    .showHelpAfterError("add --help to see the usage")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(mistakeText(text)),
    })
    .exitOverride();

  const policy = root
    .command("policy")
    .helpCommand("help [command]", "show the usage of a command")
    .description("test, check, explain and compare policies, without a server");

  addTest(policy, progress, show);
  addCheck(policy, show);
  addExplain(policy, show);
  addCompare(policy, progress, show);
  addDev(root, show);
  for (const program of servicePrograms) {
    addProgram(root, program, { hidden: !installed.includes(program) });
  }
  return root;
}

/** Where the service is installed, these run before this program is loaded. */
function addProgram(root: Command, [name, description]: Program, options: { hidden: boolean }) {
  root
    .command(name, options)
    .description(description)
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new InputError(
        `\`${name}\` is in the package keyhearth, and this is @keyhearth/cli, which works on policies: install the file of the release, \`npm install ./keyhearth-${manifest.version}.tgz\``,
      );
    });
}

function addTest(policy: Command, progress: Progress, show: Show) {
  policy
    .command("test")
    .description("run cases: expressions and decisions with their expected outcome")
    .argument("<file...>", "files with cases; `-` reads standard input")
    .option("--filter <text>", "only cases with this text in their name")
    .addHelpText("after", TEST_HELP)
    .action(async (files: string[], { filter }: { filter?: string }) => {
      const { policyTest } = await import("./commands/policy-test.ts");
      show(await policyTest(files, { filter, progress }));
    });
}

function addCheck(policy: Command, show: Show) {
  policy
    .command("check")
    .description("check policies, and point to errors and suspicious parts")
    .argument(
      "[file...]",
      "files with policies, or with activities that change policies; `-` reads standard input",
    )
    .option("--condition <text>", "check an expression as the condition of a policy")
    .option("--consensus <text>", "check an expression as the consensus of a policy")
    .option("--time <text>", "check an expression as the time of a policy")
    .option("--organization <file>", "users, tags and keys of the organization, to look up ids")
    .option("--policies <file>", "the organization's current policies, for files with activities")
    .option("--strict", "fail on warnings too")
    .addHelpText("after", CHECK_HELP)
    .action(async (files: string[], options: CheckOptions) => {
      const { strict, organization, policies, ...expressions } = options;
      const known = { isStrict: strict === true, organization };
      const { checkExpressions, checkFiles } = await import("./commands/policy-check.ts");
      const hasExpressions = Object.keys(expressions).length > 0;
      if (hasExpressions && policies !== undefined) {
        throw new InputError("--policies is for activities, not for expressions");
      }
      if (hasExpressions === files.length > 0) {
        throw new InputError("check takes either files or expressions (--condition TEXT, ...)");
      }
      show(
        hasExpressions
          ? await checkExpressions(expressions, known)
          : await checkFiles(files, { ...known, policies }),
      );
    });
}

function addExplain(policy: Command, show: Show) {
  policy
    .command("explain")
    .description("show how a request is decided, and why")
    .argument("[file]", "a file with cases, as for `policy test`")
    .option("--case <name>", "the case to explain")
    .option("--policies <file>", "a file with policies, as for `policy check`")
    .option("--request <file>", "a file with the request")
    .addHelpText("after", EXPLAIN_HELP)
    .action(async (file: string | undefined, options: ExplainOptions) => {
      const { explainCase, explainRequest } = await import("./commands/policy-explain.ts");
      const { policies, request } = options;
      if (file !== undefined && policies === undefined && request === undefined) {
        show(await explainCase(file, options.case));
      } else if (file === undefined && policies && request && options.case === undefined) {
        show(await explainRequest(policies, request));
      } else {
        throw new InputError(
          "explain needs FILE and --case NAME, or --policies FILE and --request FILE",
        );
      }
    });
}

function addCompare(policy: Command, progress: Progress, show: Show) {
  policy
    .command("compare")
    .description("find out whether new policies allow more, with an example")
    .argument("<before>", "a file with policies, as for `policy check`")
    .argument("<after>", "a file with the policies that would replace them")
    .option("--organization <file>", "users and root quorum; without it, anyone may approve")
    .addHelpText("after", COMPARE_HELP)
    .action(async (before: string, after: string, options: { organization?: string }) => {
      const { policyCompare } = await import("./commands/policy-compare.ts");
      show(await policyCompare(before, after, { ...options, progress }));
    });
}

function addDev(root: Command, show: Show) {
  root
    .command("dev")
    .description("run an emulator of the service for tests, in memory")
    .option("--port <number>", "the port on 127.0.0.1; 0 takes a free one (default: 3100)")
    .option("--organization-id <id>", "id of its organization, a UUID")
    .option("--api-public-key <key>", "public key of the organization's API key, P-256 in hex")
    .option("--key-file <file>", "write the organization's key there, or go on with the key in it")
    .addHelpText("after", DEV_HELP)
    .action(async (options: DevOptions) => {
      const { dev } = await import("./commands/dev.ts");
      await dev(options, show);
    });
}

const MISTAKE = 2;

/** A bug in this program, not a mistake of its user. The number is from sysexits.h. */
const FAULT = 70;

type GlobalOptions = { json?: boolean; color: boolean };

type CheckOptions = {
  condition?: string;
  consensus?: string;
  time?: string;
  strict?: boolean;
  organization?: string;
  policies?: string;
};

type ExplainOptions = { case?: string; policies?: string; request?: string };

type DevOptions = {
  port?: string;
  organizationId?: string;
  apiPublicKey?: string;
  keyFile?: string;
};

/** The parser's messages, in the form of our own. */
function mistakeText(text: string): string {
  return text
    .replace(/^error: /, "keyhearth: ")
    .replace(/\n\(Did you mean (.+)\?\)/, "; did you mean $1?");
}

const DEV_HELP = `
The real API, with the same core and the same SQL. Only this machine reaches it, and it keeps nothing: use
it for tests, never for keys that matter.

  keyhearth dev
  keyhearth dev --port 0 --json
  keyhearth dev --key-file emulator-key.json
    KEYHEARTH_URL=http://localhost:3100 KEYHEARTH_ROOT_KEY=emulator-key.json node app.ts

With --key-file, organization and key stay the same at the next start. What is written to standard output
comes as soon as it answers, and with --json it is an object.

  POST /emulator/organizations  makes another organization, for a test of its own
  POST /emulator/clock          moves the clock forward: { "forwardMs": 3600000 }
  POST /emulator/reset          begins again
  GET  /mailbox/messages?to=    reads the mail and SMS that were sent

Exit code: 0 stopped by a signal, 2 an option is wrong.`;

const TEST_HELP = `
A file is JSON: { "cases": [...], "decision_cases": [...] }, either list may be absent.

A case is an expression:
  { "name": "small-transfer", "kind": "condition",
    "expression": "eth.tx.value <= 1000",
    "context": { "eth": { "tx": { "value": 5 } } },
    "expected": true }
  kind      condition, consensus or time: the clause of a policy that it belongs to
  context   the fields that the expression reads. Integers of any size are exact;
            { "$ci": "0xAb" } is a text that is compared without regard to case
  expected  true, false, "error(parse)", "error(type)" or "error(runtime)"

A decision case is a request in an organization:
  { "name": "two-must-approve",
    "users": [{ "id": "alice", "tags": ["ops"] }, { "id": "bob", "tags": ["ops"] }],
    "rootQuorum": { "threshold": 1, "userIds": [] },
    "approvedBy": ["alice"],
    "context": { "activity": { "action": "SIGN" } },
    "policies": [{ "policyId": "p1", "effect": "EFFECT_ALLOW",
                   "consensus": "approvers.count() >= 2" }],
    "expected": { "outcome": "OUTCOME_REQUIRES_CONSENSUS",
                  "policyOutcomes": { "p1": "OUTCOME_REQUIRES_CONSENSUS" } } }
  users       all users of the organization: id, and tags (ids), email, alias
  approvedBy  ids of users in the order of their votes; the first one submitted the activity.
              If a consensus reads credentials: { "userId": "alice", "credentialId": "k1" },
              and for the user "credentials": [{ "id": "k1",
              "type": "CREDENTIAL_TYPE_API_KEY_P256", "public_key": "", "credential_id": "" }]
  now         time of the decision, if policies have a time clause: "2026-01-31T08:00:00Z"
  ownCredentialChange  true if the activity changes credentials of the user who submitted it
  policyOutcomes       of each policy; empty if the root quorum decided

name, expected and the members shown in the examples are required; basis, since, note and ambiguous
are allowed, but only for readers.

Exit code: 0 all passed, 1 some failed, 2 a file or an option is wrong.`;

const CHECK_HELP = `
A file is JSON: the parameters of create_policies, the answer of list_policies, a list of policies, or
one policy:
  { "policies": [
      { "policyName": "small transfers", "effect": "EFFECT_ALLOW",
        "condition": "activity.action == 'SIGN' && eth.tx.value <= 1000",
        "consensus": "approvers.any(u, u.tags.contains('ops'))",
        "notes": "" } ] }
  effect     EFFECT_ALLOW or EFFECT_DENY
  condition, consensus, time  expressions; a clause that is absent is true
  policyId, notes, createdAt and updatedAt are allowed; each policy needs a unique name or id

Or it is an activity that creates or updates policies, as get_activity returns it: check it before you
approve it. This command verifies the stamp and the fingerprint, reads the policies from the stamped
bytes and computes the warnings from them. It ignores everything else that the service shows.
An update needs --policies FILE with the answer of list_policies.

An error is something that the service would refuse. A warning means that a policy may not do what it
seems to do. For a single expression, only warnings that hold for both effects are shown.

An organization is JSON; each member may be absent:
  { "users": [{ "id": "alice", "tags": ["ops"], "email": "", "alias": "Alice" }],
    "rootQuorum": { "threshold": 1, "userIds": ["alice"] },
    "userTagIds": [], "privateKeyTagIds": [], "walletIds": [], "privateKeyIds": [] }

Exit code: 0 no errors, 1 errors (with --strict: or warnings), 2 a file or an option is wrong.`;

const EXPLAIN_HELP = `
A request is JSON: a decision case of \`policy test\` without name, policies and expected:
  { "users": [...], "rootQuorum": {...}, "approvedBy": [...], "context": {...} }

Shows the decision, the outcome of every policy, and for each clause the parts of the expression that
decided its value. For a request that waits, it also shows whose approvals would complete it.

Exit code: 0 explained, 2 a file or an option is wrong.`;

const COMPARE_HELP = `
Prints "no more" if <before> also allows everything that <after> allows. Prints "more" with a request
that only <after> allows, and how both decide it. Prints "unknown" with the parts of the policies that
cannot be compared. Swap the files to find out whether <after> allows less.

An organization is JSON, as for \`policy check\`; only users and root quorum count:
  { "users": [{ "id": "alice", "tags": ["ops"], "email": "", "alias": "Alice" }],
    "rootQuorum": { "threshold": 1, "userIds": ["alice"] } }

Exit code: 0 no more, 1 more, 2 a file or an option is wrong, 3 unknown.`;
