import { errorMessages } from "../../src/components/errors/generated/error-messages.ts";

const ERRORS = "/developer-reference/api-overview/errors";

/** The messages of errors, by the anchor of their code. The page has them only for readers who search in it. */
export const searchWords: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(errorMessages).map(([code, messages]) => [
    `${ERRORS}#${code.toLowerCase().replaceAll("_", "-")}`,
    messages.join(" "),
  ]),
);
