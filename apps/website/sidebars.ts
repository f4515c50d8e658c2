import type { SidebarsConfig } from "@docusaurus/plugin-content-docs";

/**
 * The three sidebars. Pages take their label from `sidebar_label` of their front matter, so that a
 * translation has it beside the text. Two categories of one sidebar that have the same label need a
 * `key`, because translations are found by it. A category that has only a generated index is left
 * out for as long as it has no pages.
 */
const sidebars: SidebarsConfig = {
  documentationSidebar: [
    { type: "link", label: "Welcome", href: "/" },
    {
      type: "category",
      label: "Getting Started",
      link: { type: "doc", id: "getting-started/index" },
      collapsed: false,
      items: [
        {
          type: "category",
          label: "Quickstart",
          link: { type: "doc", id: "getting-started/quickstart" },
          collapsed: false,
          items: [
            "getting-started/embedded-wallet-quickstart",
            "getting-started/signing-automation-quickstart",
          ],
        },
        "getting-started/examples",
        "getting-started/launch-checklist",
      ],
    },
    {
      type: "category",
      label: "Guides",
      link: { type: "doc", id: "guides/index" },
      items: [
        "guides/dashboard",
        "guides/payouts",
        "guides/treasury",
        "guides/deposit-sweeping",
        "guides/delegated-access",
        "guides/gas-sponsorship",
        "guides/offline-signing",
        "guides/multisig-contract",
        "guides/telegram-login",
        "guides/google-login",
        "guides/login-proxy",
        "guides/ci",
        "guides/agent-wallets",
        "guides/agents",
      ],
    },
    {
      type: "category",
      label: "Concepts",
      items: [
        "concepts/overview",
        "concepts/architecture",
        "concepts/choosing",
        "concepts/organizations",
        "concepts/sub-organizations",
        {
          type: "category",
          label: "Users",
          link: { type: "doc", id: "concepts/users/introduction" },
          items: [
            "concepts/users/credentials",
            "concepts/users/root-quorum",
            "concepts/users/best-practices",
          ],
        },
        "concepts/wallets",
        "concepts/resource-limits",
        {
          type: "category",
          label: "Policies",
          items: [
            "concepts/policies/overview",
            "concepts/policies/quickstart",
            "concepts/policies/examples",
            "concepts/policies/delegated-access",
            "concepts/policies/understanding-decisions",
            "concepts/policies/language",
          ],
        },
      ],
    },
    {
      type: "category",
      label: "Authentication",
      items: [
        {
          type: "category",
          label: "Passkeys",
          items: [
            "authentication/passkeys/introduction",
            "authentication/passkeys/integration",
            "authentication/passkeys/options",
            "authentication/passkeys/native",
            "authentication/passkeys/discoverable-vs-non-discoverable",
          ],
        },
        "authentication/email",
        "authentication/social-logins",
        "authentication/sms",
        "authentication/sessions",
      ],
    },
    {
      type: "category",
      label: "Wallets",
      items: ["wallets/pregenerated-wallets", "wallets/import-wallets", "wallets/export-wallets"],
    },
    {
      type: "category",
      label: "Ecosystem",
      items: [
        "ecosystems/framework",
        "ecosystems/ethereum",
        "ecosystems/solana",
        "ecosystems/bitcoin",
        "ecosystems/others",
      ],
    },
    {
      type: "category",
      label: "Developer Reference",
      items: [
        {
          type: "category",
          label: "API Overview",
          items: [
            "developer-reference/api-overview/intro",
            "developer-reference/api-overview/stamps",
            "developer-reference/api-overview/queries",
            "developer-reference/api-overview/submissions",
            "developer-reference/api-overview/errors",
          ],
        },
        "developer-reference/troubleshooting",
        "developer-reference/webhooks",
        "developer-reference/changelog",
      ],
    },
    {
      type: "category",
      label: "Self-hosting",
      link: { type: "doc", id: "self-hosting/index" },
      items: [
        "self-hosting/quickstart",
        "self-hosting/emulator",
        "self-hosting/configuration",
        "self-hosting/production",
        "self-hosting/monitoring",
        "self-hosting/remote-signer",
        "self-hosting/docker-compose",
        "self-hosting/kubernetes",
        "self-hosting/custody",
        "self-hosting/sizing",
        "self-hosting/scaling",
        "self-hosting/high-availability",
        "self-hosting/upgrading",
        "self-hosting/backup",
        "self-hosting/data",
      ],
    },
    {
      type: "category",
      label: "Security",
      link: {
        type: "generated-index",
        slug: "/category/security",
        description:
          "What protects your keys, what you can check yourself, and where the limits are. If you read only one page, read “Our approach”.",
      },
      items: [
        "security/our-approach",
        "security/non-custodial-key-mgmt",
        "security/secure-enclaves",
        "security/quorum-deployments",
        "security/verifiable-data",
        "security/disaster-recovery",
        "security/enclave-secure-channels",
        "security/whitepaper",
        "security/verification",
        "security/reporting-a-vulnerability",
      ],
    },
    "faq",
  ],
  solutionsSidebar: [
    {
      type: "category",
      label: "Embedded Wallets",
      collapsed: false,
      items: [
        "embedded-wallets/overview",
        "embedded-wallets/sub-organizations-as-wallets",
        "embedded-wallets/sub-organization-auth",
        "embedded-wallets/sub-organization-recovery",
        "reference/aa-wallets",
        "reference/embedded-wallet-kit",
        {
          type: "category",
          label: "Code Examples",
          key: "Code Examples of Embedded Wallets",
          link: {
            type: "generated-index",
            title: "Embedded wallets: code examples",
            slug: "/category/code-examples",
            description:
              "One task a page, with the code for the browser and for your server: sign-up, login, recovery, signing, import and export. The programs on these pages are files that our tests run.",
          },
          items: [
            "embedded-wallets/code-examples/create-sub-org-passkey",
            "embedded-wallets/code-examples/authenticate-user-passkey",
            "embedded-wallets/code-examples/create-passkey-session",
            "embedded-wallets/code-examples/create-user-email",
            "embedded-wallets/code-examples/authenticate-user-email",
            "embedded-wallets/code-examples/email-recovery",
            "embedded-wallets/code-examples/add-credential",
            "embedded-wallets/code-examples/wallet-auth",
            "embedded-wallets/code-examples/signing-transactions",
            "embedded-wallets/code-examples/import",
            "embedded-wallets/code-examples/export",
          ],
        },
      ],
    },
    {
      type: "category",
      label: "Signing Automation",
      collapsed: false,
      items: [
        "signing-automation/overview",
        {
          type: "category",
          label: "Code Examples",
          key: "Code Examples of Signing Automation",
          link: {
            type: "generated-index",
            title: "Signing automation: code examples",
            slug: "/category/code-examples-1",
            description:
              "Code for programs that sign on their own, within the limits of your policies. The programs on these pages are files that our tests run.",
          },
          items: ["signing-automation/code-examples/signing-transactions"],
        },
      ],
    },
  ],
  sdksSidebar: [
    "sdks/introduction",
    "sdks/typescript",
    "sdks/javascript-browser",
    "sdks/javascript-server",
    "sdks/react",
    "sdks/react-native",
    "sdks/golang",
    "sdks/rust",
    "sdks/Ruby",
    "sdks/python",
    "sdks/cli",
    "sdks/flutter",
    {
      type: "category",
      label: "Swift",
      link: { type: "doc", id: "sdks/swift/index" },
      items: ["sdks/swift/proxy-middleware", "sdks/swift/register-passkey"],
    },
    {
      type: "category",
      label: "Web3 Libraries",
      link: {
        type: "generated-index",
        title: "Web3 libraries",
        slug: "/category/web3-libraries",
        description:
          "Use a key of Keyhearth in the library that your code already uses. Each adapter is the signer, account or provider that its library expects.",
      },
      items: [
        "sdks/web3/ethers",
        "sdks/web3/viem",
        "sdks/web3/cosmjs",
        "sdks/web3/eip-1193",
        "sdks/web3/solana",
      ],
    },
    {
      type: "category",
      label: "Advanced",
      link: {
        type: "generated-index",
        title: "The client and its stampers",
        slug: "/category/advanced",
        description:
          "The client in depth, and the stampers that sign its requests: with an API key, a passkey, or a wallet that people already have.",
      },
      items: [
        "sdks/advanced/turnkey-client",
        "sdks/advanced/api-key-stamper",
        "sdks/advanced/wallet-stamper",
        "sdks/advanced/webauthn-stamper",
        "sdks/advanced/iframe-stamper",
      ],
    },
    "sdks/released-clients",
    "sdks/migration-path",
  ],
};

export default sidebars;
