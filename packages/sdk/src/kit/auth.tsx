import { type FormEvent, Fragment, type ReactElement, useEffect, useState } from "react";
import type { AuthMethod, AuthProps } from "./auth-props.ts";
import { type AuthState, type AuthStep, type ContactKind, useAuth } from "./auth-state.ts";
import { Button, Field, Panel, useKit } from "./kit.tsx";
import { problemOf } from "./problems.ts";
import { fill, type KitTexts } from "./texts.ts";
import { useOwnWallets } from "./wallets.ts";

const contact = "ada@example.com";

const previewed = {
  kind: "email",
  contact,
  sent: { otpId: "", otpEncryptionTargetBundle: "", otpType: "OTP_TYPE_EMAIL", contact },
  turn: 0,
} as const;

function shownState(own: AuthState, { preview }: AuthProps): AuthState {
  if (!preview) return own;
  const { step = "start", busy, error, isClosed = false } = preview;
  const nothing = () => {};
  const shown: AuthStep = step === "code" ? { at: step, ...previewed } : { at: step };
  return {
    ...{ step: shown, go: nothing, reload: nothing, run: nothing, stop: nothing, busy },
    ...{ settings: undefined, settingsError: isClosed ? error : undefined },
    error: isClosed ? undefined : error,
    ...{ logInWithPasskey: nothing, signUp: nothing, sendCode: nothing, enterCode: nothing },
    ...{ logInAt: nothing, logInWithWallet: nothing },
  };
}

/**
 * Logs people in and signs them up, by every method that the app offers. It needs a `KeyhearthProvider` around it, and
 * `useSession` knows the session that it starts.
 */
export function Auth(props: AuthProps): ReactElement {
  const kit = useKit(props);
  const { texts } = kit;
  const state = shownState(useAuth({ ...props, login: props.login ?? kit.login }), props);
  const { step, busy, error, settingsError } = state;
  const failure = error ?? settingsError;
  const problem = failure && problemOf(failure, texts, { isLogIn: true });
  const isPrompt = busy !== undefined && !["email", "sms", "code", "resend"].includes(busy);
  const working = isPrompt ? texts.waitForPrompt : texts.working;
  return (
    <Panel
      kit={kit}
      title={titleOf(step, texts)}
      step={step.at}
      status={busy === undefined ? statusOf(step, texts) : working}
      problem={problem?.text}
      onClose={props.onClose}
    >
      <Step props={props} state={state} texts={texts} />
    </Panel>
  );
}

function titleOf({ at }: AuthStep, texts: KitTexts): string {
  if (at === "code") return texts.codeTitle;
  return at === "sign-up" ? texts.signUpTitle : texts.authTitle;
}

function statusOf(step: AuthStep, texts: KitTexts): string | undefined {
  if (step.at === "done") return texts.loggedIn;
  if (step.at !== "code") return undefined;
  return step.turn > 0 ? texts.resent : fill(texts.codeSent, { contact: step.contact });
}

type StepProps = { props: AuthProps; state: AuthState; texts: KitTexts };

function Step({ props, state, texts }: StepProps) {
  const { step, settingsError } = state;
  if (step.at === "done") return <p className="keyhearth-good">{texts.loggedIn}</p>;
  if (step.at === "code")
    return <CodeStep key={step.turn} state={state} texts={texts} step={step} />;
  if (step.at === "sign-up") return <SignUpStep state={state} texts={texts} />;
  const methods = methodsOf(props, state);
  if (settingsError && (methods === undefined || problemOf(settingsError, texts).isClosed)) {
    return (
      <Button look="primary" onClick={state.reload}>
        {texts.tryAgain}
      </Button>
    );
  }
  if (!methods) return <Waiting texts={texts} />;
  return (
    <>
      {methods.map((method, index) => (
        <Fragment key={nameOf(method)}>
          {index > 0 && isForm(method) !== isForm(methods[index - 1]) && (
            <p className="keyhearth-or">{texts.or}</p>
          )}
          <Method method={method} isFirst={index === 0} props={props} state={state} texts={texts} />
        </Fragment>
      ))}
      {props.termsUrl && <Terms url={props.termsUrl} texts={texts} />}
    </>
  );
}

function Waiting({ texts }: { texts: KitTexts }) {
  return (
    <p className="keyhearth-muted keyhearth-waiting">
      <span className="keyhearth-spin" aria-hidden="true" />
      {texts.working}
    </p>
  );
}

function nameOf(method: AuthMethod): string {
  return typeof method === "string" ? method : method.name;
}

function isForm(method: AuthMethod | undefined): boolean {
  return method === "email" || method === "sms";
}

/** What the app offers and the organization allows. Undefined while nobody knows. */
function methodsOf({ methods }: AuthProps, { settings }: AuthState): AuthMethod[] | undefined {
  const known = ["passkey", "email", "sms", "wallet"] as const;
  if (!methods) return settings && known.filter((name) => settings.methods.includes(name));
  return methods.filter((method) => !settings || settings.methods.includes(nameOf(method)));
}

function Method(given: StepProps & { method: AuthMethod; isFirst: boolean }) {
  const { method, isFirst, props, state, texts } = given;
  const { busy } = state;
  const look = isFirst ? "primary" : "plain";
  if (method === "email" || method === "sms") {
    return <ContactForm kind={method} look={look} state={state} texts={texts} />;
  }
  if (method === "wallet") {
    return <Wallets given={props.wallets} look={look} state={state} texts={texts} />;
  }
  if (method === "passkey") {
    return (
      <>
        <Button
          look={look}
          isBusy={busy === "passkey"}
          isOff={busy !== undefined}
          onClick={state.logInWithPasskey}
        >
          {texts.passkeyLogIn}
        </Button>
        <div className="keyhearth-center">
          <Button look="link" isOff={busy !== undefined} onClick={() => toStep(state, "sign-up")}>
            {texts.passkeySignUp}
          </Button>
        </div>
      </>
    );
  }
  return (
    <Button
      look={look}
      isBusy={busy === method.name}
      isOff={busy !== undefined}
      onClick={() => state.logInAt(method)}
    >
      {fill(texts.continueWith, { name: method.label })}
    </Button>
  );
}

function toStep({ stop, go }: AuthState, at: "start" | "sign-up") {
  stop();
  go({ at });
}

type PartProps = { state: AuthState; texts: KitTexts };

function onSubmit(work: () => void) {
  return (event: FormEvent) => {
    event.preventDefault();
    work();
  };
}

function ContactForm({
  kind,
  look,
  state,
  texts,
}: PartProps & { kind: ContactKind; look: "primary" | "plain" }) {
  const [contact, setContact] = useState("");
  const [isSubmitted, setSubmitted] = useState(false);
  const isEmail = kind === "email";
  // The service decides: this only catches what was not finished.
  const isReady = isEmail ? /^\S+@\S+$/.test(contact.trim()) : /^\+[\d\s()-]{7,24}$/.test(contact);
  const wrong = isEmail ? texts.badContact : texts.badPhone;
  const send = () => {
    setSubmitted(!isReady);
    if (isReady) state.sendCode(kind, isEmail ? contact.trim() : contact.replace(/[\s()-]/g, ""));
  };
  return (
    <form className="keyhearth-stack" noValidate onSubmit={onSubmit(send)}>
      <Field
        label={isEmail ? texts.email : texts.phone}
        {...(isEmail ? {} : { hint: texts.phoneHint })}
        wrong={isSubmitted && !isReady ? wrong : undefined}
        type={isEmail ? "email" : "tel"}
        autoComplete={isEmail ? "email" : "tel"}
        maxLength={254}
        value={contact}
        onChange={setContact}
      />
      <Button
        type="submit"
        look={look}
        isBusy={state.busy === kind}
        isOff={state.busy !== undefined}
      >
        {texts.sendCode}
      </Button>
    </form>
  );
}

function Wallets({
  given,
  look,
  state,
  texts,
}: PartProps & { given: AuthProps["wallets"]; look: "primary" | "plain" }) {
  const wallets = useOwnWallets(given);
  if (wallets.length === 0) return <p className="keyhearth-muted">{texts.noWallet}</p>;
  return wallets.map((wallet, index) => (
    <Button
      key={wallet.name}
      look={index === 0 ? look : "plain"}
      isBusy={state.busy === `wallet:${wallet.name}`}
      isOff={state.busy !== undefined}
      onClick={() => state.logInWithWallet(wallet)}
    >
      {fill(texts.continueWith, { name: wallet.name })}
    </Button>
  ));
}

function SignUpStep({ state, texts }: PartProps) {
  const [name, setName] = useState("");
  const isReady = name.trim() !== "";
  return (
    <form
      className="keyhearth-stack"
      onSubmit={onSubmit(() => isReady && state.signUp(name.trim()))}
    >
      <Field
        label={texts.userName}
        hint={texts.userNameHint}
        autoComplete="name"
        maxLength={64}
        isFocused
        value={name}
        onChange={setName}
      />
      <Button
        type="submit"
        look="primary"
        isBusy={state.busy === "sign-up"}
        isOff={state.busy !== undefined || !isReady}
      >
        {texts.createPasskey}
      </Button>
      <div className="keyhearth-center">
        <Button look="link" onClick={() => toStep(state, "start")}>
          {texts.back}
        </Button>
      </div>
    </form>
  );
}

const RESEND_SECONDS = 30;

function CodeStep({ state, texts, step }: PartProps & { step: Extract<AuthStep, { at: "code" }> }) {
  const { settings, busy, error } = state;
  const [code, setCode] = useState("");
  const left = useCountdown(RESEND_SECONDS);
  // Without the settings, any length that the service makes.
  const length = settings?.otpLength ?? 9;
  const isReady = code.length >= (settings?.otpLength ?? 6);
  const isWrong = error?.code === "OTP_INVALID";
  const take = (typed: string) => {
    // People paste it with spaces, and read letters in either case.
    const next = typed
      .replace(/[^0-9a-z]/gi, "")
      .toUpperCase()
      .slice(0, length);
    setCode(next);
    if (settings && next.length === length && next !== code) state.enterCode(next);
  };
  return (
    <form className="keyhearth-stack" onSubmit={onSubmit(() => isReady && state.enterCode(code))}>
      <p className="keyhearth-text">{fill(texts.codeSent, { contact: step.contact })}</p>
      <Field
        label={texts.code}
        isCode
        isFocused
        isWrong={isWrong}
        inputMode={settings?.otpAlphanumeric === false ? "numeric" : "text"}
        autoComplete="one-time-code"
        value={code}
        onChange={take}
      />
      <Button
        type="submit"
        look="primary"
        isBusy={busy === "code"}
        isOff={busy !== undefined || !isReady}
      >
        {texts.logIn}
      </Button>
      <div className="keyhearth-row">
        <Button
          look="link"
          isBusy={busy === "resend"}
          isOff={busy !== undefined || left > 0}
          onClick={() => state.sendCode(step.kind, step.contact)}
        >
          {left > 0 ? fill(texts.resendIn, { seconds: left }) : texts.resend}
        </Button>
        <Button look="link" onClick={() => toStep(state, "start")}>
          {texts.back}
        </Button>
      </div>
    </form>
  );
}

function useCountdown(seconds: number): number {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const endMs = Date.now() + seconds * 1000;
    const timer = setInterval(() => {
      const rest = Math.max(0, Math.ceil((endMs - Date.now()) / 1000));
      setLeft(rest);
      if (rest === 0) clearInterval(timer);
    }, 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return left;
}

function Terms({ url, texts }: { url: string; texts: KitTexts }) {
  const [before = "", after = ""] = texts.terms.split("{terms}");
  return (
    <p className="keyhearth-muted">
      {before}
      <a href={url} target="_blank" rel="noopener noreferrer" className="keyhearth-terms">
        {texts.termsName}
      </a>
      {after}
    </p>
  );
}
