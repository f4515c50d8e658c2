import type { SidebarsConfig } from "@docusaurus/plugin-content-docs";

const sidebars: SidebarsConfig = {
  documentationSidebar: [
    { type: "link", label: "Welcome", href: "/" },
    {
      type: "category",
      label: "Getting Started",
      collapsed: false,
      items: [{ type: "doc", id: "getting-started/quickstart", label: "Quickstart" }],
    },
    {
      type: "category",
      label: "Concepts",
      collapsed: false,
      items: [
        "concepts/overview",
        "concepts/organizations",
        "concepts/sub-organizations",
        {
          type: "category",
          label: "Users",
          collapsed: false,
          items: ["concepts/users/introduction", "concepts/users/root-quorum"],
        },
        "concepts/resource-limits",
        "concepts/wallets",
        {
          type: "category",
          label: "Policies",
          collapsed: false,
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
      collapsed: false,
      items: [
        "authentication/passkeys/introduction",
        "authentication/email",
        "authentication/sms",
        "authentication/social-logins",
        "authentication/sessions",
      ],
    },
    {
      type: "category",
      label: "Wallets",
      collapsed: false,
      items: ["wallets/import-wallets", "wallets/export-wallets"],
    },
    {
      type: "category",
      label: "Developer Reference",
      collapsed: false,
      items: [
        {
          type: "category",
          label: "API Overview",
          collapsed: false,
          items: [
            "developer-reference/api-overview/intro",
            "developer-reference/api-overview/stamps",
            "developer-reference/api-overview/queries",
            "developer-reference/api-overview/submissions",
            "developer-reference/api-overview/errors",
          ],
        },
        "developer-reference/webhooks",
      ],
    },
    {
      type: "category",
      label: "Ecosystems",
      collapsed: false,
      items: ["ecosystems/bitcoin", "ecosystems/others"],
    },
    {
      type: "category",
      label: "Security",
      collapsed: false,
      items: ["security/our-approach", "security/verifiable-data"],
    },
    { type: "category", label: "Self-hosting", collapsed: false, items: ["self-hosting/index"] },
  ],
  sdksSidebar: ["sdks/introduction"],
};

export default sidebars;
