import { useEffect, useState } from "react";
import type { SentCode } from "../browser/code-login.ts";
import { LoginProxy, type LoginProxySettings } from "../browser/login-proxy.ts";
import { logInWithPasskey } from "../browser/logins.ts";
import { createPasskey } from "../browser/passkey-registration.ts";
import type { Session } from "../browser/session.ts";
import type { KeyhearthError } from "../errors/errors.ts";
import { useKeyhearth } from "../react/provider.ts";
import { asKeyhearthError } from "../react/session-store.ts";
import { type Acts, useActs } from "./acts.ts";
import type { AuthProps } from "./auth-props.ts";
import {
  askInPopup,
  goToProvider,
  type OpenIdProvider,
  openPopup,
  takeRedirect,
  tokenOf,
} from "./social.ts";
import type { OwnWallet } from "./wallets.ts";

export type ContactKind = "email" | "sms";

/** Where somebody is who logs in. */
export type AuthStep =
  | { at: "start" | "sign-up" | "done" }
  | { at: "code"; kind: ContactKind; contact: string; sent: SentCode; turn: number };

export type AuthState = Acts & {
  step: AuthStep;
  go(step: AuthStep): void;
  settings: LoginProxySettings | undefined;
  settingsError: KeyhearthError | undefined;
  reload(): void;
  logInWithPasskey(): void;
  signUp(userName: string): void;
  sendCode(kind: ContactKind, contact: string): void;
  enterCode(code: string): void;
  logInAt(provider: OpenIdProvider): void;
  logInWithWallet(wallet: OwnWallet): void;
};

const otpTypes = { email: "OTP_TYPE_EMAIL", sms: "OTP_TYPE_SMS" } as const;

/** What `Auth` does. `login` says which backend. */
export function useAuth(props: AuthProps & { login: AuthProps["login"] }): AuthState {
  const { keeper } = useKeyhearth();
  const [proxy] = useState(() => new LoginProxy(keeper, props.login ?? {}));
  const [step, go] = useState<AuthStep>({ at: "start" });
  const acts = useActs(props.onError);
  const { settings, settingsError, reload } = useSettings(proxy, props);
  const { sessionSeconds, account = {}, rp, flow = "popup", onSuccess } = props;

  const request = (signal: AbortSignal) => ({
    signal,
    ...(sessionSeconds === undefined ? {} : { expirationSeconds: sessionSeconds }),
  });
  const finish = ({ session, isNew }: { session: Session; isNew: boolean }) => {
    go({ at: "done" });
    onSuccess?.(session, { isNew });
  };
  const asked = (provider: OpenIdProvider) => ({
    clientId: provider.clientId ?? settings?.oauthClientIds[provider.name] ?? "",
    redirectUri:
      provider.redirectUri ??
      settings?.oauthRedirectUrl ??
      `${location.origin}${location.pathname}`,
  });
  const finishOidc = async (oidcToken: string, providerName: string, signal: AbortSignal) =>
    finish(await proxy.logInWithOidc({ oidcToken, providerName, ...account, ...request(signal) }));

  useRedirect(props.preview !== undefined, (providerName, answer) =>
    acts.run(providerName, (signal) => finishOidc(tokenOf(answer), providerName, signal)),
  );

  return {
    ...acts,
    ...{ step, go, settings, settingsError, reload },
    logInWithPasskey: () =>
      acts.run("passkey", async (signal) => {
        const at = rp?.id === undefined ? {} : { rpId: rp.id };
        const session = await logInWithPasskey(keeper, { ...at, ...request(signal) });
        finish({ session, isNew: false });
      }),
    signUp: (userName) =>
      acts.run("sign-up", async (signal) => {
        const name = rp?.name ?? document.title;
        const passkey = await createPasskey({
          rp: { ...(rp?.id === undefined ? {} : { id: rp.id }), name },
          user: { name: userName },
          signal,
        });
        const given = { passkey, userName, ...account, ...request(signal) };
        finish(await proxy.signUpWithPasskey(given));
      }),
    sendCode: (kind, contact) =>
      acts.run(step.at === "code" ? "resend" : kind, async () => {
        const sent = await proxy.sendCode({ otpType: otpTypes[kind], contact });
        const turn = step.at === "code" ? step.turn + 1 : 0;
        go({ at: "code", kind, contact, sent, turn });
      }),
    enterCode: (code) =>
      acts.run("code", async (signal) => {
        if (step.at !== "code") return;
        const { kind, contact, sent } = step;
        const known = { otpType: otpTypes[kind], contact, sent, code };
        finish(await proxy.logInWithCode({ ...known, ...account, ...request(signal) }));
      }),
    logInAt: (provider) =>
      acts.run(provider.name, async (signal) => {
        if (flow === "redirect") {
          await goToProvider(keeper, provider, asked(provider));
          // The page is left, and stays busy until then.
          return new Promise(() => {});
        }
        const popup = openPopup();
        const token = await askInPopup(popup, keeper, provider, asked(provider), signal);
        await finishOidc(token, provider.name, signal);
      }),
    logInWithWallet: (wallet) =>
      acts.run(`wallet:${wallet.name}`, async (signal) => {
        // Loaded when it is needed: it verifies what the wallet signs, on two curves.
        const { WalletStamper } = await import("../stampers/wallet.ts");
        const { ethereum, solana } = wallet;
        const stamper = new WalletStamper(solana ? { solana } : { ethereum });
        finish(await proxy.logInWithWallet(stamper, { ...account, ...request(signal) }));
      }),
  };
}

/** What the organization has set. */
function useSettings(proxy: LoginProxy, { preview }: AuthProps) {
  const [state, setState] = useState<{
    settings?: LoginProxySettings;
    settingsError?: KeyhearthError;
  }>({});
  const [turn, setTurn] = useState(0);
  const isOff = preview !== undefined;
  useEffect(() => {
    if (isOff) return;
    let isGone = turn < 0;
    const show = (next: typeof state) => {
      if (!isGone) setState(next);
    };
    // In StrictMode, React leaves at once and comes back. Then nothing may have been sent.
    const timer = setTimeout(() => {
      proxy.settings().then(
        (settings) => show({ settings }),
        (cause: unknown) => show({ settingsError: asKeyhearthError(cause) }),
      );
    }, 0);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [proxy, isOff, turn]);
  const reload = () => {
    setState({});
    setTurn((last) => last + 1);
  };
  return { settings: state.settings, settingsError: state.settingsError, reload };
}

/** Goes on with a login that left the page. */
function useRedirect(
  isOff: boolean,
  onAnswer: (providerName: string, answer: URLSearchParams) => void,
) {
  const [latest] = useState<{ onAnswer?: typeof onAnswer }>({});
  useEffect(() => {
    latest.onAnswer = onAnswer;
  });
  useEffect(() => {
    if (isOff) return;
    const timer = setTimeout(() => {
      const found = takeRedirect();
      if (found) latest.onAnswer?.(found.providerName, found.answer);
    }, 0);
    return () => clearTimeout(timer);
  }, [isOff, latest]);
}
