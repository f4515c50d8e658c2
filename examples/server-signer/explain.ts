import { existsSync } from "node:fs";
import { KeyhearthError } from "@keyhearth/sdk";
import { baseUrl, directory, rootKeyFile, serverFile, UnusableFile } from "./files.ts";

/** Runs a program. What its user can solve ends it with one sentence, and a bug with its trace. */
export async function main(program: () => Promise<void>): Promise<void> {
  try {
    await program();
  } catch (error) {
    const sentence = explain(error);
    if (sentence === undefined) throw error;
    console.error(sentence);
    process.exitCode = 1;
  }
}

function isPortInUse(error: unknown): error is Error & { port: number } {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}

/** What to do about an error, if the user can do something. */
export function explain(error: unknown): string | undefined {
  if (error instanceof UnusableFile) return error.message;
  if (isPortInUse(error))
    return `Port ${error.port} is in use. Stop what uses it, or set PORT to another one.`;
  if (!(error instanceof KeyhearthError)) return undefined;
  if (error.code === "NETWORK") {
    return `Keyhearth does not answer at ${baseUrl}. Start it with npm start, or set KEYHEARTH_URL to its address.`;
  }
  if (["ORGANIZATION_NOT_FOUND", "CREDENTIAL_NOT_FOUND"].includes(error.code)) {
    if (!existsSync(serverFile)) {
      return `The key in ${rootKeyFile} is of another installation than the one at ${baseUrl}. Set KEYHEARTH_URL to its address, or KEYHEARTH_ROOT_KEY to root-api-key.json of the other one.`;
    }
    return `The keys in ${directory} are of another installation than the one at ${baseUrl}. Set KEYHEARTH_URL to theirs, or delete that folder and run: npm run setup`;
  }
  return error.message;
}
