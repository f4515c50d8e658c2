import { usePasskeyLogin } from "@keyhearth/sdk/react";

export function LogIn() {
  const { run, status, error } = usePasskeyLogin();
  const logIn = () => run({ rpId: location.hostname, expirationSeconds: 900 });
  return (
    <>
      <button type="button" disabled={status === "pending"} onClick={logIn}>
        Log in
      </button>
      {error && <p role="alert">{error.message}</p>}
    </>
  );
}
