// What `keyhearth` of an image does with its arguments.

import { existsSync } from "node:fs";
import { flags } from "../../../setup/allocation.mjs";

/**
 * @param {object} image
 * @param {string} image.library where the program is
 * @param {Record<string, string>} image.commands files below it, by the command that runs them
 * @param {string} image.version
 */
export async function launch({ library, commands, version }) {
  const { argv, env, execPath, execve, stderr, stdout } = process;
  const [, , name = "", ...args] = argv;
  const commandLine = `${library}/cli/main.js`;
  const program = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (name === "--version") {
    stdout.write(`${version}\n`);
  } else if (program !== undefined) {
    // As process 1 of the container, so that signals reach the program.
    execve?.(execPath, [execPath, ...flags, `${library}/${program}`, ...args], env);
  } else if (existsSync(commandLine)) {
    await import(commandLine);
  } else {
    const known = Object.keys(commands).join(", ");
    stderr.write(
      `keyhearth: \`${name}\` is no command of this image, which has ${known}: the image keyhearth has the others\n`,
    );
    process.exitCode = 1;
  }
}
