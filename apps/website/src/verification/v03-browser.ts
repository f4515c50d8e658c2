import type { Requirement } from "./requirement.ts";

const noCookies =
  "Nothing sets a cookie: requests carry stamps, and sessions of the SDK are keys in the browser.";

export const browser: readonly Requirement[] = [
  {
    number: "3.2.1",
    level: 1,
    asks: "A browser doesn’t show an answer of the API, or a file, as a page.",
    answer: {
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: [
            "the API accepts only POST",
            "answers have the content type `application/json` and keep non-ASCII text",
          ],
        },
        {
          file: "apps/api/src/serve/site.test.ts",
          names: ["security headers a drawing opened as a document runs nothing"],
        },
      ],
    },
  },
  {
    number: "3.2.2",
    level: 1,
    asks: "Text from users is shown as text.",
    answer: {
      tests: [
        {
          file: "tests/mailbox/mailbox.test.ts",
          names: [
            "the mailbox is in the table of addresses, and gives messages to tests right after their commit",
            "the mailbox in a browser lets no mail run a script",
          ],
        },
        {
          file: "tests/attacks/messages.test.ts",
          names: [
            "an application that chooses the style of a message brings no HTML and no script into a mail",
          ],
        },
      ],
    },
  },
  {
    number: "3.3.1",
    level: 1,
    asks: "Cookies are sent over TLS only.",
    answer: { doesNotApply: noCookies },
  },
  {
    number: "3.3.2",
    level: 2,
    asks: "Cookies say which sites may cause them to be sent.",
    answer: { doesNotApply: noCookies },
  },
  {
    number: "3.3.3",
    level: 2,
    asks: "Cookies belong to one host.",
    answer: { doesNotApply: noCookies },
  },
  {
    number: "3.3.4",
    level: 2,
    asks: "Scripts can’t read the cookies of sessions.",
    answer: { doesNotApply: noCookies },
  },
  {
    number: "3.4.1",
    level: 1,
    asks: "Browsers are told to use TLS for a year, also for subdomains (HSTS).",
    answer: {
      missing:
        "Neither the service nor the sample configurations for Caddy and nginx send the header. Add it in your proxy.",
    },
  },
  {
    number: "3.4.2",
    level: 1,
    asks: "Other origins may read answers only if they are on a list, or if the answers hold nothing private.",
    answer: {
      missing:
        "The API allows every origin (`*`) to read its answers, with an organization’s data too. A browser adds no stamp by itself and no credentials are allowed, so a page of another origin can read only what it could stamp for.",
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: [
            "browsers may call the API: preflights are answered, and pages may read every answer",
            "a request carries exactly one stamp, of a known kind",
          ],
        },
        {
          file: "tests/attacks/feedback.test.ts",
          names: ["a page of another site reads no answer, and gets no permission to send"],
        },
      ],
    },
  },
  {
    number: "3.4.3",
    level: 2,
    asks: "A content security policy lets pages load only what they need.",
    answer: {
      note: "Pages have digests of their scripts. Answers of the API may load nothing.",
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["no browser keeps an answer, guesses its type or shows it in a frame"],
        },
        {
          file: "apps/api/src/serve/site.test.ts",
          names: [
            "security headers a page may run its own inline scripts and no others",
            "security headers inline styles are allowed only on a page that has some",
          ],
        },
      ],
    },
  },
  {
    number: "3.4.4",
    level: 2,
    asks: "Browsers don’t guess the type of any answer (`nosniff`).",
    answer: {
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["no browser keeps an answer, guesses its type or shows it in a frame"],
        },
        {
          file: "apps/api/src/serve/site.test.ts",
          names: ["security headers … has the common ones"],
        },
      ],
    },
  },
  {
    number: "3.4.5",
    level: 2,
    asks: "Addresses of pages don’t leak to other sites.",
    answer: {
      tests: [
        {
          file: "apps/api/src/serve/site.test.ts",
          names: ["security headers … has the common ones"],
        },
        {
          file: "tests/mailbox/mailbox.test.ts",
          names: [
            "the mailbox in a browser takes the token out of the address, keeps it for this tab, and says so without it",
          ],
        },
      ],
    },
  },
  {
    number: "3.4.6",
    level: 2,
    asks: "No answer can be shown in a frame of another site.",
    answer: {
      missing:
        "Pages and answers of the API forbid it (`frame-ancestors 'none'`). Redirects of the site don’t have the header.",
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["no browser keeps an answer, guesses its type or shows it in a frame"],
        },
        {
          file: "apps/api/src/serve/site.test.ts",
          names: ["security headers a page may run its own inline scripts and no others"],
        },
      ],
    },
  },
  {
    number: "3.5.1",
    level: 1,
    asks: "Another site can’t send requests in the name of its visitors.",
    answer: {
      note: "A browser never adds a stamp by itself.",
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["a request carries exactly one stamp, of a known kind"],
        },
        {
          file: "tests/attacks/feedback.test.ts",
          names: [
            "a page of another site sends nothing, and uses up nothing of what its visitor may send",
          ],
        },
        {
          file: "tests/attacks/messages.test.ts",
          names: [
            "a page of another site reads nothing in the mailbox, by whatever name it reaches this machine",
          ],
        },
      ],
    },
  },
  {
    number: "3.5.2",
    level: 1,
    asks: "No request that matters can be sent without the browser asking first (preflight).",
    answer: {
      note: "A stamp is in a header of its own, which forms can’t send.",
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: [
            "a request carries exactly one stamp, of a known kind",
            "browsers may call the API: preflights are answered, and pages may read every answer",
          ],
        },
        {
          file: "tests/attacks/feedback.test.ts",
          names: ["a page of another site sends nothing as a form does, or without an origin"],
        },
      ],
    },
  },
  {
    number: "3.5.3",
    level: 1,
    asks: "Requests that change something don’t use methods such as GET.",
    answer: {
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: [
            "the API accepts only POST",
            "a path that exists refuses other methods, and says which it takes",
          ],
        },
      ],
    },
  },
  {
    number: "3.5.4",
    level: 2,
    asks: "Different applications have different host names.",
    answer: {
      operator:
        "API and documentation share a host name. Serve your app, and pages that handle credentials, from another one.",
      pages: [{ title: "TLS and the proxy", to: "/self-hosting/production#tls" }],
    },
  },
  {
    number: "3.5.5",
    level: 2,
    asks: "Messages from other windows are checked.",
    answer: {
      doesNotApply:
        "No page and no part of the SDK listens to other windows. Tabs hear of each other’s sessions over a channel that browsers keep to one origin.",
    },
  },
  {
    number: "3.7.1",
    level: 2,
    asks: "Pages use only technologies that browsers still support.",
    answer: { doesNotApply: "Pages are HTML, CSS and JavaScript, without plugins or applets." },
  },
  {
    number: "3.7.2",
    level: 2,
    asks: "Readers are redirected to other sites only if those are on a list.",
    answer: {
      note: "The site redirects only to its own pages.",
      tests: [
        {
          file: "tests/site/routes.test.ts",
          names: [
            "an address that names another host … is redirected nowhere but into the site",
            "a moved address answers 301 with its query kept, with and without a slash at its end",
          ],
        },
      ],
    },
  },
];
