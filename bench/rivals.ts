import { refuseOptions } from "../scripts/options.ts";
import { refusalOf } from "./openbao.ts";

/** Which other program to compare ourselves with, and the file that it is. */
export type Rival = { name: "openbao"; binary: string };

/** The value of `--against`. Anything that cannot be started prints the help and ends the process. */
export function readRival(help: string, text: string): Rival {
  const [, name, binary = ""] = /^([^=]*)=?(.*)$/s.exec(text) ?? [];
  if (name !== "openbao" || binary === "") {
    return refuseOptions(help, `--against is \`${text}\`; expected openbao=/path/to/bao`);
  }
  const refusal = refusalOf(binary);
  if (refusal) return refuseOptions(help, `--against names \`${binary}\`, which ${refusal}`);
  return { name, binary };
}
