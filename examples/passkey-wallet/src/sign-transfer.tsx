import type { Connection } from "@keyhearth/sdk";
import { type FormEvent, useState } from "react";
import type { Account } from "./accounts.ts";
import { Action, Message, Result, useTask } from "./controls.tsx";
import { FieldError, type Signed, signTransfer } from "./signing.ts";

type Props = {
  connection: Connection;
  account: Account;
  onSigned: (signed: Signed) => void;
};

export function SignTransfer({ connection, account, onSigned }: Props) {
  const [to, setTo] = useState("");
  const [amount, setAmount] = useState("");
  const [wrong, setWrong] = useState<FieldError>();
  const [signed, setSigned] = useState<Signed>();
  const { running, notice, run } = useTask();
  function submit(event: FormEvent) {
    event.preventDefault();
    setWrong(undefined);
    setSigned(undefined);
    run("sign", async () => {
      try {
        const transfer = { to: to.trim(), amount: amount.trim() };
        const result = await signTransfer(connection, account, transfer);
        setSigned(result);
        onSigned(result);
        setTo("");
        setAmount("");
      } catch (error) {
        if (!(error instanceof FieldError)) throw error;
        setWrong(error);
        document.getElementById(error.field)?.focus();
      }
    });
  }
  const field = (name: FieldError["field"]) => ({
    id: name,
    required: true,
    autoComplete: "off",
    spellCheck: false,
    "aria-invalid": wrong?.field === name,
    "aria-describedby": wrong?.field === name ? `${name}-problem` : undefined,
  });
  const problem = (name: FieldError["field"]) =>
    wrong?.field === name && (
      <p className="problem" id={`${name}-problem`}>
        {wrong.message}
      </p>
    );
  return (
    <section className="card" aria-labelledby="sign-transfer">
      <h2 id="sign-transfer">Sign a transfer</h2>
      <form onSubmit={submit}>
        <label htmlFor="to">To, on Ethereum</label>
        <input {...field("to")} value={to} onChange={(event) => setTo(event.target.value)} />
        {problem("to")}
        <label htmlFor="amount">Amount in ETH</label>
        <input
          {...field("amount")}
          inputMode="decimal"
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
        />
        {problem("amount")}
        <Action type="submit" isBusy={running !== undefined} busyText="Signing…">
          Sign transfer
        </Action>
      </form>
      <Result signed={signed} />
      <Message notice={notice} />
    </section>
  );
}
