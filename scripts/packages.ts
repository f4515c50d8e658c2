// Packs what a service that runs in this clone serves to npm, with the programs of the pages: `npm run packages`.

import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packPackages } from "./bundle/packages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "dist/packages");

const packed = await packPackages(root);
await rm(target, { recursive: true, force: true });
await cp(packed, target, { recursive: true });
