import { type SignUpRequest, usePasskeySignUp } from "@keyhearth/sdk/react";
import { useState } from "react";
import { post } from "../page.ts";

export function SignUp() {
  const [name, setName] = useState("");
  const { run, status, error } = usePasskeySignUp((request: SignUpRequest) =>
    post<{ organizationId: string }>("/sign-up", { name, ...request }),
  );
  // One prompt. When it's done, `useSession` says `logged-in`.
  const create = () => run({ rp: { id: location.hostname, name: "Example" }, user: { name } });
  return (
    <>
      <input
        aria-label="Your name"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <button type="button" disabled={status === "pending" || name === ""} onClick={create}>
        Sign up
      </button>
      {error && <p role="alert">{error.message}</p>}
    </>
  );
}
