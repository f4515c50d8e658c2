import { createAuthenticators, getAuthenticators } from "@keyhearth/sdk";
import { createPasskey } from "@keyhearth/sdk/browser";
import { useKeyhearth, useQuery, useTask } from "@keyhearth/sdk/react";

export function AddPasskey() {
  const { connection, session } = useKeyhearth();
  const userId = session?.userId ?? "";
  const { data, reload } = useQuery(getAuthenticators, { userId });
  const passkeys = data?.authenticators ?? [];

  const { run, status, error } = useTask(async (signal, name: string) => {
    if (!connection) throw new Error("Log in first");
    const authenticator = await createPasskey({
      rp: { id: location.hostname, name: "Example" },
      user: { name },
      authenticatorName: name,
      excludeCredentials: passkeys.map(({ credentialId }) => credentialId),
      signal,
    });
    await createAuthenticators(connection, { userId, authenticators: [authenticator] }, { signal });
    reload();
  });

  return (
    <>
      <ul aria-label="Passkeys">
        {passkeys.map(({ authenticatorId, authenticatorName }) => (
          <li key={authenticatorId}>{authenticatorName}</li>
        ))}
      </ul>
      <button type="button" disabled={status === "pending"} onClick={() => run("Security key")}>
        Add a passkey
      </button>
      {error && <p role="alert">{error.message}</p>}
    </>
  );
}
