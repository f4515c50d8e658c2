/// <reference types="vite/client" />
import { listWalletAccounts, listWallets, signRawPayload } from "@keyhearth/sdk";
import { createPasskey, LoginProxy, logInWithPasskey, SessionKeeper } from "@keyhearth/sdk/browser";

const env = import.meta.env;
const keeper = new SessionKeeper({
  baseUrl: env.VITE_KEYHEARTH_URL,
  organizationId: env.VITE_ORGANIZATION_ID,
  sessionPublicKey: env.VITE_SESSION_PUBLIC_KEY,
});

/** One prompt makes the passkey. The login proxy then creates the account, with its wallet. */
async function signUp(userName: string) {
  const rp = { name: "My wallet" };
  const passkey = await createPasskey({ rp, user: { name: userName } });
  const wallet = {
    walletName: "Main",
    accounts: [
      {
        curve: "CURVE_SECP256K1" as const,
        pathFormat: "PATH_FORMAT_BIP32" as const,
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
      },
    ],
  };
  await new LoginProxy(keeper).signUpWithPasskey({ passkey, userName, wallet });
}

async function findAddress() {
  const connection = keeper.connection();
  const { wallets } = await listWallets(connection);
  const { accounts } = await listWalletAccounts(connection, {
    walletId: wallets[0]?.walletId ?? "",
  });
  return accounts[0]?.address ?? "";
}

/** Signs as Ethereum wallets do (ERC-191), with the key of the session and without a prompt. */
async function signMessage(text: string) {
  const { length } = new TextEncoder().encode(text);
  const { r, s, v } = await signRawPayload(keeper.connection(), {
    signWith: await findAddress(),
    payload: `\x19Ethereum Signed Message:\n${length}${text}`,
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  });
  return `0x${r}${s}${v === "00" ? "1b" : "1c"}`;
}

const at = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;
const form = at<HTMLFormElement>("login");

/** Shows the wallet of whoever is logged in, in each tab of the page. */
async function show() {
  form.hidden = Boolean(keeper.session);
  at("wallet").hidden = !keeper.session;
  at("signature").textContent = "";
  at("address").textContent = keeper.session ? await findAddress() : "";
}

/** Shows why something failed, such as a prompt that was closed. */
async function attempt(work: () => Promise<unknown>) {
  at("error").textContent = "";
  try {
    await work();
  } catch (error) {
    at("error").textContent = error instanceof Error ? error.message : String(error);
  }
}

form.onsubmit = (event) => {
  event.preventDefault();
  void attempt(() => signUp(String(new FormData(form).get("name"))));
};
at("log-in").onclick = () => attempt(() => logInWithPasskey(keeper));
at("log-out").onclick = () => attempt(() => keeper.logOut());
at("sign").onclick = () =>
  attempt(async () => {
    at("signature").textContent = await signMessage("Hello from Keyhearth");
  });

keeper.subscribe(() => attempt(show));
await attempt(() => keeper.restore());
