import type { Connection } from "@keyhearth/sdk";
import { type FormEvent, useState } from "react";
import type { Account } from "./accounts.ts";
import { Action, Message, Result, useTask } from "./controls.tsx";
import { type Signed, signMessage } from "./signing.ts";

type Props = {
  connection: Connection;
  accounts: Account[];
  onSigned: (signed: Signed) => void;
};

export function SignMessage({ connection, accounts, onSigned }: Props) {
  const [message, setMessage] = useState("");
  const [address, setAddress] = useState(accounts[0]?.address);
  const [signed, setSigned] = useState<Signed>();
  const { running, notice, run } = useTask();
  const account = accounts.find((each) => each.address === address);
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!account) return;
    setSigned(undefined);
    run("sign", async () => {
      const result = await signMessage(connection, account, message);
      setSigned(result);
      onSigned(result);
      setMessage("");
    });
  }
  return (
    <section className="card" aria-labelledby="sign-message">
      <h2 id="sign-message">Sign a message</h2>
      <form onSubmit={submit}>
        <fieldset>
          <legend>With</legend>
          {accounts.map(({ chain, address: each }) => (
            <label className="choice" key={each}>
              <input
                type="radio"
                name="account"
                checked={each === address}
                onChange={() => setAddress(each)}
              />
              {chain}
            </label>
          ))}
        </fieldset>
        <label htmlFor="message">Message</label>
        <textarea
          id="message"
          rows={3}
          maxLength={2000}
          value={message}
          onChange={(event) => setMessage(event.target.value)}
          required
        />
        <Action type="submit" isBusy={running !== undefined} busyText="Signing…">
          Sign message
        </Action>
      </form>
      <Result signed={signed} />
      <Message notice={notice} />
    </section>
  );
}
