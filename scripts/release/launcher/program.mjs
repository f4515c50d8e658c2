// What the launcher starts on the pinned Node.js: `node program.mjs FILE [arguments]`.

import { pathToFileURL } from "node:url";
import { prepareProcess } from "../../setup/process.mjs";

prepareProcess();
const [file = ""] = process.argv.splice(2, 1);
await import(pathToFileURL(file).href);
