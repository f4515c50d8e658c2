import { QrCode } from "lucide-react";
import { Button } from "../ui/button.tsx";
import { Address } from "../ui/copy.tsx";

/** An address in a table, with a button that shows its QR code. */
export function AddressWithCode({ address, onShow }: { address: string; onShow: () => void }) {
  return (
    <span className="address">
      <Address address={address} />
      <Button kind="quiet" isSmall isIcon aria-label={`QR code of ${address}`} onPress={onShow}>
        <QrCode size={15} aria-hidden />
      </Button>
    </span>
  );
}
