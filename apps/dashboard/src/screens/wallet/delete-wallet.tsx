import { type DeleteWalletsIntent, deleteWallets, type Wallet } from "@keyhearth/sdk";
import { useLocation } from "wouter";
import { useSubmit } from "../../data/submit.ts";
import { DeleteDialog } from "../../secrets/delete-dialog.tsx";

export function DeleteWallet({
  wallet,
  isOpen,
  onClose,
}: {
  wallet: Wallet;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { walletId, walletName, exported } = wallet;
  const [, navigate] = useLocation();
  const { submit, error } = useSubmit(
    (connection, parameters: DeleteWalletsIntent) => deleteWallets(connection, parameters),
    {
      done: `${walletName} is deleted`,
      onSent: ({ kind }) => {
        if (kind === "done") navigate("/wallets", { replace: true });
      },
    },
  );
  return (
    <DeleteDialog
      {...{ isOpen, onClose, error }}
      title={`Delete ${walletName}?`}
      action="Delete the wallet"
      typed={walletName}
      hasCopy={exported}
      lost="whatever its accounts hold"
      onDelete={async (deleteWithoutExport) =>
        (await submit({ walletIds: [walletId], deleteWithoutExport })) !== undefined
      }
    />
  );
}
