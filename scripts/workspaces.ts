// What each workspace may import. `workspaces.test.ts` reads every import. ARCHITECTURE.md says why the walls stand where
// they stand.

export type Wall = {
  /** The files it is about: folders with a slash at their end, or files. A later wall about the same file counts instead. */
  of: readonly string[];
  /** Names of modules. With a star at the end, all that begin so. */
  may: readonly string[];
  /** Of what `may` allows. */
  mayNot?: readonly string[];
  /** Any package that the manifest declares, except other workspaces. */
  mayAnyPackage?: true;
  /** Files of other folders that it may import by their path. By default none. */
  files?: readonly string[];
  why: string;
};

const audited = ["@noble/*", "@scure/*", "@hpke/*"];

export const walls: readonly Wall[] = [
  { of: ["packages/policy/src/"], may: [], why: "the policy language imports nothing" },
  {
    of: ["packages/crypto/src/"],
    may: ["#primitives", ...audited],
    why: "cryptography imports audited primitives only; what is for Node.js alone is in primitives/node*.ts",
  },
  {
    of: ["packages/crypto/src/primitives/node"],
    may: [
      "node:crypto",
      "node:module",
      "hash-wasm",
      "hash-wasm/dist/keccak.umd.min.js",
      ...audited,
    ],
    why: "the twin of the portable primitives imports of Node.js node:crypto and node:module only",
  },
  {
    of: ["packages/engine/src/"],
    may: [
      ...["@keyhearth/crypto/*", "@keyhearth/policy/*"],
      ...["zod", "jose", "@simplewebauthn/server", "@simplewebauthn/server/*"],
    ],
    mayNot: ["@keyhearth/policy/advice/*"],
    why: "the core is a function without input and output, and gives no advice",
  },
  {
    of: ["packages/outbound/src/"],
    may: ["node:*", "ipaddr.js"],
    why: "what all processes share imports Node.js and ipaddr.js only",
  },
  {
    of: ["packages/search/src/"],
    may: ["minisearch", "@orama/stemmers/*"],
    why: "the search runs in a browser and in the service, and imports the libraries that it is made of only",
  },
  {
    of: ["apps/signer/src/"],
    may: ["node:*", "@keyhearth/crypto/*", "@keyhearth/engine/*", "@keyhearth/outbound/*", "jose"],
    why: "the signer knows neither the API nor a database",
  },
  {
    of: ["apps/courier/src/"],
    may: [
      ...["node:*", "@keyhearth/crypto/*", "@keyhearth/engine/messages/message"],
      ...["@keyhearth/outbound/*", "nodemailer", "twilio", "zod"],
    ],
    why: "the courier knows neither the signer, nor the API, nor a database",
  },
  {
    of: ["apps/frames/src/"],
    may: ["@keyhearth/crypto/*"],
    why: "the frames run in a browser, and import cryptography only",
  },
  {
    of: ["apps/dashboard/src/"],
    may: [...["@keyhearth/sdk", "@keyhearth/sdk/*", "@keyhearth/policy/*", "@keyhearth/crypto/*"]],
    mayAnyPackage: true,
    files: ["logo", "logo-dark"].map((name) => `apps/website/static/img/${name}.svg`),
    why: "the dashboard runs in a browser, and knows the SDK, the policy language and cryptography",
  },
  {
    of: ["apps/api/src/"],
    may: [
      "@keyhearth/dashboard/headers",
      ...["@keyhearth/frames/ancestors", "@keyhearth/frames/headers"],
      ...["@keyhearth/courier/*", "@keyhearth/crypto/*", "@keyhearth/outbound/*"],
      ...["@keyhearth/policy/*", "@keyhearth/search/*"],
      ...[
        ...["activities/*", "records/*", "memory/*", "errors", "core/protocol"],
        ...["messages/message", "messages/receivers", "chains/contract-interfaces"],
        ...[
          "fields/credentials",
          "fields/logins",
          "fields/oauth2",
          "fields/schemas",
          "fields/parse",
        ],
        ...["declare/define", "declare/reading", "submission/envelope", "shown/show-activity"],
        ...["people/auth-proxy", "people/authenticate", "people/client-signatures"],
        ...[
          "people/invitations",
          "people/oauth2-credentials",
          "people/oidc-tokens",
          "people/passkey-origins",
        ],
        ...["people/stamp-keys", "policies/approvals", "policies/authorize"],
        "policies/evaluations",
      ].map((path) => `@keyhearth/engine/${path}`),
    ],
    mayAnyPackage: true,
    why: "of the core, the API knows the door, declarations, records and who may do what; it starts the signer's thread by its path",
  },
  {
    of: ["packages/sdk/src/"],
    may: ["@keyhearth/crypto/*"],
    why: "the SDK runs in a browser, and imports cryptography only",
  },
  {
    of: ["packages/sdk/src/adapters/"],
    may: [
      ...["@keyhearth/crypto/*", "viem", "viem/*", "ethers", "@solana/kit", "@solana/web3.js"],
      ...["@cosmjs/amino", "@cosmjs/proto-signing", "cosmjs-types/*"],
    ],
    why: "an adapter imports the library that it is for, and runs in a browser",
  },
  {
    of: [
      ...["packages/sdk/src/react.ts", "packages/sdk/src/react/"],
      ...["packages/sdk/src/kit.ts", "packages/sdk/src/kit/"],
    ],
    may: ["@keyhearth/crypto/*", "react"],
    why: "the React kit imports React, and runs in a browser",
  },
  {
    of: ["packages/sdk/src/server.ts", "packages/sdk/src/server/"],
    may: [
      ...["@keyhearth/crypto/*", "@keyhearth/outbound/counted-addresses"],
      ...["node:*", "express", "hono", "next/*"],
    ],
    why: "the helpers for servers import Node.js, by what addresses count, and the frameworks that they serve",
  },
  {
    of: ["packages/sdk/src/advice.ts"],
    may: ["@keyhearth/crypto/*", "@keyhearth/policy/*"],
    why: "advice imports the policy language, and runs in a browser",
  },
  {
    of: ["packages/cli/src/"],
    may: ["node:*", "@keyhearth/sdk", "@keyhearth/sdk/*", "@keyhearth/policy/*"],
    mayAnyPackage: true,
    why: "the command line knows the SDK and the policy language",
  },
  {
    of: [
      "packages/cli/src/mcp/named-keys.ts",
      "packages/cli/src/mcp/own-requests.ts",
      "packages/cli/src/mcp/signature-checks.ts",
      "packages/cli/src/mcp/signature-checks.test.ts",
    ],
    may: ["node:*", "@keyhearth/sdk", "@keyhearth/sdk/*", "@keyhearth/crypto/*"],
    mayAnyPackage: true,
    why: "signatures are verified over what each chain signs, which the SDK does not offer",
  },
  {
    of: ["packages/cli/src/emulator/"],
    may: [
      ...["node:*", "@keyhearth/api/*", "@keyhearth/courier/key-file"],
      ...["@keyhearth/courier/open-message", "@keyhearth/courier/render"],
      ...["@keyhearth/crypto/*", "@keyhearth/engine/errors"],
      ...["@keyhearth/outbound/release", "@keyhearth/sdk"],
      ...["@keyhearth/signer/in-memory", "@keyhearth/signer/oidc/issuers"],
    ],
    mayAnyPackage: true,
    why: "the emulator is the API and the signer in memory, and nothing else may import them",
  },
  {
    of: ["apps/website/"],
    may: [
      ...["node:*", "@keyhearth/sdk", "@keyhearth/sdk/*", "@keyhearth/crypto/*"],
      ...["@keyhearth/policy/*", "@keyhearth/search/*"],
    ],
    mayAnyPackage: true,
    files: [
      ...["contract/openapi.json", "contract/site-redirects.json"],
      ...["scripts/page-history.ts", "scripts/changelog/fragments.ts"],
      "scripts/release/site-archive.ts",
    ],
    why: "the site knows the contract and the SDK, and in playgrounds the policy language and cryptography",
  },
  {
    of: ["apps/website/snippets/emulator/"],
    may: ["node:*", "@keyhearth/cli/emulator", "@keyhearth/sdk"],
    mayAnyPackage: true,
    why: "a recipe for tests imports what an application installs",
  },
];

/** The folder of a file's workspace. */
const workspaceOf = (file: string) => file.split("/", 2).join("/");

export function wallOf(file: string): Wall | undefined {
  return walls.findLast(({ of }) => of.some((path) => file.startsWith(path)));
}

/** Why a file may not import a module. Null if it may. */
export function refusalOf(file: string, from: string): string | null {
  const wall = wallOf(file);
  if (!wall) return null;
  const { may, mayNot = [], mayAnyPackage = false, files = [], why } = wall;
  if (from.startsWith(".")) {
    const target = new URL(from, `file:///${file}`).pathname.slice(1);
    return target.startsWith(`${workspaceOf(file)}/`) || files.includes(target) ? null : why;
  }
  if (isOneOf(may, from)) return isOneOf(mayNot, from) ? why : null;
  const isPackage = !from.startsWith("@keyhearth/") && !from.startsWith("#");
  return mayAnyPackage && isPackage ? null : why;
}

function isOneOf(names: readonly string[], from: string): boolean {
  return names.some((name) =>
    name.endsWith("*") ? from.startsWith(name.slice(0, -1)) : from === name,
  );
}
