import { signer } from "./actors.ts";
import { type Actor, Sequence } from "./Sequence.tsx";

const domain: Actor = {
  name: "Your domain",
  inText: "your domain",
  note: "serves two files",
  kind: "carrier",
};
const phone: Actor = {
  name: "Phone",
  inText: "the phone",
  note: "holds the passkey",
  kind: "trusted",
};
const app: Actor = { name: "Your app", inText: "your app", note: "has no key", kind: "trusted" };

export function NativePasskeySequence() {
  return (
    <Sequence
      title="A stamp in an app. The domain says which apps may use its passkeys, and the phone asks the person."
      actors={[domain, phone, app, signer]}
      steps={[
        { from: 0, to: 1, text: "which apps belong to it" },
        { from: 2, to: 1, text: "digest of the request, domain" },
        { from: 1, to: 1, text: "compares the app, asks for a touch" },
        { from: 1, to: 2, text: "the four values of a stamp" },
        { from: 2, to: 3, text: "the request with the stamp" },
        { from: 3, to: 3, text: "verifies it over the same bytes" },
      ]}
    />
  );
}
