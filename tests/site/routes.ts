/** The addresses of the documentation that readers and other sites can rely on. */

function under(folder: string, names: string): string[] {
  return names.split(" ").map((name) => `${folder}/${name}`);
}

export const routes: readonly string[] = [
  "/",
  "/faq",
  "/markdown-page",
  "/api",
  "/api/login-proxy",
  "/getting-started",
  ...under(
    "/getting-started",
    "embedded-wallet-quickstart examples launch-checklist quickstart signing-automation-quickstart",
  ),
  ...under("/authentication", "email sms social-logins sessions"),
  ...under(
    "/authentication/passkeys",
    "discoverable-vs-non-discoverable integration introduction native options",
  ),
  ...under("/concepts", "organizations overview resource-limits sub-organizations wallets"),
  ...under(
    "/concepts/policies",
    "delegated-access examples language overview quickstart understanding-decisions",
  ),
  ...under("/concepts/users", "best-practices credentials introduction root-quorum"),
  ...under("/developer-reference/api-overview", "errors intro queries stamps submissions"),
  "/developer-reference/webhooks",
  ...under("/ecosystems", "bitcoin ethereum framework others solana"),
  ...under(
    "/embedded-wallets",
    "overview sub-organization-auth sub-organization-recovery sub-organizations-as-wallets",
  ),
  ...under(
    "/embedded-wallets/code-examples",
    "add-credential authenticate-user-email authenticate-user-passkey create-passkey-session create-sub-org-passkey create-user-email email-recovery export import signing-transactions wallet-auth",
  ),
  ...under("/reference", "aa-wallets embedded-wallet-kit"),
  ...under(
    "/sdks",
    "cli flutter golang introduction javascript-browser javascript-server migration-path react react-native Ruby rust",
  ),
  "/sdks/swift/",
  ...under("/sdks/swift", "proxy-middleware register-passkey"),
  ...under(
    "/sdks/advanced",
    "api-key-stamper iframe-stamper turnkey-client wallet-stamper webauthn-stamper",
  ),
  ...under("/sdks/web3", "cosmjs eip-1193 ethers solana viem"),
  ...under(
    "/security",
    "disaster-recovery enclave-secure-channels non-custodial-key-mgmt our-approach quorum-deployments reporting-a-vulnerability secure-enclaves verifiable-data verification whitepaper",
  ),
  ...under("/signing-automation", "overview code-examples/signing-transactions"),
  ...under("/wallets", "export-wallets import-wallets pregenerated-wallets"),
  ...under("/category", "advanced code-examples code-examples-1 security web3-libraries"),
];

/** What the site may have beside the routes: pages about running it, changes, search, locales and versions. */
export function isExtra(address: string): boolean {
  const bare = address
    .replace(/^\/(es|0\.1|next)(?=\/|$)/, "")
    .replace(/^\/(0\.1|next)(?=\/|$)/, "");
  return (
    /^\/(self-hosting|guides)\/[\w-]*$/.test(bare) ||
    [
      "/concepts/architecture",
      "/concepts/choosing",
      "/sdks/python",
      "/sdks/released-clients",
      "/sdks/typescript",
      "/search",
    ].includes(bare) ||
    ["/developer-reference/changelog", "/developer-reference/troubleshooting"].includes(bare) ||
    (bare !== address && (bare === "" || routes.some((route) => isSame(route, bare))))
  );
}

/** A page is the same with and without a slash at the end. */
export function isSame(a: string, b: string): boolean {
  return a.replace(/\/$/, "") === b.replace(/\/$/, "");
}
