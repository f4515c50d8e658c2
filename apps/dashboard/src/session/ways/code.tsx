import type { Contact, SentCode } from "@keyhearth/sdk/browser";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Button } from "../../ui/button.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { FormProblem, Notice } from "../../ui/states.tsx";
import { ProxyOf, type ProxyWay } from "../proxy-of.tsx";
import { remember } from "../remembered.ts";
import type { WayProps } from "../way.ts";

/** A code by mail or SMS, where the organization's login proxy sends them. Nobody is signed up. */
export function Way(props: WayProps) {
  return (
    <ProxyOf keeper={props.keeper} organizationId={props.organizationId}>
      {(way) =>
        way.settings.methods.some((method) => method === "email" || method === "sms") ? (
          <CodeLogin {...props} {...{ way }} />
        ) : (
          <Notice>This organization sends no codes. Log in another way.</Notice>
        )
      }
    </ProxyOf>
  );
}

function CodeLogin({
  organizationId,
  expirationSeconds,
  way: { proxy, settings, parentId },
}: WayProps & { way: ProxyWay }) {
  const { control, handleSubmit, setError, resetField } = useForm({
    defaultValues: { contact: "", code: "" },
  });
  const [sent, setSent] = useState<{ sent: SentCode; to: Contact }>();
  const [error, fail] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [hasEmail, hasSms] = ["email", "sms"].map((method) => settings.methods.includes(method));

  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    fail(undefined);
    try {
      await work();
    } catch (cause) {
      fail(cause);
    } finally {
      setBusy(false);
    }
  };

  const send = handleSubmit(({ contact }) =>
    attempt(async () => {
      const to = contactOf(contact.trim());
      const isOffered = to && (to.otpType === "OTP_TYPE_EMAIL" ? hasEmail : hasSms);
      if (!isOffered) {
        setError("contact", { message: formOf(hasEmail, hasSms) }, { shouldFocus: true });
        return;
      }
      setSent({ sent: await proxy.sendCode(to), to });
    }),
  );

  const logIn = handleSubmit(({ code }) =>
    attempt(async () => {
      if (!sent) return;
      const { session } = await proxy.logInWithCode({
        ...sent.to,
        sent: sent.sent,
        code: code.replace(/\s/g, "").toUpperCase(),
        signUp: false,
        expirationSeconds,
        ...(organizationId && { organizationId }),
      });
      remember({ id: session.organizationId, name: "your account", via: parentId });
    }),
  );

  if (!sent) {
    return (
      <form className="stack" noValidate onSubmit={send}>
        <FormText
          {...{ control }}
          key="contact"
          name="contact"
          label={
            hasEmail && hasSms
              ? "Email address or phone number"
              : hasEmail
                ? "Email address"
                : "Phone number"
          }
          autoComplete={hasEmail ? "email" : "tel"}
          rules={{ required: "Enter where the code is sent." }}
        />
        <FormProblem error={error} />
        <Button type="submit" kind="primary" isPending={isBusy}>
          Send me a code
        </Button>
      </form>
    );
  }
  return (
    <form className="stack" noValidate onSubmit={logIn}>
      <p>We sent a code to {sent.to.contact}.</p>
      <FormText
        {...{ control }}
        key="code"
        name="code"
        label="Code"
        hint={`${settings.otpLength} ${settings.otpAlphanumeric ? "letters and digits" : "digits"}.`}
        isMono
        autoFocus
        autoComplete="one-time-code"
        inputMode={settings.otpAlphanumeric ? "text" : "numeric"}
        rules={{ required: "Enter the code." }}
      />
      <FormProblem error={error} />
      <Button type="submit" kind="primary" isPending={isBusy}>
        Log in
      </Button>
      <Button
        kind="quiet"
        isSmall
        onPress={() => {
          resetField("code");
          fail(undefined);
          setSent(undefined);
        }}
      >
        Send another code
      </Button>
    </form>
  );
}

function contactOf(text: string): Contact | undefined {
  if (/^[^@\s]+@[^@\s]+$/.test(text)) return { otpType: "OTP_TYPE_EMAIL", contact: text };
  const digits = text.replace(/[\s().-]/g, "");
  if (/^\+[1-9]\d{6,14}$/.test(digits)) return { otpType: "OTP_TYPE_SMS", contact: digits };
  return undefined;
}

function formOf(hasEmail = false, hasSms = false): string {
  if (!hasSms) return "Enter an email address, such as ada@example.com.";
  const phone = "a phone number with its country code, such as +14155550100";
  return hasEmail ? `Enter an email address, or ${phone}.` : `Enter ${phone}.`;
}
