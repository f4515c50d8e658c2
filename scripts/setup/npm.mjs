// Finds the npm to use.

import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { collect, run } from "./run.mjs";

/**
 * @typedef {object} Npm
 * @property {(args: string[]) => Promise<{ code: number, output: string }>} collect
 * @property {(label: string, args: string[]) => Promise<{ code: number, output: string }>} run
 */

/**
 * The npm that started us, on its own Node, because npm may replace the directory of the pinned Node.
 * @param {string} root
 * @returns {Npm}
 */
export function findNpm(root) {
  const { npm_execpath: cli, npm_node_execpath: node } = process.env;
  const own = join(root, "node_modules");
  const path = (process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.startsWith(own));
  const isNpm = cli !== undefined && /npm-cli\.[cm]?js$/.test(cli) && existsSync(cli);
  const interpreter = [node, process.execPath].find(
    (candidate) => candidate && !candidate.startsWith(own) && existsSync(candidate),
  );
  // Install scripts call `node` by name.
  if (interpreter) path.push(dirname(interpreter));
  const env = { ...process.env, PATH: path.join(delimiter) };
  const isDirect = isNpm && interpreter !== undefined;
  const command = isDirect ? interpreter : process.platform === "win32" ? "npm.cmd" : "npm";
  const before = isDirect ? [cli] : [];
  return {
    collect: (args) => collect(command, [...before, ...args], { cwd: root, env }),
    run: (label, args) => run({ label, command, args: [...before, ...args], cwd: root, env }),
  };
}
