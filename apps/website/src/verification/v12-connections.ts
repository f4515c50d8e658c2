import type { Requirement } from "./requirement.ts";

const tls = { title: "TLS and the proxy", to: "/self-hosting/production#tls" };

export const connections: readonly Requirement[] = [
  {
    number: "12.1.1",
    level: 1,
    asks: "Only TLS 1.2 and 1.3 are enabled.",
    answer: {
      operator: "Your proxy ends TLS. Current versions of Caddy and nginx do this by default.",
      pages: [tls],
    },
  },
  {
    number: "12.1.2",
    level: 2,
    asks: "Only recommended cipher suites are enabled.",
    answer: { operator: "Your proxy chooses them.", pages: [tls] },
  },
  {
    number: "12.1.3",
    level: 2,
    asks: "Client certificates are verified before they count.",
    answer: {
      note: "Only the API and a signer on another machine know each other by certificates, of which just the public key counts.",
      tests: [
        {
          file: "tests/attacks/signer-network.test.ts",
          names: [
            "a key that is not paired gets one sentence, and none of its calls is handled",
            "a connection without a key, or with the signer's own public key, is refused",
          ],
        },
      ],
    },
  },
  {
    number: "12.2.1",
    level: 1,
    asks: "Everything that clients reach uses TLS.",
    answer: {
      operator:
        "Keyhearth speaks HTTP, on loopback by default, and expects a proxy with TLS in front.",
      pages: [tls],
    },
  },
  {
    number: "12.2.2",
    level: 1,
    asks: "Public services have publicly trusted certificates.",
    answer: { operator: "Your proxy has the certificate.", pages: [tls] },
  },
  {
    number: "12.3.1",
    level: 2,
    asks: "All connections, in and out, are encrypted.",
    answer: {
      missing:
        "Webhooks and the keys of issuers need https, and email needs TLS unless the operator turns it off. But nothing insists on TLS to PostgreSQL, and logos and the operator’s webhook for SMS may be at http addresses.",
      tests: [
        {
          file: "packages/outbound/src/guarded-request.test.ts",
          names: ["a URL of plain http is refused if https is required, except to what is listed"],
        },
        {
          file: "apps/courier/src/courier.test.ts",
          names: [
            "TLS is used where the server has it, and required unless the operator says otherwise",
          ],
        },
        { file: "apps/signer/src/oidc/issuers.test.ts", names: ["`…` is refused"] },
      ],
    },
  },
  {
    number: "12.3.2",
    level: 2,
    asks: "Certificates of servers are verified.",
    answer: {
      tests: [
        {
          file: "packages/outbound/src/guarded-request.test.ts",
          names: [
            "TLS is verified for the name of the URL, not for the address",
            "TLS is verified even if the environment says not to",
          ],
        },
        {
          file: "apps/courier/src/courier.test.ts",
          names: [
            "TLS is used where the server has it, and required unless the operator says otherwise",
          ],
        },
      ],
    },
  },
  {
    number: "12.3.3",
    level: 2,
    asks: "Internal services that speak HTTP use TLS.",
    answer: {
      missing:
        "The proxy speaks plain HTTP to the API. Keep both on one machine. Signer and courier don’t speak HTTP: their sockets are files, and a signer on another machine is reached by TLS.",
    },
  },
  {
    number: "12.3.4",
    level: 2,
    asks: "Internal connections with TLS use trusted certificates.",
    answer: {
      note: "Our processes talk over Unix sockets, which the system protects by users and groups. A signer on another machine and the API prove paired keys by TLS 1.3.",
      tests: [
        {
          file: "tests/attacks/signer-network.test.ts",
          names: ["an impostor in the signer's place is told nothing, whatever it speaks"],
        },
      ],
    },
  },
];
