import type { Requirement } from "./requirement.ts";

export const encoding: readonly Requirement[] = [
  {
    number: "1.1.1",
    level: 2,
    asks: "Input is decoded once, into one form, before anything else is done with it.",
    answer: {
      note: "A body is decoded once, as UTF-8 and strict JSON. Text that two readers could read differently is refused.",
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: [
            "a body that is ambiguous or is not JSON is refused",
            "a compressed body, or one in UTF-16, is named as what it is",
          ],
        },
        {
          file: "packages/crypto/src/encoding/bytes.test.ts",
          names: ["only one text decodes to given bytes"],
        },
        {
          file: "tests/attacks/signer-door.test.ts",
          names: ["a request that is ambiguous is refused"],
        },
      ],
    },
  },
  {
    number: "1.1.2",
    level: 2,
    asks: "Output is escaped last, right before it is interpreted.",
    answer: {
      tests: [
        {
          file: "tests/attacks/messages.test.ts",
          names: [
            "an application that chooses the style of a message brings no HTML and no script into a mail",
          ],
        },
        {
          file: "apps/api/src/observability/log.test.ts",
          names: ["characters that a terminal acts on are shown as such"],
        },
        {
          file: "tests/attacks/feedback.test.ts",
          names: [
            "a body of feedback with markup or control characters does nothing to the operator who reads it",
          ],
        },
      ],
    },
  },
  {
    number: "1.2.1",
    level: 1,
    asks: "What goes into HTML or a header is escaped for that place.",
    answer: {
      tests: [
        {
          file: "tests/attacks/messages.test.ts",
          names: [
            "an application that chooses the style of a message adds no header, receiver or body to a mail",
            "an application that chooses the style of a message brings no HTML and no script into a mail",
          ],
        },
        {
          file: "packages/outbound/src/guarded-request.test.ts",
          names: ["a request does not send a header that ends its line"],
        },
        {
          file: "apps/api/src/app.test.ts",
          names: ["a request id is echoed; a missing or malformed one is replaced"],
        },
      ],
    },
  },
  {
    number: "1.2.2",
    level: 1,
    asks: "Values in URLs are encoded, and URLs have safe schemes only.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/messages/style.test.ts",
          names: ["the link … is refused"],
        },
        {
          file: "tests/attacks/messages.test.ts",
          names: [
            "an application that chooses the style of a message brings no HTML and no script into a mail",
          ],
        },
        {
          file: "tests/site/routes.test.ts",
          names: ["an address that names another host … is redirected nowhere but into the site"],
        },
      ],
    },
  },
  {
    number: "1.2.3",
    level: 1,
    asks: "Values in scripts and JSON can’t end the text around them.",
    answer: {
      tests: [
        {
          file: "apps/website/plugins/structured-data/data.test.ts",
          names: ["a text cannot end the script that it stands in"],
        },
        {
          file: "apps/api/src/serve/site.test.ts",
          names: ["security headers a page may run its own inline scripts and no others"],
        },
      ],
    },
  },
  {
    number: "1.2.4",
    level: 1,
    asks: "Queries of the database take values as parameters, so that a value can’t change the query.",
    answer: {
      note: "Values are parameters of prepared statements. The tests send fragments of SQL.",
      tests: [
        {
          file: "apps/api/src/store/statements/statement.test.ts",
          names: ["each text is prepared under one name of its own"],
        },
        {
          file: "apps/api/src/feedback/feedback.test.ts",
          names: ["… is stored with the text …"],
        },
        {
          file: "tests/fuzz/fuzz.test.ts",
          names: ["…: no request makes the service fail, forget an answer or mix up tenants"],
        },
      ],
    },
  },
  {
    number: "1.2.5",
    level: 1,
    asks: "Input can’t add commands to what the operating system runs.",
    answer: {
      doesNotApply:
        "No text of a client is passed to a program. The API starts one, Node.js itself, to create the embedded database in the operator’s directory.",
    },
  },
  {
    number: "1.2.6",
    level: 2,
    asks: "Input can’t change queries of a directory (LDAP).",
    answer: { doesNotApply: "Nothing speaks LDAP." },
  },
  {
    number: "1.2.7",
    level: 2,
    asks: "Input can’t change XPath queries.",
    answer: { doesNotApply: "Nothing evaluates XPath." },
  },
  {
    number: "1.2.8",
    level: 2,
    asks: "LaTeX is processed without dangerous commands.",
    answer: { doesNotApply: "Nothing processes LaTeX." },
  },
  {
    number: "1.2.9",
    level: 2,
    asks: "Text in regular expressions is escaped.",
    answer: { doesNotApply: "No regular expression is built from what a client sends." },
  },
  {
    number: "1.3.1",
    level: 1,
    asks: "HTML that users write is sanitized by a proven library.",
    answer: {
      doesNotApply:
        "Nobody can send HTML. What users write is escaped, and the templates of emails are the operator’s files.",
    },
  },
  {
    number: "1.3.2",
    level: 1,
    asks: "Nothing runs text as code.",
    answer: {
      note: "Policies are evaluated by an interpreter of their own, which knows no name of JavaScript. Pages run only scripts whose digest is in the header.",
      tests: [
        {
          file: "packages/policy/src/evaluate.test.ts",
          names: ["names that JavaScript knows … is not a key"],
        },
        {
          file: "packages/policy/src/environment.test.ts",
          names: [
            "an environment that converts only what is read finds no names that JavaScript gives to objects",
          ],
        },
        {
          file: "apps/api/src/serve/site.test.ts",
          names: ["security headers a page may run its own inline scripts and no others"],
        },
      ],
    },
  },
  {
    number: "1.3.3",
    level: 2,
    asks: "What goes to a dangerous place has only safe characters and a bounded length.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/messages/style.test.ts",
          names: ["… is refused in every field that gets into a header or a template"],
        },
        {
          file: "packages/engine/src/fields/names.test.ts",
          names: ["… refuses characters that make it look like another name"],
        },
        {
          file: "tests/attacks/site.test.ts",
          names: ["a path fills no more of the log than any other"],
        },
      ],
    },
  },
  {
    number: "1.3.4",
    level: 2,
    asks: "SVG drawings of users contain nothing that runs.",
    answer: {
      note: "The only image from outside is the logo of an email, and an SVG is refused there.",
      tests: [
        {
          file: "tests/attacks/messages.test.ts",
          names: [
            "an application that chooses the style of a message gets no logo that is oversized, no PNG, a bomb, or at a private address",
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
    number: "1.3.5",
    level: 2,
    asks: "Templates and expressions of users are harmless.",
    answer: {
      tests: [
        {
          file: "tests/attacks/messages.test.ts",
          names: [
            "an application that chooses the style of a message reads no other part of a message through its templates",
          ],
        },
        {
          file: "packages/policy/src/evaluate.test.ts",
          names: [
            "names that JavaScript knows … is not a key",
            "work an evaluation ends once its steps are used up, however deep the loops",
          ],
        },
      ],
    },
  },
  {
    number: "1.3.6",
    level: 2,
    asks: "Users can’t make the service send requests into its own network.",
    answer: {
      note: "Schemes, ports and addresses are checked. Any public host may be named: see 13.2.4.",
      tests: [
        {
          file: "packages/outbound/src/guarded-request.test.ts",
          names: [
            "a URL … is refused as not public",
            "a URL … is refused: …",
            "a name at … is refused, without a connection",
            "a name that changes its address after the check still reaches the checked one",
          ],
        },
        {
          file: "tests/attacks/webhooks.test.ts",
          names: [
            "a tenant who points a webhook at the service's own network … is not reached, and nothing but that is learned",
            "a tenant who points a webhook at the service's own network is not led there by a redirect of an allowed receiver",
          ],
        },
      ],
    },
  },
  {
    number: "1.3.7",
    level: 2,
    asks: "Templates aren’t built from input.",
    answer: {
      tests: [
        {
          file: "tests/attacks/messages.test.ts",
          names: [
            "an application that chooses the style of a message reads no other part of a message through its templates",
          ],
        },
        {
          file: "packages/engine/src/messages/style.test.ts",
          names: [
            "the template variables … are refused",
            "the template id … is refused",
            "the SMS … is refused",
          ],
        },
      ],
    },
  },
  {
    number: "1.3.8",
    level: 2,
    asks: "Input can’t change lookups by JNDI.",
    answer: { doesNotApply: "Nothing runs on Java." },
  },
  {
    number: "1.3.9",
    level: 2,
    asks: "Input can’t change commands to memcache.",
    answer: { doesNotApply: "Caches are in the memory of each process." },
  },
  {
    number: "1.3.10",
    level: 2,
    asks: "Format strings of users do nothing unexpected.",
    answer: {
      note: "Two texts of clients have a place for a value: the link of an email and the text of an SMS. Each has exactly one.",
      tests: [
        {
          file: "packages/engine/src/messages/style.test.ts",
          names: ["the link … is refused", "the SMS … is refused"],
        },
      ],
    },
  },
  {
    number: "1.3.11",
    level: 2,
    asks: "Input can’t change an email on its way to the mail server.",
    answer: {
      tests: [
        {
          file: "tests/attacks/messages.test.ts",
          names: [
            "an application that chooses the style of a message adds no header, receiver or body to a mail",
          ],
        },
        {
          file: "apps/courier/src/courier.test.ts",
          names: [
            "the sender of a request counts only at an allowed domain, with its name and reply address",
          ],
        },
        {
          file: "packages/engine/src/messages/style.test.ts",
          names: ["… is refused in every field that gets into a header or a template"],
        },
      ],
    },
  },
  {
    number: "1.4.1",
    level: 2,
    asks: "Memory is used in ways that can’t overflow.",
    answer: {
      doesNotApply:
        "Our code is TypeScript, whose runtime checks every access. Native code comes with Node.js, PostgreSQL and libsecp256k1.",
    },
  },
  {
    number: "1.4.2",
    level: 2,
    asks: "Integers don’t overflow.",
    answer: {
      tests: [
        {
          file: "packages/policy/src/evaluate.test.ts",
          names: ["integers are exact up to 256 bits, and beyond them a value cannot be used"],
        },
        {
          file: "packages/engine/src/chains/ethereum-messages.test.ts",
          names: ["a limit on an integer is exact arithmetic, however the integer is written"],
        },
        {
          file: "tests/attacks/policies.test.ts",
          names: ["an amount of a call is exact, up to the largest integer there is"],
        },
      ],
    },
  },
  {
    number: "1.4.3",
    level: 2,
    asks: "Memory and other resources are given back.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/memory/bounded-cache.test.ts",
          names: ["nothing is left of values that were deleted"],
        },
        {
          file: "tests/attacks/families.test.ts",
          names: [
            "a list of the largest activities that nobody reads holds a bounded part of the memory, and nothing once it is gone",
          ],
        },
        {
          file: "packages/engine/src/keys/unsealed-keys.test.ts",
          names: ["keys that are too old are wiped when the next request comes, whatever it is"],
        },
      ],
    },
  },
  {
    number: "1.5.1",
    level: 1,
    asks: "XML is read without external entities.",
    answer: { doesNotApply: "Nothing reads XML." },
  },
  {
    number: "1.5.2",
    level: 2,
    asks: "Data from outside is read into known shapes only.",
    answer: {
      tests: [
        {
          file: "packages/engine/src/submission/envelope.test.ts",
          names: [
            "parameters any parameters are either parsed or refused",
            "parameters unknown fields are refused by name, including members that every object has",
          ],
        },
        {
          file: "packages/engine/src/core/protocol.test.ts",
          names: ["any bytes are either a frame or refused"],
        },
        {
          file: "packages/engine/src/records/notarize.test.ts",
          names: [
            "any flipped bit is refused",
            "a record that is cut short or extended, and anything else, is refused",
          ],
        },
      ],
    },
  },
];
