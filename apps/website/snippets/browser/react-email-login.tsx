import { useKeyhearth, useSession } from "@keyhearth/sdk/react";
import { type FormEvent, useState } from "react";
import { askForMail, type EmailBackend, openMail } from "./email-login.ts";

/** Asks for the address, then for the bundle. Render it inside your KeyhearthProvider. */
export function EmailLogin({ backend }: { backend: EmailBackend }) {
  const { keeper } = useKeyhearth();
  const session = useSession();
  const [targetPrivateKey, setTargetPrivateKey] = useState<string>();
  const [problem, setProblem] = useState("");

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("text"));
    try {
      setProblem("");
      if (!targetPrivateKey) return setTargetPrivateKey(await askForMail(backend, text));
      await openMail(keeper, { credentialBundle: text, targetPrivateKey });
      setTargetPrivateKey(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }

  if (session.status === "logged-in") return <p>Logged in as {session.session.userId}</p>;
  const label = targetPrivateKey ? "Code from the mail" : "Your email address";
  return (
    <form key={label} onSubmit={submit}>
      <label>
        {label} <input name="text" required autoComplete={targetPrivateKey ? "off" : "email"} />
      </label>
      <button type="submit">Continue</button>
      <p role="status">{problem}</p>
    </form>
  );
}
