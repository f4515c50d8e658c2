import { ShieldAlert, ShieldCheck } from "lucide-react";
import { Notice } from "../ui/states.tsx";
import type { SecretPlace } from "./place.ts";

/** Says where the secret will be, in a frame or in this page. */
export function Where({ place, isImport }: { place: SecretPlace; isImport?: boolean }) {
  switch (place.kind) {
    case "frame":
      return (
        <Notice icon={<ShieldCheck size={18} aria-hidden />}>
          <p>
            {isImport ? "You enter it into" : "It is shown in"} a frame of{" "}
            <strong>{new URL(place.framesUrl).host}</strong>. This page cannot read what is in
            there.
          </p>
        </Notice>
      );
    case "page":
      return (
        <Notice icon={<ShieldCheck size={18} aria-hidden />}>
          <p>
            {isImport
              ? "This page encrypts it to the signer before anything is sent."
              : "The signer encrypts it to this page, which decrypts it here."}{" "}
            No frame of another origin is set up, so you trust {location.host} with it.
          </p>
        </Notice>
      );
    case "nowhere":
      return (
        <Notice tone="warning" icon={<ShieldAlert size={18} aria-hidden />}>
          <p>
            This dashboard was built without the signer’s key, so it cannot tell who would have your
            secret. Ask your operator to build it with --signer-public-key or with --frames.
          </p>
        </Notice>
      );
  }
}
