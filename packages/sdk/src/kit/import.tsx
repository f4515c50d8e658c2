import {
  type FormEvent,
  type ReactElement,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import {
  importPrivateKey,
  importWallet,
  initImportPrivateKey,
  initImportWallet,
} from "../calls/generated/calls.ts";
import type { Connection } from "../connection/connection.ts";
import type { KeyhearthError } from "../errors/errors.ts";
import type { AddressFormat, Curve, WalletAccountParams } from "../generated/types.ts";
import { useKeyhearth } from "../react/provider.ts";
import type { IframeStamper, KeyFormat } from "../stampers/iframe.ts";
import { useActs } from "./acts.ts";
import { openFrame } from "./frames.ts";
import { Button, Field, type KitOptions, Panel, useKit } from "./kit.tsx";
import { problemOf } from "./problems.ts";
import type { KitTexts } from "./texts.ts";

/** A kind of private key that people may import. */
export type ImportedKind = {
  label: string;
  curve: Curve;
  addressFormats: AddressFormat[];
  keyFormat: KeyFormat;
};

export type ImportProps = KitOptions & {
  kind: "wallet" | "private-key";
  /** The accounts of an imported wallet. Default: the first of Ethereum and of Solana. */
  accounts?: WalletAccountParams[];
  /** The kinds of private keys. Default: Ethereum and Solana. */
  kinds?: readonly ImportedKind[];
  onSuccess?(imported: { walletId?: string; privateKeyId?: string; addresses: string[] }): void;
  onError?(error: KeyhearthError): void;
  onClose?(): void;
  /** Shows one state and does nothing. */
  preview?: { step?: "form" | "done"; busy?: boolean; error?: KeyhearthError };
};

function defaultAccounts(): WalletAccountParams[] {
  const pathFormat = "PATH_FORMAT_BIP32";
  return [
    {
      ...{ curve: "CURVE_SECP256K1", pathFormat, path: "m/44'/60'/0'/0/0" },
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
    {
      ...{ curve: "CURVE_ED25519", pathFormat, path: "m/44'/501'/0'/0'" },
      addressFormat: "ADDRESS_FORMAT_SOLANA",
    },
  ];
}

function kindsOf(texts: KitTexts): readonly ImportedKind[] {
  return [
    {
      label: texts.kindEthereum,
      curve: "CURVE_SECP256K1",
      addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
      keyFormat: "HEXADECIMAL",
    },
    {
      label: texts.kindSolana,
      curve: "CURVE_ED25519",
      addressFormats: ["ADDRESS_FORMAT_SOLANA"],
      keyFormat: "SOLANA",
    },
  ];
}

/**
 * Imports a wallet or a private key, which people enter into the frame of the service. There it is encrypted to the signer,
 * so this page never has it.
 */
export function Import(props: ImportProps): ReactElement {
  // Another kind starts over.
  return <OneImport key={props.kind} {...props} />;
}

function OneImport(props: ImportProps) {
  const kit = useKit(props);
  const { texts, framesUrl } = kit;
  const { keeper } = useKeyhearth();
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<IframeStamper>(undefined);
  const [isDone, setDone] = useState(false);
  const acts = useActs(props.onError);
  const { preview, kind } = props;
  const { run, stop } = acts;
  const title = texts.importFrame;
  const isOff = preview !== undefined || isDone;

  const open = useCallback(
    async (signal: AbortSignal) => {
      if (!box.current) return;
      const at = { keeper, title, ...(framesUrl ? { framesUrl } : {}) };
      frame.current = await openFrame("import", box.current, at, signal);
    },
    [framesUrl, keeper, title],
  );

  useEffect(() => {
    if (isOff) return;
    // In StrictMode, React leaves at once and comes back.
    const timer = setTimeout(() => run("open", open), 0);
    return () => {
      clearTimeout(timer);
      stop();
      frame.current?.clear();
      frame.current = undefined;
    };
  }, [isOff, open, run, stop]);

  const bring = (name: string, chosen: ImportedKind | undefined) =>
    run("import", async (signal) => {
      // It could not be opened before. Then there is nothing in it yet.
      if (!frame.current) return open(signal);
      const imported = chosen
        ? await importKey(keeper.connection(), keeper, frame.current, { name, chosen, signal })
        : await importWords(keeper.connection(), keeper, frame.current, {
            name,
            accounts: props.accounts ?? defaultAccounts(),
            signal,
          });
      setDone(true);
      props.onSuccess?.(imported);
    });

  const shownDone = preview ? preview.step === "done" : isDone;
  const busy = preview ? (preview.busy ? "import" : undefined) : acts.busy;
  const error = preview ? preview.error : acts.error;
  const isWallet = kind === "wallet";
  return (
    <Panel
      kit={kit}
      title={isWallet ? texts.importWalletTitle : texts.importKeyTitle}
      step={shownDone ? "done" : "form"}
      status={busy ? texts.working : shownDone ? texts.imported : undefined}
      problem={error && problemOf(error, texts).text}
      onClose={props.onClose}
    >
      {shownDone ? (
        <p className="keyhearth-good">{texts.imported}</p>
      ) : (
        <Form
          kinds={isWallet ? undefined : (props.kinds ?? kindsOf(texts))}
          busy={busy}
          onImport={bring}
          texts={texts}
        >
          <div className="keyhearth-frame" ref={box} />
          {preview && <p className="keyhearth-place">{texts.importFrame}</p>}
        </Form>
      )}
    </Panel>
  );
}

type FormProps = {
  kinds: readonly ImportedKind[] | undefined;
  busy: string | undefined;
  onImport(name: string, kind: ImportedKind | undefined): void;
  texts: KitTexts;
  children: ReactNode;
};

function Form({ kinds, busy, onImport, texts, children }: FormProps) {
  const id = useId();
  const [name, setName] = useState("");
  const [index, setIndex] = useState(0);
  const isReady = name.trim() !== "" && busy === undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onImport(name.trim(), kinds?.[index]);
  };
  return (
    <form className="keyhearth-stack" onSubmit={submit}>
      <p className="keyhearth-text">{kinds ? texts.importKeyHint : texts.importWalletHint}</p>
      {kinds && kinds.length > 1 && (
        <div className="keyhearth-field">
          <label className="keyhearth-label" htmlFor={id}>
            {texts.importKind}
          </label>
          <select
            id={id}
            className="keyhearth-input"
            value={index}
            onChange={(event) => setIndex(Number(event.target.value))}
          >
            {kinds.map(({ label }, at) => (
              <option key={label} value={at}>
                {label}
              </option>
            ))}
          </select>
        </div>
      )}
      {children}
      <Field label={texts.importName} maxLength={255} value={name} onChange={setName} />
      <Button type="submit" look="primary" isBusy={busy !== undefined} isOff={!isReady}>
        {texts.importNow}
      </Button>
    </form>
  );
}

type Person = { session: { userId: string } | undefined };

async function importWords(
  connection: Connection,
  { session }: Person,
  frame: IframeStamper,
  {
    name: walletName,
    accounts,
    signal,
  }: { name: string; accounts: WalletAccountParams[]; signal: AbortSignal },
) {
  const userId = session?.userId ?? "";
  const { organizationId } = connection;
  const { importBundle } = await initImportWallet(connection, { userId }, { signal });
  await frame.injectImportBundle({ importBundle, organizationId, userId }, { signal });
  const encryptedBundle = await frame.extractWalletBundle({ signal });
  const parameters = { userId, walletName, encryptedBundle, accounts };
  const { walletId, addresses } = await importWallet(connection, parameters, { signal });
  return { walletId, addresses };
}

async function importKey(
  connection: Connection,
  { session }: Person,
  frame: IframeStamper,
  {
    name: privateKeyName,
    chosen: { curve, addressFormats, keyFormat },
    signal,
  }: { name: string; chosen: ImportedKind; signal: AbortSignal },
) {
  const userId = session?.userId ?? "";
  const { organizationId } = connection;
  const { importBundle } = await initImportPrivateKey(connection, { userId }, { signal });
  await frame.injectImportBundle({ importBundle, organizationId, userId }, { signal });
  const encryptedBundle = await frame.extractKeyBundle({ keyFormat }, { signal });
  const { privateKeyId, addresses } = await importPrivateKey(
    connection,
    { userId, privateKeyName, encryptedBundle, curve, addressFormats },
    { signal },
  );
  return { privateKeyId, addresses: addresses.flatMap(({ address }) => address ?? []) };
}
