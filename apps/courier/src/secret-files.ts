import { RefusedFileError, readGivenSecret } from "@keyhearth/outbound/state-file";
import { type Environment, SettingError } from "./settings.ts";

/** Variables of the courier that have a secret in them. */
export const courierSecrets = ["SMTP_URL", "TWILIO_AUTH_TOKEN", "SMS_WEBHOOK_URL"] as const;

/**
 * Replaces `NAME_FILE` by `NAME` with what the file says, so that a secret is in no environment, which other programs
 * show. Throws a `SettingError` at the first file that cannot be read.
 */
export function readSecretFiles(env: Environment, names: readonly string[]): Environment {
  const read = { ...env };
  for (const name of names) {
    const variable = `${name}_FILE`;
    const path = env[variable]?.trim();
    if (path === undefined) continue;
    if (path === "")
      throw new SettingError(
        `${variable} is set but empty; set it to the path of a file, or unset it`,
      );
    if (env[name]?.trim()) {
      throw new SettingError(`${name} and ${variable} are both set; unset one of them`);
    }
    delete read[variable];
    read[name] = readSecret(variable, path);
  }
  return read;
}

function readSecret(variable: string, path: string): string {
  const refused = (problem: string, cause?: unknown) =>
    new SettingError(`${variable} is \`${path}\`, which ${problem}`, { cause });
  let text: string;
  try {
    text = readGivenSecret(path).toString("utf8").trim();
  } catch (cause) {
    throw refused(problemOf(cause), cause);
  }
  if (text === "") throw refused("is empty; write the secret into it");
  if (/[\r\n]/.test(text)) throw refused("has several lines; write the secret into one");
  return text;
}

function problemOf(cause: unknown): string {
  if (cause instanceof RefusedFileError) return cause.problem;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  // Docker makes a directory where a file to mount is missing.
  if (code === "EISDIR") return "is a directory; remove it, and write the secret into a file there";
  if (code === "ENOENT") return "does not exist; write the secret into it, or correct the path";
  if (code === "EACCES") {
    const user = process.geteuid?.() ?? "of this process";
    return `user ${user} may not read; change its owner or its group`;
  }
  return `cannot be read (${code ?? cause}); write the secret into a file there`;
}
