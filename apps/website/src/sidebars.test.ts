import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import sidebars from "../sidebars.ts";

// The sidebars are the site's table of contents. A page that is not written yet has no line.

const docs = new URL("../docs/", import.meta.url);

/** `+` is a category; what is in it is indented. */
const expected = `
Welcome /
+ Getting Started /getting-started
  + Quickstart /getting-started/quickstart
    Embedded Wallets /getting-started/embedded-wallet-quickstart
    Signing Automation /getting-started/signing-automation-quickstart
  Examples /getting-started/examples
  Launch Checklist /getting-started/launch-checklist
+ Guides /guides/
  Dashboard /guides/dashboard
  Payouts /guides/payouts
  Treasury /guides/treasury
  Deposit Sweeping /guides/deposit-sweeping
  Delegated Access /guides/delegated-access
  Gas Sponsorship /guides/gas-sponsorship
  Offline Signing /guides/offline-signing
  Multi-Signature Contract /guides/multisig-contract
  Telegram Login /guides/telegram-login
  Log in with Google /guides/google-login
  Login Proxy /guides/login-proxy
  In a pipeline /guides/ci
  Wallets for Agents /guides/agent-wallets
  For Agents /guides/agents
+ Concepts
  Overview /concepts/overview
  Architecture /concepts/architecture
  Choosing /concepts/choosing
  Organizations /concepts/organizations
  Sub-Organizations /concepts/sub-organizations
  + Users /concepts/users/introduction
    Credentials /concepts/users/credentials
    Root quorum /concepts/users/root-quorum
    Best practices /concepts/users/best-practices
  Wallets /concepts/wallets
  Resource Limits /concepts/resource-limits
  + Policies
    Overview /concepts/policies/overview
    Quickstart /concepts/policies/quickstart
    Examples /concepts/policies/examples
    Delegated Access /concepts/policies/delegated-access
    Understanding Decisions /concepts/policies/understanding-decisions
    Language /concepts/policies/language
+ Authentication
  + Passkeys
    Introduction to passkeys /authentication/passkeys/introduction
    Integrating passkeys /authentication/passkeys/integration
    Passkey options /authentication/passkeys/options
    Native passkeys /authentication/passkeys/native
    Discoverable vs. non-discoverable /authentication/passkeys/discoverable-vs-non-discoverable
  Email /authentication/email
  Social Logins /authentication/social-logins
  SMS /authentication/sms
  Sessions /authentication/sessions
+ Wallets
  Pre-generated wallets /wallets/pregenerated-wallets
  Import Wallets and Keys /wallets/import-wallets
  Export Wallets and Keys /wallets/export-wallets
+ Ecosystem
  Overview /ecosystems/framework
  Ethereum (EVM) /ecosystems/ethereum
  Solana (SVM) /ecosystems/solana
  Bitcoin /ecosystems/bitcoin
  Others /ecosystems/others
+ Developer Reference
  + API Overview
    Introduction /developer-reference/api-overview/intro
    Stamps /developer-reference/api-overview/stamps
    Queries /developer-reference/api-overview/queries
    Submissions /developer-reference/api-overview/submissions
    Errors /developer-reference/api-overview/errors
  Troubleshooting /developer-reference/troubleshooting
  Activity Webhooks /developer-reference/webhooks
  Changelog /developer-reference/changelog
+ Security /category/security
  Our approach /security/our-approach
  Non-custodial key management /security/non-custodial-key-mgmt
  Secure enclaves /security/secure-enclaves
  Quorum deployments /security/quorum-deployments
  Verifiable data /security/verifiable-data
  Disaster recovery /security/disaster-recovery
  Enclave secure channels /security/enclave-secure-channels
  The Keyhearth Whitepaper /security/whitepaper
  OWASP Verification /security/verification
  Reporting a vulnerability /security/reporting-a-vulnerability
FAQ /faq
+ Embedded Wallets
  Introduction /embedded-wallets/overview
  Integrating Embedded Wallets /embedded-wallets/sub-organizations-as-wallets
  Email Authentication /embedded-wallets/sub-organization-auth
  Email Recovery /embedded-wallets/sub-organization-recovery
  Account Abstraction Wallets /reference/aa-wallets
  Embedded Wallet Kit (EWK) /reference/embedded-wallet-kit
  + Code Examples /category/code-examples
    Create a Sub-Org with a Passkey User /embedded-wallets/code-examples/create-sub-org-passkey
    Authenticate a User with a Passkey Credential /embedded-wallets/code-examples/authenticate-user-passkey
    Create a User Passkey Session /embedded-wallets/code-examples/create-passkey-session
    Create a User with Email Only /embedded-wallets/code-examples/create-user-email
    Authenticate a User with Email /embedded-wallets/code-examples/authenticate-user-email
    Recover a User with Email /embedded-wallets/code-examples/email-recovery
    Add an Additional Passkey /embedded-wallets/code-examples/add-credential
    Wallet Authentication /embedded-wallets/code-examples/wallet-auth
    Signing Transactions /embedded-wallets/code-examples/signing-transactions
    Import Wallet or Private Key /embedded-wallets/code-examples/import
    Export Wallet or Private Key /embedded-wallets/code-examples/export
+ Signing Automation
  Introduction /signing-automation/overview
  + Code Examples /category/code-examples-1
    Signing Transactions /signing-automation/code-examples/signing-transactions
Introduction /sdks/introduction
TypeScript /sdks/typescript
JavaScript Browser /sdks/javascript-browser
JavaScript Server /sdks/javascript-server
React /sdks/react
React Native /sdks/react-native
Golang /sdks/golang
Rust /sdks/rust
Ruby /sdks/Ruby
Python /sdks/python
Command Line /sdks/cli
Flutter /sdks/flutter
+ Swift /sdks/swift/
  Proxy Middleware /sdks/swift/proxy-middleware
  Register Passkey /sdks/swift/register-passkey
+ Web3 Libraries /category/web3-libraries
  Ethers /sdks/web3/ethers
  Viem /sdks/web3/viem
  CosmJS /sdks/web3/cosmjs
  EIP 1193 /sdks/web3/eip-1193
  Solana /sdks/web3/solana
+ Advanced /category/advanced
  TurnkeyClient /sdks/advanced/turnkey-client
  ApiKeyStamper /sdks/advanced/api-key-stamper
  WalletStamper /sdks/advanced/wallet-stamper
  WebauthnStamper /sdks/advanced/webauthn-stamper
  IframeStamper /sdks/advanced/iframe-stamper
Released clients /sdks/released-clients
Migration Path /sdks/migration-path
`;

/** What the sidebars of this site use of what an item can be. */
type Item =
  | string
  | {
      type: string;
      label: string;
      id?: string;
      href?: string;
      link?: { type: string; slug?: string; id?: string };
      items?: Item[];
    };

// The builder's own type has every form that a sidebar can be written in; ours are lists of items.
const forms: unknown[] = Object.values(sidebars);
const lists = forms as Item[][];

function linesOf(items: readonly Item[], indent = ""): string[] {
  return items.flatMap((item) => {
    if (typeof item === "string") return [`${indent}${labelOf(item)} ${pathOf(item)}`];
    if (item.label === "Self-hosting") return [];
    if (item.href !== undefined) return [`${indent}${item.label} ${item.href}`];
    const { id, slug } = item.link ?? { id: item.id };
    const path = id === undefined ? (slug ?? "") : pathOf(id);
    const inside = linesOf(item.items ?? [], `${indent}  `);
    return [`${indent}+ ${item.label} ${path}`.trimEnd(), ...inside];
  });
}

function frontMatterOf(id: string): string {
  const text = readFileSync(new URL(`${id}.mdx`, docs), "utf8");
  return text.split("---")[1] ?? "";
}

function labelOf(id: string): string {
  const matter = frontMatterOf(id);
  const [, label] = /^sidebar_label: *(.+)$/m.exec(matter) ?? /^title: *(.+)$/m.exec(matter) ?? [];
  return label ?? "";
}

function pathOf(id: string): string {
  const [, slug] = /^slug: *(\S+)$/m.exec(frontMatterOf(id)) ?? [];
  return slug ?? `/${id.replace(/index$/, "")}`;
}

/** A category without a page of its own stays; one that lists nothing yet is left out by the builder. */
function isWritten(line: string): boolean {
  const [, path = ""] = / (\/\S*)$/.exec(line) ?? [];
  if (path === "" || path === "/" || path.startsWith("/category/")) return true;
  const id = path.replace(/^\//, "").replace(/\/$/, "");
  return ["", "/index"].some((end) => existsSync(new URL(`${id}${end}.mdx`, docs)));
}

test("the sidebars have their pages in order and with their labels", () => {
  expect(lists.flatMap((items) => linesOf(items))).toEqual(
    expected.trim().split("\n").filter(isWritten),
  );
});

test("only the categories of a first visit are open", () => {
  const open: string[] = [];
  const walk = (items: readonly Item[]) => {
    for (const item of items) {
      if (typeof item === "string") continue;
      if ("collapsed" in item && item.collapsed === false) open.push(item.label);
      walk(item.items ?? []);
    }
  };
  for (const items of lists) walk(items);
  expect(open).toEqual(["Getting Started", "Quickstart", "Embedded Wallets", "Signing Automation"]);
});
