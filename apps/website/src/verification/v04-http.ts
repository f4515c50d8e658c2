import type { Requirement } from "./requirement.ts";

const noGraphql = "There is no GraphQL.";
const noWebSockets = "There are no WebSockets.";

export const http: readonly Requirement[] = [
  {
    number: "4.1.1",
    level: 1,
    asks: "Every answer says what type it has and, for text, which encoding.",
    answer: {
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: [
            "answers have the content type `application/json` and keep non-ASCII text",
            "health, readiness, contract and well-known facts are public JSON; everything else is the site",
          ],
        },
        { file: "apps/api/src/serve/site.test.ts", names: ["addresses … is a page"] },
        {
          file: "tests/site/page-tools.test.ts",
          names: ["a page every page's Markdown is served as text in UTF-8"],
        },
      ],
    },
  },
  {
    number: "4.1.2",
    level: 2,
    asks: "Only pages are redirected from http to https, so that programs notice their mistake.",
    answer: {
      missing:
        "With the sample Caddyfile, Caddy redirects requests to the API too. The SDK follows no redirect and reports it.",
      tests: [
        {
          file: "packages/sdk/src/connection/request.test.ts",
          names: ["an error is REDIRECTED for a …, which nobody follows"],
        },
      ],
    },
  },
  {
    number: "4.1.3",
    level: 2,
    asks: "Clients can’t set the headers that a proxy adds.",
    answer: {
      note: "Only addresses that your proxies wrote count.",
      tests: [
        {
          file: "apps/api/src/host/rate-limit.test.ts",
          names: [
            "the client's address is the socket's when no proxy is trusted, whatever the header says",
            "the client's address behind a trusted proxy is …",
          ],
        },
        {
          file: "tests/attacks/feedback.test.ts",
          names: [
            "a flood of feedback is not let through by a claimed address, or by the other addresses of a network",
          ],
        },
        {
          file: "tests/attacks/site.test.ts",
          names: [
            "metrics are not shown through a proxy, whatever it says and however it connects",
          ],
        },
      ],
    },
  },
  {
    number: "4.2.1",
    level: 2,
    asks: "All parts agree where a request ends.",
    answer: {
      missing:
        "Node.js reads requests, and ends a connection whose body goes on after the answer. No test sends a request with two lengths through a proxy.",
      tests: [
        {
          file: "tests/attacks/strangers.test.ts",
          names: [
            "a body that nobody asked for does not go on after the answer",
            "on one connection, requests ahead of their answers are worked on one at a time, and answered in order",
          ],
        },
      ],
    },
  },
  {
    number: "4.3.1",
    level: 2,
    asks: "Nested queries of GraphQL have a limit.",
    answer: { doesNotApply: noGraphql },
  },
  {
    number: "4.3.2",
    level: 2,
    asks: "Nobody can ask for the schema of GraphQL in production.",
    answer: { doesNotApply: noGraphql },
  },
  {
    number: "4.4.1",
    level: 1,
    asks: "WebSockets use TLS.",
    answer: { doesNotApply: noWebSockets },
  },
  {
    number: "4.4.2",
    level: 2,
    asks: "WebSockets check the origin of a page.",
    answer: { doesNotApply: noWebSockets },
  },
  {
    number: "4.4.3",
    level: 2,
    asks: "WebSockets with sessions of their own use tokens for them.",
    answer: { doesNotApply: noWebSockets },
  },
  {
    number: "4.4.4",
    level: 2,
    asks: "Tokens of WebSockets come from a session that was logged in before.",
    answer: { doesNotApply: noWebSockets },
  },
];
