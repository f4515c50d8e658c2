import { InvalidCredential } from "@keyhearth/sdk";
import type { IframeStamper } from "@keyhearth/sdk/stampers/iframe";
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import { fieldErrors } from "../data/field-errors.ts";
import { useCurrent } from "../session/current.tsx";
import { TextArea } from "../ui/fields.tsx";
import { Failed } from "../ui/states.tsx";
import { TextField } from "../ui/text-field.tsx";
import type { KeyFormatOption } from "./key-formats.ts";
import { placeOf } from "./place.ts";
import "./secrets.css";
import { Where } from "./where.tsx";

/** What the form asks for once it has the import bundle. */
export type SecretHandle = {
  /** Whether something can be encrypted. If not, it says so at its field. */
  check(): boolean;
  /** The secret, encrypted to the signer. */
  encrypt(importBundle: string): Promise<string>;
  /** Shows what is wrong with the secret at its field. False if the error is about something else. */
  refuse(cause: unknown): boolean;
  clear(): void;
};

export type Imported = { kind: "wallet" } | { kind: "key"; keyFormat: KeyFormatOption };

const LENGTHS = [12, 15, 18, 21, 24];

/** Where somebody enters a secret: a frame of another origin, or fields of this page. The form never has it. */
export function SecretInput({ what, ref }: { what: Imported; ref: Ref<SecretHandle> }) {
  const place = placeOf(useCurrent().service);
  return (
    <div className="stack">
      <Where place={place} isImport />
      {place.kind === "frame" && <InFrame framesUrl={place.framesUrl} what={what} ref={ref} />}
      {place.kind === "page" && (
        <InPage signerPublicKey={place.signerPublicKey} what={what} ref={ref} />
      )}
    </div>
  );
}

function InPage({
  signerPublicKey,
  what,
  ref,
}: {
  signerPublicKey: string;
  what: Imported;
  ref: Ref<SecretHandle>;
}) {
  const { session } = useCurrent();
  const [text, setText] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const secret = what.kind === "wallet" ? text.trim().split(/\s+/).join(" ") : text.trim();
  useImperativeHandle(ref, () => ({
    check() {
      const found = problemOf(secret, what);
      setProblem(found);
      if (found !== undefined) field.current?.focus();
      return found === undefined;
    },
    async encrypt(importBundle) {
      const { encryptPrivateKeyToBundle, encryptWalletToBundle } = await import(
        "@keyhearth/sdk/crypto"
      );
      const { organizationId, userId } = session;
      const origin = { importBundle, organizationId, userId, signerPublicKey };
      return what.kind === "wallet"
        ? encryptWalletToBundle({ ...origin, mnemonic: secret, passphrase })
        : encryptPrivateKeyToBundle({
            ...{ ...origin, privateKey: secret, keyFormat: what.keyFormat.id },
          });
    },
    refuse(cause) {
      const found = refusalOf(cause);
      if (found === undefined) return false;
      setProblem(found);
      field.current?.focus();
      return true;
    },
    clear() {
      setText("");
      setPassphrase("");
    },
  }));
  const own = {
    ...{ autoComplete: "off", spellCheck: "false", autoCorrect: "off", isMono: true },
    validationBehavior: "aria",
  } as const;
  return (
    <>
      <TextArea
        {...own}
        focusRef={field}
        label={what.kind === "wallet" ? "Recovery phrase" : "Private key"}
        hint={
          what.kind === "wallet"
            ? "The words in their order, with spaces between them. Any language of BIP-39."
            : `In the form ${what.keyFormat.label}: ${what.keyFormat.hint ?? ""}.`
        }
        isRequired
        rows={3}
        error={problem}
        value={text}
        onChange={(next) => {
          setText(next);
          setProblem(undefined);
        }}
      />
      {what.kind === "wallet" && (
        <TextField
          {...own}
          label="Passphrase"
          isRequired={false}
          hint="Only if the wallet was made with one. Another passphrase makes another wallet."
          value={passphrase}
          onChange={setPassphrase}
        />
      )}
    </>
  );
}

function problemOf(secret: string, what: Imported): string | undefined {
  if (secret === "") {
    return what.kind === "wallet" ? "Enter the recovery phrase." : "Enter the private key.";
  }
  const count = secret.split(" ").length;
  if (what.kind === "wallet" && !LENGTHS.includes(count)) {
    return `This has ${count} ${count === 1 ? "word" : "words"}. A recovery phrase has 12, 15, 18, 21 or 24.`;
  }
  return undefined;
}

/** The service calls it by the bundle that it is in, and names no word of it. */
function refusalOf(cause: unknown): string | undefined {
  if (cause instanceof InvalidCredential) {
    return cause.message.replace(/^privateKey must/, "Must").replace(/([^.])$/, "$1.");
  }
  const names = ["secret"] as const;
  const renamed = { encryptedBundle: "secret", mnemonic: "secret", passphrase: "secret" } as const;
  return fieldErrors(cause, names, renamed).atFields[0]?.message;
}

function InFrame({
  framesUrl,
  what,
  ref,
}: {
  framesUrl: string;
  what: Imported;
  ref: Ref<SecretHandle>;
}) {
  const { session } = useCurrent();
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<IframeStamper>(undefined);
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const isWallet = what.kind === "wallet";
  // Another try opens another frame.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const opening = new AbortController();
    const { signal } = opening;
    setError(undefined);
    const open = async () => {
      const { openFrame } = await import("./frame.ts");
      if (!box.current || signal.aborted) return;
      frame.current = await openFrame("import", box.current, {
        ...{ framesUrl, title: "The secret to import", signal },
        hasPassphrase: isWallet,
      });
    };
    open().catch((cause: unknown) => {
      if (!signal.aborted) setError(cause);
    });
    return () => {
      opening.abort();
      frame.current?.clear();
      frame.current = undefined;
    };
  }, [framesUrl, isWallet, tries]);
  useImperativeHandle(ref, () => ({
    check: () => frame.current !== undefined,
    async encrypt(importBundle) {
      const { organizationId, userId } = session;
      const open = frame.current;
      if (!open) throw new Error("the frame is gone");
      await open.injectImportBundle({ importBundle, organizationId, userId });
      return what.kind === "wallet"
        ? open.extractWalletBundle()
        : open.extractKeyBundle({ keyFormat: what.keyFormat.id });
    },
    refuse: () => false,
    clear() {
      frame.current?.clear();
    },
  }));
  return (
    <>
      <div ref={box} className="secret-frame" />
      {error !== undefined && (
        <Failed error={error} onRetry={() => setTries((count) => count + 1)} />
      )}
    </>
  );
}
