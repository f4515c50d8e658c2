import type { VerifiedRequest } from "@keyhearth/sdk";
import { activityReport } from "../activity-report.ts";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { InputError } from "../errors.ts";
import { indent, jsonText, plain, type Report, shown } from "../output.ts";
import { confirmed } from "../prompts.ts";

/** Approves an activity, after showing the request that its requester stamped and asking. */
export async function activitiesApprove(given: Given, surroundings: Surroundings): Promise<Report> {
  const expected = given.option("fingerprint");
  if (given.has("yes") && expected === undefined) {
    throw new InputError(
      "--yes needs --fingerprint FINGERPRINT, because the service says which request has the id: take the fingerprint from the requester, whose command or program printed it, or leave --yes out to read the request and be asked",
    );
  }
  const { client } = await connect(given, surroundings);
  const { activity } = await client.approve(given.word(0), async (request) => {
    if (expected !== undefined && expected !== request.fingerprint) {
      throw new InputError(
        `the activity has the fingerprint ${request.fingerprint}, and not ${plain(expected.slice(0, 80))}: it is another request, so nothing was approved`,
      );
    }
    surroundings.stderr.write(`${shown(linesOf(request).join("\n"))}\n`);
    await confirmed(
      surroundings,
      "Approve this request?",
      given.has("yes"),
      "--yes --fingerprint FINGERPRINT",
    );
    return true;
  });
  return activityReport(activity, client);
}

/** The request, read from the stamped bytes. */
function linesOf({ type, organizationId, parameters, fingerprint, publicKey }: VerifiedRequest) {
  return [
    `stamped by    ${plain(publicKey)}`,
    `fingerprint   ${fingerprint}`,
    `organization  ${plain(organizationId)}`,
    `type          ${plain(type)}`,
    ...indent(jsonText(parameters).split("\n")),
  ];
}
