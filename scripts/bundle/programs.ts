import type { Naming } from "./commands.ts";

/** A program that is deployed by itself, as files that need neither the sources nor a build where they run. */
export type Program = {
  name: string;
  /** What the bundle has a file for, by the file's name. `main.js` prepares the process and runs `program.js`. */
  entries: Record<string, string> & { program: string };
  /** What is copied, by its place in the repository. */
  files: Record<string, string>;
  /** What is copied compressed by brotli, as `.br`. */
  compressed: Record<string, string>;
  /** Whether it has what is made for the service: the database from which a first start begins, and the npm packages. */
  isService: boolean;
  /**
   * The signer is one file, which can be read from start to end. Elsewhere what is imported late, such as Twilio's eight
   * megabytes, stays apart and takes no memory before.
   */
  isOneFile: boolean;
  /** How its texts name commands. */
  naming: Naming;
};

export const signer: Program = {
  name: "signer",
  entries: { program: "apps/signer/src/main.ts" },
  files: {},
  compressed: {},
  isService: false,
  isOneFile: true,
  naming: "clone",
};

const courier: Program = {
  name: "courier",
  entries: { program: "apps/courier/src/main.ts", logo: "apps/courier/src/logo-thread.ts" },
  files: {},
  compressed: {},
  isService: false,
  isOneFile: false,
  naming: "clone",
};

export const api: Program = {
  name: "api",
  entries: {
    program: "apps/api/src/main.ts",
    compressor: "apps/api/src/compressor-thread.ts",
    feedback: "apps/api/src/feedback/main.ts",
    distribute: "apps/api/src/distribute/main.ts",
    library: "apps/api/src/library-thread.ts",
    reader: "apps/api/src/reader-thread.ts",
    logo: "apps/courier/src/logo-thread.ts",
    signer: "apps/signer/src/worker.ts",
    database: "apps/api/src/store/pglite-worker.ts",
    "create-database": "apps/api/src/store/pglite-create.ts",
  },
  files: {
    "apps/api/src/store/migrations/": "migrations/",
    "apps/api/src/mailbox/mailbox.css": "mailbox/mailbox.css",
    "apps/api/src/mailbox/mailbox.html": "mailbox/mailbox.html",
    "apps/api/src/mailbox/mailbox.js": "mailbox/mailbox.js",
    "apps/website/build": "site",
    "contract/openapi.json": "contract/openapi.json",
    "contract/site-redirects.json": "contract/site-redirects.json",
    "dist/dashboard/": "dashboard/",
  },
  compressed: Object.fromEntries(
    ["pglite.wasm", "pglite.data", "initdb.wasm"].map((name) => [
      `node_modules/@electric-sql/pglite/dist/${name}`,
      `database/${name}`,
    ]),
  ),
  isService: true,
  isOneFile: false,
  naming: "clone",
};

export const programs: readonly Program[] = [signer, api, courier];
