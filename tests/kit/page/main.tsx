import { createUsers, updateRootQuorum } from "@keyhearth/sdk";
import type { SessionKeeper, SessionKeeperOptions } from "@keyhearth/sdk/browser";
import {
  KeyhearthProvider,
  useKeyhearth,
  useSession,
  useWallets,
  type WalletWithAccounts,
} from "@keyhearth/sdk/react";
import {
  Auth,
  type AuthProps,
  ConfirmTransaction,
  Export,
  Import,
  type KitOptions,
  KitProvider,
  type OpenIdProvider,
  SignMessage,
  spanish,
} from "@keyhearth/sdk/react/kit";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { App as Sample } from "../../../apps/website/snippets/browser/kit.tsx";
import { states } from "../../../apps/website/snippets/browser/kit-states.tsx";

// An app that has the kit and nothing else. What it shows is in its address.

declare global {
  interface Window {
    /** What the test knows of the service. */
    settings: { options: SessionKeeperOptions; provider: OpenIdProvider; transaction: string };
    keeper: SessionKeeper;
    /** A wallet of Solana, and the captcha of Turnstile, where the test has them. */
    solana?: NonNullable<NonNullable<AuthProps["wallets"]>[number]["solana"]>;
    turnstile?: {
      render(place: Element, options: { sitekey: string; callback(token: string): void }): string;
    };
    /** Gives the account a second root user, without whom nothing is signed. */
    addApprover(publicKey: string): Promise<void>;
    /** What the components told the app. */
    told: string[];
  }
}

const { options, provider, transaction } = window.settings;
const query = new URLSearchParams(location.search);
const tell = (what: string) => window.told.push(what);
window.told = [];
window.addApprover = async (publicKey) => {
  const { keeper } = window;
  const apiKey = { apiKeyName: "Key", publicKey, curveType: "API_KEY_CURVE_P256" as const };
  const user = { userName: "Grace", apiKeys: [apiKey], authenticators: [], oauthProviders: [] };
  const made = await createUsers(keeper.connection(), { users: [{ ...user, userTags: [] }] });
  const userIds = [keeper.session?.userId ?? "", ...made.userIds];
  await updateRootQuorum(keeper.connection(), { threshold: 2, userIds });
};

/** As an app does it that shows the widget when somebody asks for a code or an account. */
async function solveCaptcha(): Promise<string> {
  const { LoginProxy } = await import("@keyhearth/sdk/browser");
  const { captchaSiteKey = "" } = await new LoginProxy(window.keeper).settings();
  if (!window.turnstile) await loadScript("https://challenges.cloudflare.com/turnstile/v0/api.js");
  const place = document.body.appendChild(document.createElement("div"));
  return new Promise<string>((callback) => {
    window.turnstile?.render(place, { sitekey: captchaSiteKey, callback });
  }).finally(() => place.remove());
}

function loadScript(src: string): Promise<unknown> {
  const script = Object.assign(document.createElement("script"), { src, nonce: "of-the-test" });
  const loaded = new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = reject;
  });
  document.head.append(script);
  return loaded;
}

const scheme = (query.get("scheme") ?? "auto") as "auto";
const kit: KitOptions = {
  colorScheme: scheme,
  nonce: "of-the-test",
  ...(query.get("language") === "es" ? { texts: spanish } : {}),
  ...(query.get("via") === "handler" ? { login: { url: "/api/login" } } : {}),
  ...(query.has("captcha") ? { login: { captchaToken: solveCaptcha } } : {}),
};

const account = {
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

const onError = ({ code }: { code: string }) => tell(`error ${code}`);

function Login() {
  const login: AuthProps = {
    methods: query.has("sms") ? ["sms"] : ["email", "passkey", provider, "wallet"],
    ...(window.solana && { wallets: [{ name: "Solana Wallet", solana: window.solana }] }),
    account: { wallet: account },
    sessionSeconds: 600,
    flow: query.get("flow") === "redirect" ? "redirect" : "popup",
    onError,
    onSuccess: (_, { isNew }) => tell(isNew ? "signed up" : "logged in"),
  };
  return <Auth {...login} />;
}

function App() {
  const { session, status, logOut } = useSession();
  window.keeper = useKeyhearth().keeper;
  const wallets = useWallets();
  const [part, setPart] = useState("");
  const [main] = wallets.data ?? [];
  return (
    <>
      <output aria-label="State">{`${status} ${session?.organizationId ?? ""}`}</output>
      {status === "logged-out" && <Login />}
      {session && (
        <nav>
          {["export", "key", "import", "import key", "sign", "confirm"].map((name) => (
            <button type="button" key={name} onClick={() => setPart(name)}>
              Open {name}
            </button>
          ))}
          <button type="button" onClick={() => void logOut()}>
            Log out
          </button>
        </nav>
      )}
      {session && main && <Part name={part} wallet={main} onClose={() => setPart("")} />}
    </>
  );
}

type PartProps = { name: string; wallet: WalletWithAccounts; onClose(): void };

function Part({ name, wallet, onClose }: PartProps) {
  const address = wallet.accounts[0]?.address ?? "";
  const addressFormat = "ADDRESS_FORMAT_ETHEREUM";
  const common = { onError, onClose };
  switch (name) {
    case "export":
      return <Export walletId={wallet.walletId} onSuccess={() => tell("shown")} {...common} />;
    case "key":
      return <Export address={address} onSuccess={() => tell("shown")} {...common} />;
    case "import":
      return (
        <Import
          kind="wallet"
          onSuccess={({ walletId, addresses }) => tell(`${walletId} ${addresses.join(" ")}`)}
          {...common}
        />
      );
    case "import key":
      return (
        <Import
          kind="private-key"
          onSuccess={({ privateKeyId, addresses }) =>
            tell(`${privateKeyId} ${addresses.join(" ")}`)
          }
          {...common}
        />
      );
    case "sign":
      return (
        <SignMessage
          account={{ address, addressFormat }}
          message="grüße"
          onSuccess={({ signature }) => tell(`${address} ${signature}`)}
          {...common}
        />
      );
    case "confirm":
      return (
        <ConfirmTransaction
          signWith={address}
          type="TRANSACTION_TYPE_ETHEREUM"
          unsignedTransaction={transaction}
          onSuccess={({ signedTransaction }) => tell(`${address} ${signedTransaction}`)}
          {...common}
        />
      );
    default:
      return null;
  }
}

/** Every component in every state, as the gallery of the site has them. */
function Gallery() {
  return states.map(({ component, name, show }) => (
    <div key={`${component} ${name}`} data-state={`${component} ${name}`}>
      {show(kit)}
    </div>
  ));
}

const root = document.getElementById("root");
if (!root) throw new Error("the page has no root");
createRoot(root).render(
  <StrictMode>
    {query.has("sample") ? (
      <KitProvider {...kit}>
        <Sample options={options} />
      </KitProvider>
    ) : (
      <KeyhearthProvider options={options}>
        <KitProvider {...kit}>{query.has("gallery") ? <Gallery /> : <App />}</KitProvider>
      </KeyhearthProvider>
    )}
  </StrictMode>,
);
