// The options of the scripts that a person starts.

import { type ParseArgsConfig, parseArgs } from "node:util";

type Described = NonNullable<ParseArgsConfig["options"]>;

/** The options of this process. `--help` and a wrong option print the help and end it, with 0 and with 2. */
export function readOptions<const Options extends Described>(help: string, options: Options) {
  try {
    const all = { ...options, help: { type: "boolean" as const, short: "h" } };
    const { values } = parseArgs({ options: all, strict: true });
    if ((values as { help?: boolean }).help !== true) {
      return parseArgs({ options, strict: true }).values;
    }
  } catch (error) {
    if (!isOfParser(error)) throw error;
    refuseOptions(help, error.message);
  }
  console.log(help.trimEnd());
  process.exit(0);
}

/** A number that an option has to be. Anything else prints the help and ends the process. */
export function readNumber(
  help: string,
  name: string,
  text: string,
  { least, isWhole = true }: { least: number; isWhole?: boolean },
): number {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(number) && number >= least && (!isWhole || Number.isInteger(number))) {
    return number;
  }
  const expected = `${isWhole ? "a whole number" : "a number"} from ${least}`;
  return refuseOptions(help, `${name} is \`${text}\`; expected ${expected}`);
}

/** Names of a list that an option has. One that does not exist prints the help and ends the process. */
export function readNames<Name extends string>(
  help: string,
  name: string,
  text: string,
  known: readonly Name[],
): Name[] {
  const names = text.split(",");
  const unknown = names.filter((each) => !known.includes(each as Name));
  if (unknown.length === 0) return names as Name[];
  const given = unknown.map((each) => `\`${each}\``).join(", ");
  return refuseOptions(help, `${name} has no ${given}; there are ${known.join(", ")}`);
}

/** Says what is wrong with the options, shows the help, and ends the process. */
export function refuseOptions(help: string, why: string): never {
  console.error(`${why}\n\n${help.trimEnd()}`);
  process.exit(2);
}

function isOfParser(error: unknown): error is TypeError {
  return (
    error instanceof TypeError &&
    "code" in error &&
    String(error.code).startsWith("ERR_PARSE_ARGS_")
  );
}
