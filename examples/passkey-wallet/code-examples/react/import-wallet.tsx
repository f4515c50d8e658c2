import { importWallet, initImportWallet } from "@keyhearth/sdk";
import { encryptWalletToBundle } from "@keyhearth/sdk/crypto";
import { useKeyhearth, useTask } from "@keyhearth/sdk/react";
import { useState } from "react";

/** Brings a wallet in. Its words are encrypted in this page, to a key that only the signer has. */
export function ImportWallet({ signerPublicKey }: { signerPublicKey: string }) {
  const { connection, session } = useKeyhearth();
  const [mnemonic, setMnemonic] = useState("");
  const { run, status, result, error } = useTask(async (signal) => {
    if (!connection || !session) throw new Error("Log in first");
    const { organizationId, userId } = session;
    const { importBundle } = await initImportWallet(connection, { userId }, { signal });
    const origin = { importBundle, organizationId, userId, signerPublicKey };
    const encryptedBundle = encryptWalletToBundle({ ...origin, mnemonic: mnemonic.trim() });
    const wallet = { userId, walletName: "Imported", encryptedBundle, accounts: [ethereum] };
    const imported = await importWallet(connection, wallet, { signal });
    setMnemonic("");
    return imported.addresses;
  });
  return (
    <>
      <textarea
        aria-label="Words of your wallet"
        autoComplete="off"
        spellCheck={false}
        value={mnemonic}
        onChange={(event) => setMnemonic(event.target.value)}
      />
      <button
        type="button"
        disabled={status === "pending" || mnemonic === ""}
        onClick={() => run()}
      >
        Import
      </button>
      {result && <output aria-label="Imported">{result.join(", ")}</output>}
      {error && <p role="alert">{error.message}</p>}
    </>
  );
}

const ethereum = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const;
