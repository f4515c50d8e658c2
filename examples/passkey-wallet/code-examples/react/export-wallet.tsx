import { exportWallet } from "@keyhearth/sdk";
import { createTargetKey, decryptWalletBundle } from "@keyhearth/sdk/crypto";
import { useKeyhearth, useTask, useWallets } from "@keyhearth/sdk/react";

/** Shows the words of the first wallet. They are decrypted in this page and sent to nobody. */
export function ExportWallet({ signerPublicKey }: { signerPublicKey: string }) {
  const { connection } = useKeyhearth();
  const walletId = useWallets().data?.[0]?.walletId;
  const { run, reset, status, result, error } = useTask(async (signal, id: string) => {
    if (!connection) throw new Error("Log in first");
    const { organizationId } = connection;
    const { targetPublicKey, targetPrivateKey } = createTargetKey();
    const request = { walletId: id, targetPublicKey };
    const { exportBundle } = await exportWallet(connection, request, { signal });
    const bundle = { exportBundle, targetPrivateKey, organizationId, signerPublicKey };
    return decryptWalletBundle(bundle).mnemonic;
  });
  if (result !== undefined) {
    return (
      <>
        <output aria-label="Words">{result}</output>
        <button type="button" onClick={reset}>
          Hide the words
        </button>
      </>
    );
  }
  return (
    <>
      <button
        type="button"
        disabled={status === "pending" || walletId === undefined}
        onClick={() => walletId && run(walletId)}
      >
        Show the words
      </button>
      {error && <p role="alert">{error.message}</p>}
    </>
  );
}
