import type { Surroundings } from "./command.ts";
import { InputError } from "./errors.ts";
import { plain } from "./output.ts";

// Questions to a person. Programs get the name of the option that answers instead.

/** Asks for a text, and takes the given one if the answer is empty. */
export async function askText(
  { isTerminal, stderr }: Surroundings,
  message: string,
  usual: string,
): Promise<string> {
  if (!isTerminal) return usual;
  const { isCancel, text } = await import("@clack/prompts");
  const answer = await text({
    message,
    placeholder: plain(usual),
    defaultValue: usual,
    output: stderr,
  });
  if (isCancel(answer)) throw cancelled();
  return answer;
}

/** Asks for a secret, which the terminal does not show. */
export async function askSecret(
  { isTerminal, stderr }: Surroundings,
  what: string,
): Promise<string> {
  if (!isTerminal) {
    throw new InputError(`${what} is missing: give a file with --file, or - for standard input`);
  }
  const { isCancel, password } = await import("@clack/prompts");
  const answer = await password({ message: plain(what), output: stderr });
  if (isCancel(answer)) throw cancelled();
  return answer;
}

/** Asks before something is done. Without a terminal, `--yes` has to say so. */
export async function confirmed(
  { isTerminal, stderr }: Surroundings,
  message: string,
  hasYes: boolean,
  options = "--yes",
): Promise<void> {
  if (hasYes) return;
  if (!isTerminal) {
    throw new InputError(`${message} Nobody can be asked here: add ${options} to go on`);
  }
  const { confirm } = await import("@clack/prompts");
  const answer = await confirm({ message: plain(message), initialValue: false, output: stderr });
  if (answer !== true) throw cancelled();
}

function cancelled(): InputError {
  return new InputError("nothing was done, because the question was not answered with yes");
}
