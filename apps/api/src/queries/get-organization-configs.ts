import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderFeature } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { Config } from "../wire/objects.ts";

/** Features and root quorum. */
export const getOrganizationConfigs = defineQuery({
  name: "get_organization_configs",
  tag: "Organizations",
  summary: "Get organization configs",
  description: "Get the features that are switched on in an organization, and its root quorum.",
  requestName: "GetOrganizationConfigsRequest",
  responseName: "GetOrganizationConfigsResponse",
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({ configs: Config }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  async answer({ document: { features, rootQuorum } }) {
    return { configs: { features: features.map(renderFeature), quorum: rootQuorum } };
  },
});
