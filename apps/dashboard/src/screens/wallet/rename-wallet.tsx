import { type UpdateWalletIntent, updateWallet, type Wallet } from "@keyhearth/sdk";
import { useForm } from "react-hook-form";
import { useSubmit } from "../../data/submit.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { FormProblem } from "../../ui/states.tsx";

export function RenameWallet({ wallet, onClose }: { wallet: Wallet; onClose: () => void }) {
  const { walletId } = wallet;
  const form = useForm({ defaultValues: { walletName: wallet.walletName } });
  const { submit, isBusy, error } = useSubmit(
    (connection, parameters: UpdateWalletIntent) => updateWallet(connection, parameters),
    {
      form,
      done: "The wallet has another name",
      onSent: onClose,
    },
  );
  const rename = form.handleSubmit(({ walletName }) =>
    submit({ walletId, walletName: walletName.trim() }),
  );
  return (
    <Dialog title="Rename the wallet" isOpen onClose={onClose}>
      <form className="stack" onSubmit={rename}>
        <FormText
          control={form.control}
          name="walletName"
          label="Name"
          autoFocus
          autoComplete="off"
          rules={{ required: "Give the wallet a name. No other wallet may have it." }}
        />
        <FormProblem error={error} />
        <DialogActions>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isPending={isBusy}>
            Rename
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
