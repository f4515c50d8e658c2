import { ApiError } from "@keyhearth/engine/errors";

/** More than any answer should have. Lists end before that. */
export const MAX_ANSWER_LENGTH = 24 * 1024 * 1024;

/** An answer as JSON. */
export function toText(answer: unknown): string {
  const text = JSON.stringify(answer);
  if (text.length <= MAX_ANSWER_LENGTH) return text;
  throw new ApiError(
    "RESOURCE_EXHAUSTED",
    "LIMIT_EXCEEDED",
    `the answer would be larger than ${MAX_ANSWER_LENGTH} characters; ask for less at once`,
  );
}
