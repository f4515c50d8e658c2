/** What another program says, what it means here, and where more is said about it. */
export type Foreign = { meaning: string; to: string };

const page = "/developer-reference/troubleshooting";

/** Messages of runtimes, tools and browsers that people meet here most. */
const messages: readonly (Foreign & { pattern: RegExp })[] = [
  {
    pattern: /ECONNREFUSED|connection refused|ERR_CONNECTION_REFUSED/i,
    meaning: "Nothing listens at that address. Start the service, or correct the address.",
    to: `${page}#unreachable`,
  },
  {
    pattern: /ENOTFOUND|EAI_AGAIN|name or service not known|ERR_NAME_NOT_RESOLVED/i,
    meaning: "No machine has that name. Correct the address of the service.",
    to: `${page}#unreachable`,
  },
  {
    pattern: /self[- ]signed certificate|CERT_[A-Z_]+|CERTIFICATE_VERIFY_FAILED|UNABLE_TO_VERIFY/,
    meaning: "The certificate at that address isn’t one that your program trusts.",
    to: `${page}#unreachable`,
  },
  {
    pattern: /\bFailed to fetch\b|NetworkError when attempting|\bLoad failed\b/,
    meaning: "The browser got no answer. Its console says why.",
    to: `${page}#unreachable`,
  },
  {
    pattern: /Unexpected token '?<|<!doctype html/i,
    meaning: "Something else than the service answered, with a page instead of JSON.",
    to: `${page}#unreachable`,
  },
  {
    pattern: /EADDRINUSE|address already in use/i,
    meaning: "Another process has the port. Stop it, or choose another one with PORT.",
    to: `${page}#programs`,
  },
  {
    pattern: /ERR_UNKNOWN_FILE_EXTENSION|Unknown file extension "\.m?ts"/,
    meaning: "This Node.js is too old to run TypeScript. Run the program with `npx node`.",
    to: `${page}#programs`,
  },
  {
    pattern: /(ENOENT|no such file|cannot read)\b.*\broot-api-key\.json/i,
    meaning:
      "The key file isn’t there. Start the service once, and set KEYHEARTH_ROOT_KEY to its path.",
    to: `${page}#programs`,
  },
];

/** What the messages in a text mean that aren't the product's own. */
export function foreignMessages(text: string): Foreign[] {
  return messages
    .filter(({ pattern }) => pattern.test(text))
    .map(({ meaning, to }) => ({ meaning, to }));
}
