import { cp } from "node:fs/promises";
import { join } from "node:path";
import { readManifest, writeJson } from "./manifest.ts";
import type { NpmPackage } from "./npm-package.ts";

const files = [
  ...["README.md", "index.html", "tsconfig.json", "vite.config.ts"],
  ...["server.ts", "sign-up.ts", "sign-up-limit.ts", "wallet-sign-up.ts"],
  ...["code-examples", "public", "src"],
];

/** The sample app of the site, to unpack and change. It is served, and not published. */
export const passkeyWalletPackage: NpmPackage = {
  name: "passkey-wallet",
  async assemble(directory, { root, version }) {
    const source = join(root, "examples/passkey-wallet");
    for (const file of files)
      await cp(join(source, file), join(directory, file), { recursive: true });
    await writeJson(join(directory, "package.json"), { ...readManifest(source), version });
  },
};
