import type { KeyhearthClient } from "@keyhearth/sdk";
import { InputError } from "./errors.ts";
import type { Progress, Report } from "./output.ts";

/** A command. The lists in `table/` have all of them; the code of a command is loaded when it runs. */
export type CommandEntry = {
  /** Its words, such as `policy test`. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments in commander's form, `<file...>`, each with its text. */
  readonly args?: readonly (readonly [form: string, text: string])[];
  /** Options in commander's form, `--filter <text>`, each with its text. With `...`, one may be given several times. */
  readonly options?: readonly (readonly [form: string, text: string])[];
  /** Whether it speaks to a service, and so takes the options that say which one. */
  readonly connects?: true;
  /** Command lines that work, as the usage shows them. */
  readonly examples: readonly string[];
  /** What the usage says after the examples. */
  readonly help?: string;
  /** The report to write, or null if the command has shown everything itself. */
  readonly run: (given: Given, surroundings: Surroundings) => Promise<Report | null>;
};

/** Commands with the same first word, or one command without a second. */
export type CommandGroup = {
  readonly heading: string;
  /** The first words that have commands below them, each with its text. */
  readonly words: Readonly<Record<string, string>>;
  readonly entries: readonly CommandEntry[];
};

/** Whom a command asks. */
export type Asked = {
  url?: string;
  client?: KeyhearthClient;
  /** Whether anything has answered. From then on, what does not fit can be the answer's fault. */
  isAnswered?: boolean;
};

/** Where a command runs. */
export type Surroundings = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WriteStream;
  readonly progress: Progress;
  /** Writes a report at once, for a command that goes on afterwards. */
  readonly show: (report: Report) => void;
  /** Whether a person can be asked: standard input and standard error are a terminal. */
  readonly isTerminal: boolean;
  /** Whether the answer is JSON for a program. */
  readonly isJson: boolean;
  /** The service that the command asks, for messages about it. `connect` sets it. */
  readonly asked: Asked;
};

/** The arguments and options of a command line. The parser has checked that they exist. */
export class Given {
  readonly #args: readonly unknown[];
  readonly #options: Readonly<Record<string, unknown>>;

  constructor(args: readonly unknown[], options: Readonly<Record<string, unknown>>) {
    this.#args = args;
    this.#options = options;
  }

  /** The argument in this place, which the command requires. */
  word(at: number): string {
    return String(this.#args[at]);
  }

  wordIfAny(at: number): string | undefined {
    const value = this.#args[at];
    return typeof value === "string" ? value : undefined;
  }

  /** The last argument, if it takes several. */
  words(at: number): readonly string[] {
    const value = this.#args[at];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** The value of an option, by its name without dashes. */
  option(name: string): string | undefined {
    const value = this.#options[camelCase(name)];
    return typeof value === "string" ? value : undefined;
  }

  required(name: string, why: string): string {
    const value = this.option(name);
    if (value === undefined) throw new InputError(`--${name} is missing: ${why}`);
    return value;
  }

  /** The values of an option that may be given several times. */
  list(name: string): readonly string[] {
    const value = this.#options[camelCase(name)];
    return Array.isArray(value) ? value.map(String) : [];
  }

  has(name: string): boolean {
    // The parser keeps `--no-post` as `post`, which is true without it.
    const [, denied] = /^no-(.+)$/.exec(name) ?? [];
    return denied === undefined
      ? this.#options[camelCase(name)] === true
      : this.#options[camelCase(denied)] === false;
  }

  /** One of a few values, or the first of them. */
  choice<const Value extends string>(name: string, accepted: readonly [Value, ...Value[]]): Value {
    const value = this.option(name);
    if (value === undefined) return accepted[0];
    const found = accepted.find((each) => each === value);
    if (found !== undefined) return found;
    throw new InputError(`--${name} must be ${accepted.join(" or ")}, but is \`${value}\``);
  }

  /** A whole number, or undefined if the option was not given. */
  count(name: string, { least, most }: { least: number; most: number }): number | undefined {
    const value = this.option(name);
    if (value === undefined) return undefined;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InputError(
      `--${name} must be a whole number from ${least} to ${most}, but is \`${value}\``,
    );
  }
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
