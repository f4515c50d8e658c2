import type { SessionKeeper } from "@keyhearth/sdk/browser";
import { type FormEvent, useState } from "react";
import { Action, Message, useTask } from "./controls.tsx";
import { logIn, type Notice, signUp } from "./keyhearth.ts";

type Props = {
  keeper: SessionKeeper;
  notice: Notice | undefined;
  setNotice: (notice: Notice | undefined) => void;
};

export function Welcome({ keeper, notice, setNotice }: Props) {
  const [name, setName] = useState("");
  const task = useTask();
  function submit(event: FormEvent) {
    event.preventDefault();
    setNotice(undefined);
    task.run("sign-up", () => signUp(keeper, name.trim()));
  }
  function enter() {
    setNotice(undefined);
    task.run("log-in", () => logIn(keeper));
  }
  return (
    <div className="welcome">
      <div>
        <h1>Your keys, by your own fire</h1>
        <p className="lead">
          A wallet for Ethereum and Solana that opens with a passkey: your fingerprint, your face or
          the PIN of your device. No password, no phrase to write down, and nobody else can sign.
        </p>
      </div>
      <section className="hearth" aria-label="Open a wallet">
        <form onSubmit={submit}>
          <label htmlFor="name">Your name</label>
          <input
            id="name"
            value={name}
            onChange={(event) => setName(event.target.value)}
            autoComplete="username webauthn"
            maxLength={64}
            required
          />
          <Action type="submit" isBusy={task.running === "sign-up"} busyText="Creating…">
            Create a wallet
          </Action>
        </form>
        <p className="or">or, if you have one</p>
        <Action
          kind="secondary"
          isBusy={task.running === "log-in"}
          busyText="Waiting for your passkey…"
          onClick={enter}
        >
          Log in with a passkey
        </Action>
        <Message notice={task.notice ?? notice} />
      </section>
      <ol className="facts">
        {FACTS.map(({ title, text }) => (
          <li key={title}>
            <h2>{title}</h2>
            <p>{text}</p>
          </li>
        ))}
      </ol>
    </div>
  );
}

const FACTS = [
  {
    title: "One prompt",
    text: "Your device makes a passkey for this page. It works at this address only, so a copy of the page can’t use it.",
  },
  {
    title: "One owner",
    text: "The wallet is an organization with you as its only member. The server that created it can’t sign with it.",
  },
  {
    title: "Every signature checked",
    text: "Before the page shows a signature, it verifies it with the chain’s own library.",
  },
];
