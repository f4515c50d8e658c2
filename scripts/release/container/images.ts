import { allocation } from "../../setup/allocation.mjs";
import { debianPackages } from "../debian/packages.ts";
import type { ProgramTree } from "../program-tree.ts";
import type { User } from "./users.ts";

/** An image: the program of a Debian package on the libraries that Node.js is linked to, without a shell (decision 24). */
export type Image = ProgramTree & {
  description: string;
  /** Who runs it, unless the container names another one. */
  user: User;
  /** What `keyhearth COMMAND` runs, below `/usr/lib/<name>`. */
  commands: Record<string, string>;
  /** The command without arguments. */
  initial: string;
  environment: Record<string, string>;
  port?: number;
  /** Users that keep state in it, in `/var/lib/<user>`. */
  states: User[];
  /** Users whose socket it listens on or connects to, in `/run/<user>`. */
  sockets: User[];
};

const signer: Image = {
  ...treeOf("keyhearth-signer"),
  description: "The signer of Keyhearth, which alone holds the root key",
  user: "keyhearth-signer",
  commands: { signer: "main.js" },
  initial: "signer",
  environment: { ...allocation, KEYHEARTH_SIGNER_STATE: "/var/lib/keyhearth-signer" },
  states: ["keyhearth-signer"],
  sockets: ["keyhearth-signer"],
};

const service: Image = {
  ...treeOf("keyhearth"),
  description: "API, courier, site and command line of Keyhearth",
  user: "keyhearth",
  commands: {
    start: "api/main.js",
    courier: "courier/main.js",
    feedback: "api/feedback.js",
    distribute: "api/distribute.js",
  },
  initial: "start",
  environment: {
    ...allocation,
    // Nothing outside the container reaches its loopback address.
    HOST: "0.0.0.0",
    KEYHEARTH_DATA_DIR: "/var/lib/keyhearth",
    KEYHEARTH_COURIER_STATE: "/var/lib/keyhearth-courier",
  },
  port: 3000,
  states: ["keyhearth", "keyhearth-courier"],
  sockets: ["keyhearth-signer", "keyhearth-courier"],
};

export const images: readonly Image[] = [signer, service];

/** The program of a Debian package, with texts that name `keyhearth signer` instead of `npm run signer`. */
function treeOf(name: string): ProgramTree {
  const found = debianPackages.find((each) => each.name === name);
  if (!found) throw new Error(`no Debian package is called ${name}`);
  const { bundles, hasCommandLine } = found;
  const commands = Object.entries(bundles).map(([folder, program]) => [
    folder,
    { ...program, naming: "package" as const },
  ]);
  return { name, bundles: Object.fromEntries(commands), hasCommandLine };
}
