import type { Requirement } from "./requirement.ts";

const logs = { title: "Logs", to: "/self-hosting/production#logs" };

export const logging: readonly Requirement[] = [
  {
    number: "16.1.1",
    level: 2,
    asks: "An inventory says what is logged where, for how long, and who may read it.",
    answer: {
      missing:
        "The page about production describes the lines of API and signer. It doesn’t list all of them, and says nothing of how long they stay.",
    },
  },
  {
    number: "16.2.1",
    level: 2,
    asks: "Each line says when, where, who and what.",
    answer: {
      missing:
        "Lines have time, process, request id, path and status, but neither the user nor the address. The activity of a request says who stamped it.",
      tests: [
        {
          file: "apps/api/src/observability/log.test.ts",
          names: ["a line is JSON with level, time, process and message"],
        },
        {
          file: "apps/api/src/app.test.ts",
          names: ["a request id is echoed; a missing or malformed one is replaced"],
        },
      ],
    },
  },
  {
    number: "16.2.2",
    level: 2,
    asks: "Clocks are synchronized, and times name their zone.",
    answer: {
      operator:
        "Times are in UTC. Synchronizing the machines is yours, and the API reports clocks that differ.",
      pages: [{ title: "Clock", to: "/self-hosting/production#clock" }],
    },
  },
  {
    number: "16.2.3",
    level: 2,
    asks: "Logs go only where the documentation says.",
    answer: { note: "To standard output, and nowhere else.", pages: [logs] },
  },
  {
    number: "16.2.4",
    level: 2,
    asks: "Programs can read the logs.",
    answer: {
      tests: [
        {
          file: "apps/api/src/observability/log.test.ts",
          names: ["a line is JSON with level, time, process and message"],
        },
        {
          file: "apps/api/src/observability/metrics.test.ts",
          names: ["the text is what Prometheus reads, with the process's own numbers"],
        },
      ],
    },
  },
  {
    number: "16.2.5",
    level: 2,
    asks: "Secrets aren’t logged.",
    answer: {
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["no key, stamp or signature is ever written to the log"],
        },
        {
          file: "apps/api/src/observability/log.test.ts",
          names: [
            "secrets are removed by name, at any depth, in any spelling",
            "bytes, passwords in URLs and cycles are not written",
          ],
        },
        {
          file: "tests/attacks/bundles.test.ts",
          names: ["an export writes no part of a secret into any record, log line or answer"],
        },
        { file: "apps/api/src/config/config.test.ts", names: ["a refused … is not echoed"] },
      ],
    },
  },
  {
    number: "16.3.1",
    level: 2,
    asks: "Each login is logged, successful or not, with how it was tried.",
    answer: {
      missing:
        "Requests with a wrong stamp are lines with status 401, and logins are activities with their votes. The line doesn’t say with which credential.",
    },
  },
  {
    number: "16.3.2",
    level: 2,
    asks: "Denied requests are logged.",
    answer: {
      note: "In the database, for a day, with the user and why. The log has a line with status 403.",
      tests: [
        {
          file: "apps/api/src/submission/submit.test.ts",
          names: [
            "a denial leaves an entry that explains it",
            "of each user at most sixty denials a minute are kept, and none for longer than a day",
          ],
        },
      ],
    },
  },
  {
    number: "16.3.3",
    level: 2,
    asks: "Attempts to get around the rules are logged.",
    answer: {
      note: "Attacks on records and history are alarms in both logs.",
      tests: [
        {
          file: "tests/attacks/database.test.ts",
          names: [
            "history a document older than the mark is refused, even after the signer restarts",
            "keys sealed keys swapped between organizations do not open",
          ],
        },
        {
          file: "tests/attacks/one-time-codes.test.ts",
          names: ["a code of one contact does not verify another, if the host swaps the records"],
        },
        {
          file: "tests/attacks/feedback.test.ts",
          names: [
            "a flood of feedback does not fill the database: what is stored stays, and one line says that it is full",
          ],
        },
      ],
    },
  },
  {
    number: "16.3.4",
    level: 2,
    asks: "Unexpected errors and failures of defences are logged.",
    answer: {
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["an internal error shows the request's id and nothing about its cause"],
        },
        {
          file: "apps/api/src/signer/clock.test.ts",
          names: ["clocks that differ by more than a minute are an alarm, once"],
        },
        {
          file: "apps/signer/src/descriptors.test.ts",
          names: [
            "a signer without file descriptors logs it once, counts it, and takes connections again",
          ],
        },
      ],
    },
  },
  {
    number: "16.4.1",
    level: 2,
    asks: "Nobody can forge lines of the log.",
    answer: {
      tests: [
        {
          file: "tests/attacks/site.test.ts",
          names: [
            "a path with control characters does nothing to the operator who watches the log",
          ],
        },
        {
          file: "apps/api/src/observability/log.test.ts",
          names: ["characters that a terminal acts on are shown as such"],
        },
      ],
    },
  },
  {
    number: "16.4.2",
    level: 2,
    asks: "Logs can’t be read or changed by others.",
    answer: {
      operator:
        "systemd’s journal protects them, or the program with which you collect standard output.",
      pages: [logs],
    },
  },
  {
    number: "16.4.3",
    level: 2,
    asks: "Logs are sent to another system.",
    answer: {
      operator:
        "Send them on from where you collect them. The organization’s receipts can be exported too.",
      pages: [logs, { title: "Receipts", to: "/security/verifiable-data#receipts" }],
    },
  },
  {
    number: "16.5.1",
    level: 2,
    asks: "Errors show nothing of the inside.",
    answer: {
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["an internal error shows the request's id and nothing about its cause"],
        },
        {
          file: "apps/api/src/messages.test.ts",
          names: [
            "… answers wrong input in our own words",
            "an unknown path and a wrong method are answered in our own words",
          ],
        },
      ],
    },
  },
  {
    number: "16.5.2",
    level: 2,
    asks: "The service stays safe when others fail.",
    answer: {
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["if the signer cannot be reached, submissions get 503 and queries still work"],
        },
        {
          file: "tests/attacks/lost-database.test.ts",
          names: [
            "a PostgreSQL that cuts connections in use ends no process, and loses and doubles nothing",
          ],
        },
        {
          file: "tests/delivery/delivery.test.ts",
          names: [
            "delivery from … a mail server that is down loses no message and slows no request",
          ],
        },
        {
          file: "apps/signer/src/oidc/issuer-keys.test.ts",
          names: ["while the issuer cannot be reached, its keys count for six hours"],
        },
      ],
    },
  },
  {
    number: "16.5.3",
    level: 2,
    asks: "An error never lets something through.",
    answer: {
      tests: [
        {
          file: "packages/policy/src/decide.test.ts",
          names: [
            "errors a consensus or time that errs makes the policy an error and allows nothing",
          ],
        },
        {
          file: "packages/engine/src/policies/authorize.test.ts",
          names: ["a DENY that errs denies and the answer names each, the part that errs, and why"],
        },
        {
          file: "tests/attacks/policies.test.ts",
          names: ["calldata that is cut short does not slip past a DENY that reads it"],
        },
        {
          file: "tests/kill/signer.test.ts",
          names: [
            "while the signer process is dead the API answers 503, and then it finds the next one",
          ],
        },
      ],
    },
  },
];
