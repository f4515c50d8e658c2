"use client";

import { usePasskeyLogin, usePasskeySignUp } from "@keyhearth/sdk/react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { register } from "./register";

export default function Welcome() {
  const router = useRouter();
  const [name, setName] = useState("");
  const signUp = usePasskeySignUp((request) => register({ ...request, name }));
  const logIn = usePasskeyLogin();
  const isBusy = signUp.status === "pending" || logIn.status === "pending";
  const error = signUp.error ?? logIn.error;

  // `run` resolves to the session, or to undefined if it failed. Then `error` says why.
  async function enter(attempt: Promise<object | undefined>) {
    if (await attempt) router.push("/dashboard");
  }
  const create = () => signUp.run({ rp: { name: "My app" }, user: { name } });

  return (
    <main>
      <h1>My wallet</h1>
      <input aria-label="Name" value={name} onChange={(event) => setName(event.target.value)} />
      <button type="button" disabled={isBusy || name === ""} onClick={() => enter(create())}>
        Sign up
      </button>
      <button type="button" disabled={isBusy} onClick={() => enter(logIn.run())}>
        Log in
      </button>
      {error && <p role="alert">{error.message}</p>}
    </main>
  );
}
