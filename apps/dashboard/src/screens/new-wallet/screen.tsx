import { type CreateWalletIntent, createWallet } from "@keyhearth/sdk";
import { useForm } from "react-hook-form";
import { useLocation } from "wouter";
import "../../chains/chains.css";
import { AccountsFields, renamedAccounts } from "../../chains/accounts-fields.tsx";
import { newAccount, paramsOf } from "../../chains/formats.ts";
import { useSubmit } from "../../data/submit.ts";
import { FormSelect } from "../../ui/form.tsx";
import { FormEnd } from "../../ui/form-end.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { Page } from "../../ui/page.tsx";

const lengths = [12, 15, 18, 21, 24] as const;
const lengthOptions = lengths.map((words) => ({
  id: String(words),
  label: `${words} words`,
  hint: `${(words / 3) * 32} bits`,
}));

export function Screen() {
  const [, navigate] = useLocation();
  const form = useForm({
    defaultValues: {
      walletName: "",
      mnemonicLength: "12",
      accounts: [newAccount("ADDRESS_FORMAT_ETHEREUM"), newAccount("ADDRESS_FORMAT_SOLANA")],
    },
  });
  const { control, handleSubmit } = form;
  const { submit, isBusy, error } = useSubmit(
    (connection, parameters: CreateWalletIntent) => createWallet(connection, parameters),
    {
      form,
      renamed: renamedAccounts,
      done: ({ addresses }) => ({
        title: "The wallet is there",
        text:
          addresses.length === 1 ? "It has one account." : `It has ${addresses.length} accounts.`,
      }),
      onSent: (outcome) =>
        navigate(outcome.kind === "done" ? `/wallets/${outcome.result.walletId}` : "/wallets"),
    },
  );
  const create = handleSubmit(({ walletName, mnemonicLength, accounts }) =>
    submit({
      walletName: walletName.trim(),
      mnemonicLength: lengths.find((each) => String(each) === mnemonicLength) ?? 12,
      accounts: accounts.map(paramsOf),
    }),
  );
  return (
    <Page
      title="Create a wallet"
      crumbs={[{ title: "Wallets", to: "/wallets" }]}
      intro="The signer makes the seed. It leaves the signer only if somebody exports it."
    >
      <form className="stack narrow-form" onSubmit={create}>
        <FormText
          {...{ control }}
          name="walletName"
          label="Name"
          autoComplete="off"
          rules={{ required: "Give the wallet a name. No other wallet may have it." }}
        />
        <FormSelect
          {...{ control }}
          name="mnemonicLength"
          label="Recovery phrase"
          hint="Nobody can guess any of them. Some companies ask for 24 words."
          options={lengthOptions}
          rules={{ required: "Choose how many words it has." }}
        />
        <AccountsFields {...{ control }} />
        <FormEnd action="Create the wallet" backTo="/wallets" {...{ isBusy, error }} />
      </form>
    </Page>
  );
}
