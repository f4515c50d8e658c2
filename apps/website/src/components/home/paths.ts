import { translate } from "@docusaurus/Translate";

// Where the home page leads: two ways to build, then pages for everybody.

type Target = { to: string; text: string };

export type Path = Target & { title: string; link: string };

export type BigPath = Path & { features: Target[] };

export const bigPaths: BigPath[] = [
  {
    title: translate({ id: "home.paths.app.title", message: "Put wallets into an app" }),
    text: translate({
      id: "home.paths.app.text",
      message:
        "Create a sub-organization for each end user. End users have their own credentials and wallets, and you have no write access.",
    }),
    to: "/getting-started/embedded-wallet-quickstart",
    link: translate({ id: "home.paths.app.start", message: "A wallet app in ten minutes" }),
    features: [
      {
        to: "/embedded-wallets/overview",
        text: translate({ id: "home.features.overview", message: "How it works" }),
      },
      {
        to: "/authentication/passkeys/introduction",
        text: translate({ id: "home.features.passkeys", message: "Passkeys" }),
      },
      {
        to: "/authentication/email",
        text: translate({ id: "home.features.email", message: "Email" }),
      },
      { to: "/authentication/sms", text: translate({ id: "home.features.sms", message: "SMS" }) },
      {
        to: "/authentication/social-logins",
        text: translate({ id: "home.features.social", message: "Social logins" }),
      },
      {
        to: "/authentication/sessions",
        text: translate({ id: "home.features.sessions", message: "Sessions" }),
      },
      {
        to: "/wallets/pregenerated-wallets",
        text: translate({ id: "home.features.pregenerated", message: "Wallets before sign-up" }),
      },
      {
        to: "/concepts/policies/delegated-access",
        text: translate({ id: "home.features.delegated", message: "Delegated access" }),
      },
      {
        to: "/reference/aa-wallets",
        text: translate({ id: "home.features.accounts", message: "Account abstraction" }),
      },
    ],
  },
  {
    title: translate({ id: "home.paths.program.title", message: "Sign from a program" }),
    text: translate({
      id: "home.paths.program.text",
      message:
        "Your program has an API key, and Keyhearth signs its transactions and raw payloads on secp256k1, Ed25519 or P-256.",
    }),
    to: "/getting-started/signing-automation-quickstart",
    link: translate({
      id: "home.paths.program.start",
      message: "A signed transaction in five minutes",
    }),
    features: [
      {
        to: "/signing-automation/overview",
        text: translate({ id: "home.features.automation", message: "What to set up" }),
      },
      {
        to: "/concepts/policies/overview",
        text: translate({ id: "home.features.policies", message: "Policies" }),
      },
      {
        to: "/ecosystems/framework",
        text: translate({ id: "home.features.chains", message: "Chains" }),
      },
      {
        to: "/concepts/wallets",
        text: translate({ id: "home.features.wallets", message: "Wallets and keys" }),
      },
      {
        to: "/wallets/import-wallets",
        text: translate({ id: "home.features.import", message: "Import" }),
      },
      {
        to: "/wallets/export-wallets",
        text: translate({ id: "home.features.export", message: "Export" }),
      },
      {
        to: "/developer-reference/webhooks",
        text: translate({ id: "home.features.webhooks", message: "Webhooks" }),
      },
      {
        to: "/security/verifiable-data",
        text: translate({ id: "home.features.receipts", message: "Receipts" }),
      },
    ],
  },
];

export const smallPaths: Path[] = [
  {
    title: translate({ id: "home.paths.people.title", message: "Require more than one person" }),
    text: translate({
      id: "home.paths.people.text",
      message:
        "With a root quorum of two out of three, a request waits for a second approval, which executes it exactly once.",
    }),
    to: "/concepts/users/root-quorum",
    link: translate({ id: "home.paths.people.link", message: "Root quorum" }),
  },
  {
    title: translate({ id: "home.paths.operator.title", message: "Run it yourself" }),
    text: translate({
      id: "home.paths.operator.text",
      message:
        "Run it on a laptop or a server, with the embedded database or PostgreSQL, and with an embedded or a separate signer.",
    }),
    to: "/self-hosting/",
    link: translate({ id: "home.paths.operator.link", message: "Self-hosting" }),
  },
  {
    title: translate({ id: "home.paths.examples.title", message: "Start from a whole program" }),
    text: translate({
      id: "home.paths.examples.text",
      message:
        "A passkey wallet, a server that signs by policy and a treasury for three people, each small enough to read in one sitting.",
    }),
    to: "/getting-started/examples",
    link: translate({ id: "home.paths.examples.link", message: "Examples" }),
  },
  {
    title: translate({ id: "home.paths.migrate.title", message: "Keep the client that you have" }),
    text: translate({
      id: "home.paths.migrate.text",
      message:
        "Keyhearth speaks the wire format of a hosted service. That service’s released clients work once you change their address and signer key.",
    }),
    to: "/sdks/migration-path",
    link: translate({ id: "home.paths.migrate.link", message: "Migration path" }),
  },
  {
    title: translate({ id: "home.paths.launch.title", message: "Before real money" }),
    text: translate({
      id: "home.paths.launch.text",
      message:
        "Check limits first, then quorum, keys, backups and monitoring, point by point. The list keeps your ticks.",
    }),
    to: "/getting-started/launch-checklist",
    link: translate({ id: "home.paths.launch.link", message: "Launch checklist" }),
  },
  {
    title: translate({ id: "home.paths.questions.title", message: "Ask what everybody asks" }),
    text: translate({
      id: "home.paths.questions.text",
      message:
        "Who can use a key, what happens when one leaks, what is supported and what it costs, in a few lines each.",
    }),
    to: "/faq",
    link: translate({ id: "home.paths.questions.link", message: "Questions and answers" }),
  },
];

/** Names of languages and libraries are the same everywhere. */
export const libraries: Target[] = [
  { to: "/sdks/javascript-browser", text: "JavaScript" },
  { to: "/sdks/javascript-server", text: "Node.js" },
  { to: "/sdks/react", text: "React" },
  { to: "/sdks/react-native", text: "React Native" },
  { to: "/sdks/web3/viem", text: "viem" },
  { to: "/sdks/web3/ethers", text: "ethers" },
  { to: "/sdks/web3/eip-1193", text: "EIP-1193" },
  { to: "/sdks/web3/solana", text: "Solana" },
  { to: "/sdks/web3/cosmjs", text: "CosmJS" },
  // Search engines take `Go` for a link that does not say where it leads.
  { to: "/sdks/golang", text: "Golang" },
  { to: "/sdks/rust", text: "Rust" },
  { to: "/sdks/Ruby", text: "Ruby" },
  { to: "/sdks/swift/", text: "Swift" },
  { to: "/sdks/flutter", text: "Flutter" },
];
