import { type Program, programs } from "../../bundle/programs.ts";
import type { ProgramTree } from "../program-tree.ts";

/** What npm's packages have native code for. secp256k1 has none for arm64, which would make it compile there. */
export const ARCHITECTURE = "amd64";

export type DebianPackage = ProgramTree & {
  summary: string;
  /** Paragraphs, in lines of at most 80 characters. */
  description: string[];
  recommends?: string;
  /** What is on PATH, and the file below `/usr/lib/<name>` that it runs. */
  commands: Record<string, string>;
  /** The units with their users. Each user's state is `/var/lib/<user>`. */
  units: string[];
  /** Names below `/etc/keyhearth`, and where they are in the repository. */
  settings: Record<string, string>;
};

const program = (name: string): Program => {
  const found = programs.find((each) => each.name === name);
  if (!found) throw new Error(`no bundle is called ${name}`);
  return { ...found, naming: "debian" };
};

const signer: DebianPackage = {
  name: "keyhearth-signer",
  summary: "signer of Keyhearth, which alone holds the root key",
  description: [
    "Keyhearth is self-hosted, non-custodial key and wallet infrastructure. This",
    "package has its trusted part, which decides about requests and signs.",
  ],
  bundles: { ".": program("signer") },
  hasCommandLine: false,
  commands: { "keyhearth-signer": "main.js" },
  units: ["keyhearth-signer"],
  settings: { "signer.env": "scripts/release/debian/files/signer.env" },
};

const service: DebianPackage = {
  name: "keyhearth",
  summary: "API, courier, site and command line of Keyhearth",
  description: [
    "Keyhearth is self-hosted, non-custodial key and wallet infrastructure. This",
    "package has everything but the signer: the API with the site, the courier,",
    "which sends emails and SMS, and the command line.",
  ],
  recommends: "keyhearth-signer",
  bundles: { api: program("api"), courier: program("courier") },
  hasCommandLine: true,
  commands: {
    keyhearth: "cli/main.js",
    "keyhearth-api": "api/main.js",
    "keyhearth-courier": "courier/main.js",
    "keyhearth-feedback": "api/feedback.js",
    "keyhearth-distribute": "api/distribute.js",
  },
  units: ["keyhearth-courier", "keyhearth"],
  settings: {
    "api.env": "apps/website/snippets/self-hosting/api.env",
    "courier.env": "apps/website/snippets/self-hosting/courier.env",
  },
};

export const debianPackages: readonly DebianPackage[] = [signer, service];
