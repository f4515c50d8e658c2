import { listWalletAccounts, listWallets, signRawPayload } from "@keyhearth/sdk";
import { LoginProxy, logInWith, SessionKeeper } from "@keyhearth/sdk/browser";
import { createNativePasskey, NativePasskeyStamper } from "@keyhearth/sdk/stampers/native-passkey";
import { secureStorage } from "@keyhearth/sdk/stampers/secure-storage";
import * as SecureStore from "expo-secure-store";
import * as passkeys from "react-native-passkeys";
import { settings } from "./settings.ts";

const { domain, ...service } = settings;

/** Keeps the session in the phone's secure storage. Its key is in no backup, and on no other phone. */
export const keeper = new SessionKeeper({
  ...service,
  storage: secureStorage(SecureStore, {
    keychainAccessible: SecureStore.WHEN_UNLOCKED_THIS_DEVICE_ONLY,
  }),
});

const expirationSeconds = 3600;

/** Makes a passkey, and an account with a wallet. The login proxy of the service takes the place of a backend. */
export async function signUp(userName: string) {
  const rp = { id: domain, name: "Keyhearth example" };
  const passkey = await createNativePasskey({ passkeys, rp, user: { name: userName } });
  const wallet = {
    walletName: "Phone",
    accounts: [
      {
        curve: "CURVE_SECP256K1" as const,
        pathFormat: "PATH_FORMAT_BIP32" as const,
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
      },
    ],
  };
  const proxy = new LoginProxy(keeper);
  await proxy.signUpWithPasskey({ passkey, userName, wallet, expirationSeconds });
}

/** Asks for the passkey once. From then on the session stamps, until it expires. */
export async function logIn() {
  const stamper = new NativePasskeyStamper({ passkeys, rpId: domain });
  await logInWith(keeper, stamper, { expirationSeconds });
}

/** The address of the account that `signUp` made. */
export async function findAddress(): Promise<string> {
  const connection = keeper.connection();
  const { wallets } = await listWallets(connection);
  const walletId = wallets[0]?.walletId;
  if (!walletId) throw new Error("This account has no wallet");
  const { accounts } = await listWalletAccounts(connection, { walletId });
  return accounts[0]?.address ?? "";
}

/** Signs a text as Ethereum's wallets do. */
export async function signMessage(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const { r, s, v } = await signRawPayload(keeper.connection(), {
    signWith: await findAddress(),
    payload: `\x19Ethereum Signed Message:\n${bytes.length}${text}`,
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  });
  return `0x${r}${s}${v === "00" ? "1b" : "1c"}`;
}
