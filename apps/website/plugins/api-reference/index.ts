import { copyFile, readFile } from "node:fs/promises";
import path from "node:path";
import type { LoadContext, Plugin } from "@docusaurus/types";
import { listProxyCalls } from "./proxy-calls.ts";
import {
  describeReference,
  fieldsByName,
  groupKinds,
  listActivities,
  listEndpoints,
  listExamples,
  listKinds,
  listQueryFields,
  type OpenApi,
  permissionsByName,
  type Reference,
} from "./reference.ts";
import { listRequests } from "./requests.ts";

type Content = { contract: OpenApi; reference: Reference };

type Options = {
  /** Path of the OpenAPI document, relative to the site. */
  contract: string;
};

/**
 * Reads the contract at build time and writes data files for the pages to import:
 * `reference.json` for /api, `examples.json` and `requests.json` for what readers open there, and the small `endpoints.json`, `activities.json`, `kinds.json`, `permissions.json`,
 * `queries.json` and `fields/NAME.json` for tables in the guides, and `proxy-calls.json` for the login proxy's page, so that a guide loads only what it shows. It also copies the contract itself into the site as
 * `/openapi.json`.
 */
export default function apiReference(context: LoadContext, options: Options): Plugin<Content> {
  const contract = path.resolve(context.siteDir, options.contract);
  return {
    name: "api-reference",
    getPathsToWatch: () => [contract],
    async loadContent() {
      const read = await readContract(contract);
      return { contract: read, reference: describeReference(read) };
    },
    async contentLoaded({ content: { contract, reference: content }, actions }) {
      await actions.createData("proxy-calls.json", listProxyCalls(contract, content));
      await actions.createData("examples.json", listExamples(contract));
      await actions.createData("requests.json", listRequests(contract));
      await actions.createData("reference.json", content);
      await actions.createData("endpoints.json", listEndpoints(content));
      await actions.createData("activities.json", listActivities(content));
      await actions.createData("kinds.json", groupKinds(listKinds(content)));
      await actions.createData("queries.json", listQueryFields(content));
      await actions.createData("permissions.json", permissionsByName(content));
      for (const [name, fields] of fieldsByName(content)) {
        await actions.createData(`fields/${name}.json`, fields);
      }
    },
    async postBuild({ outDir }) {
      // Also for other languages: the footer's link leads below the language's path.
      await copyFile(contract, path.join(outDir, "openapi.json"));
    },
  };
}

async function readContract(contract: string): Promise<OpenApi> {
  try {
    // This repository generates and checks the contract, so its shape isn't checked again here.
    return JSON.parse(await readFile(contract, "utf8")) as OpenApi;
  } catch (cause) {
    throw new Error(`cannot read \`${contract}\`; \`npm run generate\` writes it`, { cause });
  }
}
