import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Surroundings } from "../command.ts";
import { InputError } from "../errors.ts";
import { readText } from "../json.ts";
import { plain } from "../output.ts";
import { askSecret } from "../prompts.ts";
import type { Connected } from "./connect.ts";
import { checkName, ownFolder, readPrivate, readPublic, writePrivate } from "./own-folder.ts";
import { readServiceFacts } from "./service-facts.ts";

// Words and keys that are imported and exported. They come from files and from a person, and go to files.

/** A mnemonic or a private key: in a file that only its owner may read, on standard input, or typed without echo. */
export async function readSecret(
  file: string | undefined,
  what: string,
  surroundings: Surroundings,
): Promise<string> {
  const text =
    file === "-"
      ? await readText("-")
      : file === undefined
        ? await askSecret(surroundings, what)
        : await readPrivate(file, what);
  const secret = text.trim();
  if (secret === "") throw new InputError(`${what} is empty`);
  return secret;
}

/** Where an exported secret goes: to a new file of its owner, or to the terminal if somebody asked for that. */
export type Destination = { readonly output: string } | { readonly isPrinted: true };

export function destinationOf(output: string | undefined, isPrinted: boolean): Destination {
  // Before anybody is asked for a secret that then has no place.
  if (output !== undefined && existsSync(output)) throw existing(output);
  if (output !== undefined && !isPrinted) return { output: resolve(output) };
  if (output === undefined && isPrinted) return { isPrinted };
  throw new InputError(
    "give either --output FILE, a new file that only you can read, or --print, which shows the secret on this terminal",
  );
}

/** Writes a secret to its file. The answer is what may be shown of it. */
export async function deliver(destination: Destination, secret: string): Promise<string> {
  if ("isPrinted" in destination) return secret;
  const { output } = destination;
  if (await writePrivate(output, `${secret}\n`, { isNew: true, isOwnFolder: false })) {
    return `written to ${output}`;
  }
  throw existing(output);
}

function existing(output: string): InputError {
  return new InputError(`${plain(output)} exists: give the name of a new file`);
}

/** A key that exports are encrypted to, of `generate encryption-key`. */
export async function loadEncryptionKey(
  given: string,
  env: Surroundings["env"],
): Promise<{ targetPublicKey: string; targetPrivateKey: string }> {
  const isPath = /[/\\]|\.private$/.test(given);
  const base = isPath
    ? resolve(given.replace(/\.private$/, ""))
    : join(ownFolder(env), "encryption-keys", checkName(given, "the name of a key"));
  const targetPrivateKey = (await readPrivate(`${base}.private`, "the encryption key")).trim();
  const targetPublicKey = (await readPublic(`${base}.public`, "its public half")).trim();
  if (/^[0-9a-f]{64}$/i.test(targetPrivateKey) && /^04[0-9a-f]{128}$/i.test(targetPublicKey)) {
    return { targetPublicKey, targetPrivateKey };
  }
  throw new InputError(
    `${plain(basename(base))} is not an encryption key: make one with \`keyhearth generate encryption-key NAME\``,
  );
}

/**
 * The signer's public key. A profile has pinned it, or a person gives it. Otherwise it is the one that the service
 * shows, and anyone who answers in its name could read an import: the warning says so.
 */
export async function signerKeyOf(
  connected: Connected,
  given: string | undefined,
  { stderr }: Surroundings,
): Promise<string> {
  const known = given ?? connected.signerPublicKey;
  if (known !== undefined) {
    if (/^04[0-9a-f]{128}$/i.test(known)) return known.toLowerCase();
    throw new InputError("--signer-public-key must be 65 bytes in hex that begin with 04");
  }
  const { signerPublicKey } = await readServiceFacts(connected.url);
  stderr.write(
    `keyhearth: the signer's key is the one that ${connected.url} shows: compare it with your operator's, ${signerPublicKey}\n`,
  );
  return signerPublicKey;
}
