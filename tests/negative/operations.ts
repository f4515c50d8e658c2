import { queries } from "@keyhearth/api/queries/index";
import { activities } from "@keyhearth/engine/activities/index";
import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";

/** One accepted form of a request: a version of an activity, or a query. */
export type Operation = {
  /** As in `submit/create_wallet (ACTIVITY_TYPE_CREATE_WALLET)`. */
  name: string;
  path: string;
  /** The whole body. */
  schema: z.ZodObject;
};

const submissions = activities.flatMap(({ name, versions }) =>
  Object.entries(versions).map(
    ([type, { intent }]): Operation => ({
      name: `submit/${name} (${type})`,
      path: `submit/${name}`,
      schema: z.object({
        type: z.enum([type]),
        timestampMs: z.string().meta({ examples: ["now"] }),
        organizationId: OrganizationId,
        parameters: intent,
        generateAppProofs: z.boolean().optional(),
      }),
    }),
  ),
);

const questions = queries.map(
  ({ name, request }): Operation => ({
    name: `query/${name}`,
    path: `query/${name}`,
    schema: request,
  }),
);

/** Every form of every request that is declared. */
export const operations: readonly Operation[] = [...submissions, ...questions];
