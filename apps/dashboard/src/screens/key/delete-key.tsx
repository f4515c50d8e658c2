import { type DeletePrivateKeysIntent, deletePrivateKeys, type PrivateKey } from "@keyhearth/sdk";
import { useLocation } from "wouter";
import { useSubmit } from "../../data/submit.ts";
import { DeleteDialog } from "../../secrets/delete-dialog.tsx";

export function DeleteKey({
  privateKey,
  isOpen,
  onClose,
}: {
  privateKey: PrivateKey;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { privateKeyId, privateKeyName, exported } = privateKey;
  const [, navigate] = useLocation();
  const { submit, error } = useSubmit(
    (connection, parameters: DeletePrivateKeysIntent) => deletePrivateKeys(connection, parameters),
    {
      done: `${privateKeyName} is deleted`,
      onSent: ({ kind }) => {
        if (kind === "done") navigate("/keys", { replace: true });
      },
    },
  );
  return (
    <DeleteDialog
      {...{ isOpen, onClose, error }}
      title={`Delete ${privateKeyName}?`}
      action="Delete the key"
      typed={privateKeyName}
      hasCopy={exported}
      lost="whatever its addresses hold"
      onDelete={async (deleteWithoutExport) =>
        (await submit({ privateKeyIds: [privateKeyId], deleteWithoutExport })) !== undefined
      }
    />
  );
}
