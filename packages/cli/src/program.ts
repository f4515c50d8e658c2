import { nearest } from "@keyhearth/policy/errors";
import { Command, CommanderError, Option } from "commander";
import manifest from "../package.json" with { type: "json" };
import { type Asked, type CommandEntry, Given } from "./command.ts";
import { InputError } from "./errors.ts";
import { FAULT, MISTAKE } from "./exit-codes.ts";
import {
  indent,
  jsonText,
  paintFor,
  plain,
  plainLines,
  progressOn,
  type Report,
  shown,
} from "./output.ts";
import { servicePrograms } from "./service-programs.ts";
import { groups } from "./table/index.ts";

/**
 * Runs a command line and returns its exit code: 0, 1 or 3 from the command, 2 for a mistake, 4 to 6 for the answers of a
 * service. The usage lists the programs that are installed.
 */
export async function run(
  args: readonly string[],
  streams: Streams,
  installed: readonly Program[],
): Promise<number> {
  const { stdout, stderr } = streams;
  const progress = progressOn(stderr);
  const asked: Asked = {};
  let exitCode = 0;
  const program = define(streams, { installed, args }, async (entry, given) => {
    const { json, color } = program.opts<GlobalOptions>();
    const isTerminal = streams.stdin.isTTY === true && stderr.isTTY === true;
    const { env } = streams;
    const isJson = json === true;
    const show = (report: Report) => {
      progress.clear();
      exitCode = report.exitCode;
      const text = textOf(report, isJson, paintFor(stdout, color));
      if (text !== "") stdout.write(`${isJson ? text : shown(text)}\n`);
    };
    const surroundings = { env, stdout, stderr, progress, show, asked, isTerminal, isJson };
    const report = await entry.run(given, surroundings);
    if (report !== null) show(report);
  });
  try {
    if (isAboutCompletion(args)) (await import("./completion.ts")).addCompletion(program);
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    progress.clear();
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISTAKE;
    return await fail(error, streams, { ...program.opts<GlobalOptions>(), asked });
  }
}

type Streams = {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
};

/** The name of a program of the service, and its text in the usage. */
type Program = readonly [name: string, description: string];

type Perform = (entry: CommandEntry, given: Given) => Promise<void>;

function textOf({ json, text }: Report, isJson: boolean, paint: ReturnType<typeof paintFor>) {
  return isJson ? jsonText(json) : text(paint);
}

/** Writes one sentence about an error, and returns the exit code. */
async function fail(
  error: unknown,
  { stdout, stderr }: Streams,
  { json, color, debug, asked }: GlobalOptions & { asked: Asked },
): Promise<number> {
  const failure = error instanceof InputError ? ofInput(error) : await ofService(error, asked);
  if (debug) stderr.write(`${plainLines(stackOf(error))}\n`);
  if (!failure) {
    const message = error instanceof Error ? error.message : String(error);
    stderr.write(
      `keyhearth: this is a bug, please report it with what --debug shows: ${plain(message)}\n`,
    );
    return FAULT;
  }
  const { exitCode, message, lines } = failure;
  if (json) {
    stdout.write(`${jsonText({ error: failure.json })}\n`);
  } else {
    const head = `${paintFor(stderr, color)("red", "keyhearth:")} ${plain(message)}`;
    stderr.write(`${shown([head, ...indent(lines.map(plain))].join("\n"))}\n`);
  }
  return exitCode;
}

function ofInput({ message, details }: InputError) {
  return {
    exitCode: MISTAKE,
    message,
    lines: details.excerpt ?? [],
    json: { message, ...details },
  };
}

async function ofService(error: unknown, asked: Asked) {
  // Loaded when it is needed: commands without a service need no SDK.
  const { failureOf } = await import("./failures.ts");
  return failureOf(error, asked);
}

/** The stack, and those of the errors that caused this one. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

/** The parser of command lines. */
function define(
  streams: Streams,
  { installed, args }: { installed: readonly Program[]; args: readonly string[] },
  perform: Perform,
): Command {
  const { stdout, stderr } = streams;
  const root = new Command("keyhearth")
    .description("Work with Keyhearth from the command line.")
    .version(manifest.version, "-V, --version", "show the version")
    .option("--json", "write JSON for programs to standard output")
    .option("--no-color", "write no colours (so does the environment variable NO_COLOR)")
    .option("--debug", "show the stack of an error")
    .helpOption("-h, --help", "show the usage")
    .helpCommand("help [command]", "show the usage of a command")
    .showHelpAfterError("add --help to see the usage")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => stdout.write(plainLines(text)),
      writeErr: (text) => stderr.write(plainLines(text)),
      outputError: (text, write) => write(mistakeText(text, root)),
    })
    .exitOverride();
  for (const { heading, words, entries } of groups) {
    for (const [word, description] of Object.entries(words)) {
      root
        .command(word)
        .helpGroup(heading)
        .helpCommand("help [command]", "show the usage of a command")
        .description(description);
    }
    for (const entry of entries) addCommand(root, entry, { heading, perform });
  }
  if (!isAboutCompletion(args)) {
    // Only a line of the usage. The command itself is made from all others, when it is needed.
    root
      .command("completion <shell>")
      .description(
        "print the script with which a shell completes commands: bash, zsh, fish or powershell",
      );
  }
  for (const program of servicePrograms) {
    addProgram(root, program, { hidden: !installed.includes(program) });
  }
  return root;
}

/** Whether a shell asks what can follow, or a person for the script that lets it ask. */
function isAboutCompletion([first]: readonly string[]): boolean {
  return first === "complete" || first === "completion";
}

function addCommand(
  root: Command,
  entry: CommandEntry,
  { heading, perform }: { heading: string; perform: Perform },
): void {
  const [first = "", second] = entry.name.split(" ");
  const parent = root.commands.find((each) => each.name() === first);
  const command =
    second === undefined
      ? root.command(first).helpGroup(heading)
      : (parent ?? root).command(second);
  command.description(entry.summary);
  for (const [form, text] of entry.args ?? []) command.argument(form, text);
  for (const [form, text] of [...(entry.options ?? []), ...(entry.connects ? WHERE : [])]) {
    command.addOption(optionOf(form, text));
  }
  const examples = ["Examples:", ...entry.examples.map((example) => `  ${example}`)];
  command.addHelpText("after", `\n${examples.join("\n")}${entry.help ? `\n${entry.help}` : ""}`);
  command.action(async (...called: unknown[]) => {
    const args = called.slice(0, command.registeredArguments.length);
    await perform(entry, new Given(args, command.opts()));
  });
}

/** Which service a command asks. */
const WHERE = [
  ["--profile <name>", "the profile to use (so does KEYHEARTH_PROFILE)"],
  ["--organization-id <id>", "act in this organization, such as a sub-organization"],
] as const;

/** An option that may be given several times collects its values, and takes only one word at a time. */
function optionOf(form: string, text: string): Option {
  const option = new Option(form.replace("...", ""), text);
  if (!form.includes("...")) return option;
  return option.argParser((value: string, before: readonly string[] = []) => [...before, value]);
}

/** Where the service is installed, these run before this program is loaded. */
function addProgram(root: Command, [name, description]: Program, options: { hidden: boolean }) {
  root
    .command(name, options)
    .helpGroup("Service:")
    .description(description)
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new InputError(
        `\`${name}\` is in the package keyhearth, and this is @keyhearth/cli, which runs no service: install the file of the release, \`npm install ./keyhearth-${manifest.version}.tgz\``,
      );
    });
}

type GlobalOptions = { json?: boolean; color: boolean; debug?: boolean };

/** The parser's messages, in the form of our own, with the nearest command where the parser finds none. */
function mistakeText(text: string, root: Command): string {
  const message = text
    .replace(/^error: /, "keyhearth: ")
    .replace(/\n\(Did you mean (.+)\?\)/, "; did you mean $1?");
  const [, unknown] = /unknown command '([^']+)'(?!.*did you mean)/.exec(message) ?? [];
  if (unknown === undefined) return message;
  const names = root.commands.flatMap((each) => [
    each.name(),
    ...each.commands.map((below) => `${each.name()} ${below.name()}`),
  ]);
  const near = nearest(unknown, names) ?? names.find((name) => name.endsWith(` ${unknown}`));
  return near ? message.replace(/'\n?$/, `'; did you mean ${near}?\n`) : message;
}
