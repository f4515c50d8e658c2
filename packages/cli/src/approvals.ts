import type { RequestToReject } from "@keyhearth/sdk";
import type { Given, Surroundings } from "./command.ts";
import { InputError } from "./errors.ts";
import { indent, jsonText, plain } from "./output.ts";
import { confirmed } from "./prompts.ts";

// What a vote on an activity has in common, whichever it is.

/** The checks that the options of a vote ask for. */
export function voteChecks(given: Given, surroundings: Surroundings) {
  const expected = given.option("fingerprint");
  if (given.has("yes") && expected === undefined) {
    throw new InputError(
      "--yes needs --fingerprint FINGERPRINT, because the service says which request has the id: take the fingerprint from the requester, whose command or program printed it, or leave --yes out to read the request and be asked",
    );
  }
  return {
    assertExpected({ fingerprint }: RequestToReject, what: "approved" | "rejected"): void {
      if (expected === undefined || expected === fingerprint) return;
      throw new InputError(
        `the activity has the fingerprint ${fingerprint}, and not ${plain(expected.slice(0, 80))}: it is another request, so nothing was ${what}`,
      );
    },
    asked(question: string): Promise<unknown> {
      const way = "--yes --fingerprint FINGERPRINT";
      return confirmed(surroundings, question, given.has("yes"), way);
    },
  };
}

/** The request, read from the bytes that were stamped. */
export function linesOf({
  type,
  organizationId,
  parameters,
  fingerprint,
}: RequestToReject): string[] {
  return [
    `fingerprint   ${fingerprint}`,
    `organization  ${plain(organizationId)}`,
    `type          ${plain(type)}`,
    ...indent(jsonText(parameters).split("\n")),
  ];
}
