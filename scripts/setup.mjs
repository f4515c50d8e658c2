// Makes a fresh clone ready: the `pre` step of `npm start`, `npm run dev` and `npm test`. It is
// plain JavaScript with node: builtins only, because it runs on the host's Node (20 or newer)
// before anything is installed.

import { fileURLToPath } from "node:url";
import { installDependencies } from "./setup/dependencies.mjs";
import { endWithParent, SetupError } from "./setup/run.mjs";
import { buildWhatIsServed } from "./setup/served.mjs";
import { offerTestTools } from "./setup/tools.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** @type {Record<string, () => Promise<void>>} */
const goals = {
  async install() {
    await installDependencies(root);
  },
  async start() {
    await installDependencies(root);
    await buildWhatIsServed(root);
  },
  async test() {
    await installDependencies(root);
    await buildWhatIsServed(root);
    await offerTestTools();
  },
};

async function setup() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 20) {
    throw new SetupError(
      `Node.js ${process.versions.node} is too old: install Node.js 20 or newer from https://nodejs.org`,
    );
  }
  const goal = goals[process.argv[2] ?? "install"];
  if (!goal) throw new SetupError("usage: node scripts/setup.mjs install|start|test");
  await goal();
}

endWithParent();
setup().catch((error) => {
  if (!(error instanceof SetupError)) throw error;
  if (error.output) console.error(`\n${error.output.trimEnd()}`);
  console.error(`\nkeyhearth: ${error.message}`);
  process.exitCode = 1;
});
