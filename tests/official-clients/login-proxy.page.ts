import { OtpType, TurnkeyClient } from "@turnkey/core";

// An app without a backend: the unmodified newest client in a page that is not the service's.

const account = {
  curve: "CURVE_SECP256K1" as const,
  pathFormat: "PATH_FORMAT_BIP32" as const,
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
};

const createSubOrgParams = {
  customWallet: { walletName: "default", walletAccounts: [account] },
};

let client: TurnkeyClient;

export const proxied = {
  async open(url: string, organizationId: string) {
    client = new TurnkeyClient({
      apiBaseUrl: url,
      authProxyUrl: `${url}/proxy`,
      authProxyConfigId: organizationId,
      organizationId,
      passkeyConfig: { rpId: location.hostname },
    });
    await client.init();
  },

  config: () => client.getProxyAuthConfig(),

  async signUpWithPasskey() {
    await client.signUpWithPasskey({ passkeyDisplayName: "Ada", createSubOrgParams });
    return proxied.sign();
  },

  async logInWithPasskey() {
    await client.loginWithPasskey();
    return proxied.sign();
  },

  sendCode: (contact: string) => client.initOtp({ otpType: OtpType.Email, contact }),

  async logInWithCode(
    code: string,
    contact: string,
    sent: { otpId: string; otpEncryptionTargetBundle: string },
  ) {
    const { action } = await client.completeOtp({
      ...sent,
      otpCode: code,
      contact,
      otpType: OtpType.Email,
      createSubOrgParams,
    });
    return { action, ...(await proxied.sign()) };
  },

  newKey: () => client.createApiKeyPair(),

  async logInWithToken(oidcToken: string, publicKey: string) {
    const providerName = "Example";
    const given = { oidcToken, publicKey, providerName, createSubOrgParams };
    const { action } = await client.completeOauth(given);
    return { action, ...(await proxied.sign()) };
  },

  /** Signs with the wallet that the sign-up made, by the session. */
  async sign(): Promise<{ organizationId: string; userId: string; r: string }> {
    const { organizationId, userId } = await client.httpClient.getWhoami({});
    const { wallets } = await client.httpClient.getWallets({});
    const walletId = wallets[0]?.walletId ?? "";
    const { accounts } = await client.httpClient.getWalletAccounts({ walletId });
    const { r } = await client.httpClient.signRawPayload({
      signWith: accounts[0]?.address ?? "",
      payload: "hello",
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_SHA256",
    });
    return { organizationId, userId, r };
  },

  logOut: () => client.logout(),
};

declare global {
  interface Window {
    proxied: typeof proxied;
  }
}

window.proxied = proxied;
