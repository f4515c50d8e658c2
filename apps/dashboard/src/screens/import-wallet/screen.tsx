import { importWallet, initImportWallet } from "@keyhearth/sdk";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useForm } from "react-hook-form";
import { useLocation } from "wouter";
import { AccountsFields, renamedAccounts } from "../../chains/accounts-fields.tsx";
import "../../chains/chains.css";
import { newAccount, paramsOf } from "../../chains/formats.ts";
import { usePatience } from "../../data/patient.ts";
import { type SecretHandle, SecretInput } from "../../secrets/secret-input.tsx";
import { Waits } from "../../secrets/waits.tsx";
import { useCurrent } from "../../session/current.tsx";
import { AskBeforeLeaving } from "../../ui/ask-before-leaving.tsx";
import { FormEnd } from "../../ui/form-end.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { Page } from "../../ui/page.tsx";
import { tell } from "../../ui/toasts.tsx";

export function Screen() {
  const [, navigate] = useLocation();
  const { userId } = useCurrent().session;
  const secret = useRef<SecretHandle>(null);
  const form = useForm({
    defaultValues: {
      walletName: "",
      accounts: [newAccount("ADDRESS_FORMAT_ETHEREUM"), newAccount("ADDRESS_FORMAT_SOLANA")],
    },
  });
  const { control, handleSubmit } = form;
  const [isImported, setImported] = useState(false);
  const { run, isBusy, error, waiting } = usePatience({ form, renamed: renamedAccounts });

  const bring = handleSubmit(async ({ walletName, accounts }) => {
    const entered = secret.current;
    if (!entered?.check()) return;
    const imported = await run(async (step) => {
      try {
        const { importBundle } = await step((connection, options) =>
          initImportWallet(connection, { userId }, options),
        );
        const encryptedBundle = await entered.encrypt(importBundle);
        const parameters = {
          userId,
          walletName: walletName.trim(),
          accounts: accounts.map(paramsOf),
        };
        return await step((connection, options) =>
          importWallet(connection, { ...parameters, encryptedBundle }, options),
        );
      } catch (cause) {
        if (entered.refuse(cause)) return undefined;
        throw cause;
      }
    });
    if (!imported) return;
    entered.clear();
    // There is nothing left to lose.
    flushSync(() => setImported(true));
    tell({ title: "The wallet is imported", text: "Delete other copies that you no longer need." });
    navigate(`/wallets/${imported.walletId}`);
  });

  return (
    <Page
      title="Import a wallet"
      crumbs={[{ title: "Wallets", to: "/wallets" }]}
      intro="From the recovery phrase of another wallet. Its accounts have the same addresses here if their paths are the same."
    >
      <AskBeforeLeaving
        isUnsaved={form.formState.isDirty && !isImported}
        title="Leave without importing the wallet?"
      />
      <form className="stack narrow-form" onSubmit={bring}>
        <FormText
          {...{ control }}
          name="walletName"
          label="Name"
          autoComplete="off"
          rules={{ required: "Give the wallet a name. No other wallet may have it." }}
        />
        <SecretInput what={{ kind: "wallet" }} ref={secret} />
        <AccountsFields {...{ control }} />
        <Waits activityId={waiting} what="the import goes on" />
        <FormEnd action="Import the wallet" backTo="/wallets" {...{ isBusy, error }} />
      </form>
    </Page>
  );
}
