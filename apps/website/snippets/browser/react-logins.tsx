import type { CodeBackend } from "@keyhearth/sdk/browser";
import { useCodeLogin, useOidcLogin } from "@keyhearth/sdk/react";
import { useState } from "react";

/** Your server sends these calls to the service, stamped with its own key. */
const backend: CodeBackend = {
  initOtp: (contact) => post("/codes/init", contact),
  verifyOtp: (request) => post("/codes/verify", request),
  otpLogin: (request) => post("/codes/log-in", request),
};

export function CodeLogin() {
  const { send, enter, sent } = useCodeLogin(backend);
  const [contact, setContact] = useState("");
  const [code, setCode] = useState("");
  const error = enter.error ?? send.error;
  return (
    <>
      <input
        aria-label="Email"
        value={contact}
        onChange={(event) => setContact(event.target.value)}
      />
      <button
        type="button"
        disabled={send.status === "pending"}
        onClick={() => send.run({ otpType: "OTP_TYPE_EMAIL", contact })}
      >
        Send a code
      </button>
      {sent && (
        <>
          <input
            aria-label="Code"
            autoComplete="one-time-code"
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
          <button
            type="button"
            disabled={enter.status === "pending"}
            onClick={() => enter.run({ code })}
          >
            Enter
          </button>
        </>
      )}
      {error && <p role="alert">{error.message}</p>}
    </>
  );
}

/** `askProvider` opens your OpenID provider with this nonce, and resolves to its ID token. */
export function OidcLogin({ askProvider }: { askProvider: (nonce: string) => Promise<string> }) {
  const { begin, finish } = useOidcLogin();
  async function logIn() {
    const { nonce } = await begin();
    await finish.run({ oidcToken: await askProvider(nonce) });
  }
  return (
    <>
      <button type="button" disabled={finish.status === "pending"} onClick={logIn}>
        Log in with Example
      </button>
      {finish.error && <p role="alert">{finish.error.message}</p>}
    </>
  );
}

async function post(path: string, request: object) {
  const answer = await fetch(path, { method: "POST", body: JSON.stringify(request) });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.message);
  return body;
}
