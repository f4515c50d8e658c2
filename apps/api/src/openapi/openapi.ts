import { writeFileSync } from "node:fs";
import { activities } from "@keyhearth/engine/activities/index";
import packageJson from "../../package.json" with { type: "json" };
import { queries } from "../queries/index.ts";
import type { OpenApi } from "./openapi-document.ts";
import { queryOperation, submitOperation } from "./openapi-operations.ts";
import { PROXY_TAG, pathOfProxyCall, proxyCalls, proxyOperation } from "./openapi-proxy.ts";
import { createSchemas } from "./openapi-schemas.ts";
import { securitySchemes, stamped } from "./openapi-security.ts";

/** Makes `contract/openapi.json` from the declarations: it is all that service, SDK and site share. */

const tags: Record<string, string> = {
  Organizations: "Organizations and sub-organizations, and their root quorum.",
  Features: "What is switched on in an organization.",
  Sessions: "Log in and out, and ask who a credential belongs to.",
  Users: "The people and programs of an organization.",
  "User Tags": "Tags that group users.",
  Invitations: "People who were asked by email to become users.",
  "API Keys": "Public keys that users stamp requests with.",
  Authenticators: "Passkeys that users stamp requests with.",
  "User Auth": "Logins by email, one-time codes and social logins.",
  "User Recovery": "Recovery of users by email.",
  Wallets: "Seeds, and the accounts derived from them.",
  "Private Keys": "Keys that do not belong to a wallet.",
  "Private Key Tags": "Tags that group private keys.",
  Signing: "Signatures by wallet accounts and private keys.",
  Policies:
    "Rules about who may do what, and the contract interfaces that let them read contract calls.",
  Webhooks: "URLs that get events, and what was sent to them.",
  Activities: "Requests to change something or to use a key, and their outcomes.",
  Consensus: "Votes on activities that need more than one approval.",
  [PROXY_TAG]:
    "Calls of pages and apps without a backend. They carry no stamp: a header names the organization, and what a call does is bound to proofs.",
};

export function createOpenApi(): OpenApi {
  const { schemas, inline } = createSchemas();
  const paths: OpenApi["paths"] = {};
  for (const query of queries) {
    paths[`/public/v1/query/${query.name}`] = { post: queryOperation(query, schemas) };
  }
  for (const activity of activities) {
    paths[`/public/v1/submit/${activity.name}`] = { post: submitOperation(activity, schemas) };
  }
  for (const call of proxyCalls) {
    paths[pathOfProxyCall(call.name)] = { post: proxyOperation(call, inline, schemas) };
  }
  const used = new Set([...[...queries, ...activities].map(({ tag }) => tag), PROXY_TAG]);
  return {
    "x-generated":
      "From the declarations of activities and queries by npm run generate. Do not edit.",
    openapi: "3.1.0",
    info: {
      title: "Keyhearth API",
      version: packageJson.version,
      description:
        "Keys and wallets behind a signer. A submission changes something or uses a key, and its answer is an activity. A query only reads. Every request is a POST with a JSON body and carries a stamp: a signature over the exact bytes of the body. Calls of the login proxy carry none.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The service that serves this document." }],
    security: stamped,
    tags: [...used]
      .map((name) => ({ name, description: tags[name] ?? "" }))
      .sort((a, b) => Object.keys(tags).indexOf(a.name) - Object.keys(tags).indexOf(b.name)),
    paths,
    components: {
      securitySchemes,
      schemas,
    },
  };
}

if (import.meta.main) {
  const file = new URL("../../../../contract/openapi.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify(createOpenApi(), null, 2)}\n`);
}
