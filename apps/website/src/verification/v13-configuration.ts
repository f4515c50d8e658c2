import type { Requirement } from "./requirement.ts";

const separated = {
  file: "tests/self-hosting/production.test.ts",
  names: [
    "an installation by the units of the site the user … cannot read …",
    "an installation by the units of the site the sockets are for their owner and the API only",
  ],
};

export const configuration: readonly Requirement[] = [
  {
    number: "13.1.1",
    level: 2,
    asks: "The documentation says to whom the service connects, also on behalf of users.",
    answer: {
      note: "A table says what each process connects to. Webhooks and logos are what users choose.",
      pages: [
        { title: "Users and connections", to: "/self-hosting/production#users" },
        { title: "Webhooks", to: "/developer-reference/webhooks" },
        { title: "Configuration", to: "/self-hosting/configuration" },
      ],
    },
  },
  {
    number: "13.2.1",
    level: 2,
    asks: "Parts of the backend authenticate to each other, and not by lasting passwords.",
    answer: {
      missing:
        "Signer and courier know the API by the group of its user, and a signer on another machine by its key. PostgreSQL, the mail server and SMS services are reached with lasting passwords, unless PostgreSQL is on a Unix socket.",
      tests: [
        separated,
        {
          file: "apps/api/src/config/config.test.ts",
          names: ["a database behind a Unix socket is accepted"],
        },
      ],
    },
  },
  {
    number: "13.2.2",
    level: 2,
    asks: "Parts of the backend have only the rights that they need.",
    answer: {
      note: "Signer, courier and API are three users. The API’s account of the database owns its tables, because it migrates them.",
      tests: [
        separated,
        {
          file: "tests/start/courier.test.ts",
          names: ["a courier process opens and sends what the API cannot read"],
        },
      ],
    },
  },
  {
    number: "13.2.3",
    level: 2,
    asks: "No credential between services is a default one.",
    answer: {
      note: "There are none: without a token, metrics are for the same machine alone.",
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["only this machine, or a request with the token, may read metrics"],
        },
        {
          file: "tests/mailbox/mailbox.test.ts",
          names: [
            "the token is made by the start, for the link and for programs, and is in no log line",
          ],
        },
      ],
    },
  },
  {
    number: "13.2.4",
    level: 2,
    asks: "The service connects only to systems on a list.",
    answer: {
      missing:
        "OpenID issuers and private receivers of webhooks are on a list. Webhooks and logos may be at any public address.",
      tests: [
        {
          file: "apps/signer/src/oidc/issuers.test.ts",
          names: ["three providers are accepted by default, and `none` accepts nobody"],
        },
        {
          file: "packages/outbound/src/private-targets.test.ts",
          names: ["… does not allow … at port …"],
        },
      ],
    },
  },
  {
    number: "13.2.5",
    level: 2,
    asks: "The server has a list of systems that it may reach.",
    answer: {
      missing:
        "The sample units don’t restrict addresses. Use a firewall: the signer needs only the issuers, and the API only what webhooks reach.",
    },
  },
  {
    number: "13.3.1",
    level: 2,
    asks: "Secrets are in a vault.",
    answer: {
      missing:
        "The root key is a file of the signer’s user, and passwords are in files that root owns. Seals such as PKCS #11 don’t exist yet, and a start with one is refused.",
      tests: [
        {
          file: "tests/self-hosting/pages.test.ts",
          names: ["the seal … is refused until it exists"],
        },
      ],
    },
  },
  {
    number: "13.3.2",
    level: 2,
    asks: "Secrets are for those who need them.",
    answer: {
      tests: [
        separated,
        {
          file: "apps/signer/src/root-key/file.test.ts",
          names: ["a root key that others could read is refused, and the message says what to do"],
        },
        {
          file: "apps/api/src/directory/data-directory.test.ts",
          names: ["a directory that was there with mode … is closed to other users"],
        },
      ],
    },
  },
  {
    number: "13.4.1",
    level: 1,
    asks: "The history of the source isn’t there, or can’t be reached.",
    answer: {
      missing:
        "The guide installs from a clone, so the history is on the server and the processes can read it. The site serves only what its build made.",
      tests: [
        {
          file: "apps/api/src/serve/site.test.ts",
          names: ["addresses … gets the site's own not-found page"],
        },
      ],
    },
  },
  {
    number: "13.4.2",
    level: 2,
    asks: "Nothing for debugging is on in production.",
    answer: {
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["an internal error shows the request's id and nothing about its cause"],
        },
        {
          file: "apps/api/src/config/config.test.ts",
          names: [
            "there is a mailbox only without a mail server, on this machine alone, with the courier in this process",
          ],
        },
        {
          file: "tests/self-hosting/production.test.ts",
          names: [
            "an installation by the units of the site behind the proxy, the client's address counts, and metrics need the token",
          ],
        },
      ],
    },
  },
  {
    number: "13.4.3",
    level: 2,
    asks: "Folders aren’t listed.",
    answer: {
      tests: [
        {
          file: "apps/api/src/serve/site.test.ts",
          names: ["addresses … gets the site's own not-found page"],
        },
      ],
    },
  },
  {
    number: "13.4.4",
    level: 2,
    asks: "TRACE isn’t supported.",
    answer: {
      missing: "Paths refuse methods that they don’t take. No test sends TRACE.",
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
    number: "13.4.5",
    level: 2,
    asks: "Documentation and monitoring are public only where that is intended.",
    answer: {
      note: "The documentation is public on purpose.",
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["only this machine, or a request with the token, may read metrics"],
        },
        {
          file: "tests/self-hosting/proxies.test.ts",
          names: ["behind … metrics are not for everybody"],
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
];
