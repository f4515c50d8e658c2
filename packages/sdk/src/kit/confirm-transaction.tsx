import { type ReactElement, type ReactNode, useEffect, useState } from "react";
import { signEvmTransaction } from "../adapters/evm/sign.ts";
import type { Connection } from "../connection/connection.ts";
import type { KeyhearthError } from "../errors/errors.ts";
import type { TransactionType } from "../generated/types.ts";
import type { Read } from "./decode/lines.ts";
import { type KitOptions, Panel, useKit } from "./kit.tsx";
import { problemOf } from "./problems.ts";
import { Outcome, type SigningPreview } from "./sign-message.tsx";
import { useSigning } from "./signing.ts";
import { fill, type KitTexts } from "./texts.ts";

export type ConfirmTransactionProps = KitOptions & {
  /** Address of a wallet account, or address or id of a private key. */
  signWith: string;
  /** In hex, as `sign_transaction` takes it. */
  unsignedTransaction: string;
  type: TransactionType;
  onSuccess?(signed: { signedTransaction: string }): void;
  onError?(error: KeyhearthError): void;
  onClose?(): void;
  /** Shows one state and does nothing. */
  preview?: SigningPreview;
};

/** Reads a transaction out to whoever signs it, before it is signed. What it can’t read, it says. */
export function ConfirmTransaction(props: ConfirmTransactionProps): ReactElement {
  const { type, signWith, unsignedTransaction } = props;
  // The result of one is never shown beside another one.
  return <OneTransaction key={JSON.stringify([type, signWith, unsignedTransaction])} {...props} />;
}

function OneTransaction(props: ConfirmTransactionProps) {
  const kit = useKit(props);
  const { texts } = kit;
  const { preview, onSuccess, onError } = props;
  const read = useRead(props);
  const signing = useSigning((connection, options) => signOne(connection, props, options), {
    onSuccess,
    onError,
  });
  const isBusy = preview ? preview.busy === true : signing.isBusy;
  const error = preview ? preview.error : signing.error;
  const waiting = preview ? preview.waiting : signing.waiting?.id;
  const result = preview ? preview.result : signing.result?.signedTransaction;
  const said = result ? texts.transactionSigned : isBusy ? texts.working : undefined;
  return (
    <Panel
      kit={kit}
      title={texts.confirmTitle}
      status={waiting ? texts.waiting : said}
      problem={error && problemOf(error, texts).text}
      onClose={props.onClose}
    >
      {read && <Facts read={read} signWith={props.signWith} texts={texts} />}
      <Outcome
        {...{ texts, isBusy, waiting, result }}
        // Nobody signs what was not shown.
        isOff={!read}
        action={texts.confirm}
        done={texts.transactionSigned}
        onSign={preview ? () => {} : signing.sign}
      />
    </Panel>
  );
}

/** What the transaction says. The decoders are loaded with the first one. */
function useRead({ unsignedTransaction, type, signWith }: ConfirmTransactionProps) {
  const [read, setRead] = useState<Read>();
  useEffect(() => {
    let isGone = false;
    const show = (found: Read) => {
      if (!isGone) setRead(found);
    };
    import("./decode/read.ts").then(
      ({ readTransaction }) => show(readTransaction({ type, unsignedTransaction, signWith })),
      () => show({ lines: [], warnings: [{ text: "unreadTransaction" }] }),
    );
    return () => {
      isGone = true;
    };
  }, [type, unsignedTransaction, signWith]);
  return read;
}

function Facts({ read, signWith, texts }: { read: Read; signWith: string; texts: KitTexts }) {
  return (
    <>
      {read.warnings.map(({ text, values = {} }) => (
        <p className="keyhearth-warning" key={text}>
          {fill(texts[text], values)}
        </p>
      ))}
      <dl className="keyhearth-facts">
        <dt>{texts.account}</dt>
        <dd className="keyhearth-mono">{signWith}</dd>
        {read.lines.map(({ label, text, value, isMono, isStrong }, index) => (
          // Two payments may be alike, and the list of a transaction never changes.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Line key={index} label={texts[label]} isMono={isMono} isStrong={isStrong}>
            {text ? fill(texts[text.name], text.values ?? {}) : value}
          </Line>
        ))}
      </dl>
    </>
  );
}

type LineProps = {
  label: string;
  isMono: boolean | undefined;
  isStrong: boolean | undefined;
  children: ReactNode;
};

function Line({ label, isMono, isStrong, children }: LineProps) {
  const look = isMono ? "keyhearth-mono" : isStrong ? "keyhearth-strong" : undefined;
  return (
    <>
      <dt>{label}</dt>
      <dd className={look}>{children}</dd>
    </>
  );
}

/** The signed transaction is verified to be the one that was shown, with a signature of this key. */
async function signOne(
  connection: Connection,
  { signWith, unsignedTransaction, type }: ConfirmTransactionProps,
  options: { timestampMs: string; signal: AbortSignal },
): Promise<{ signedTransaction: string }> {
  if (type === "TRANSACTION_TYPE_ETHEREUM" && /^0x[0-9a-f]{40}$/i.test(signWith)) {
    const key = { connection, signWith, address: signWith, ...options };
    return { signedTransaction: (await signEvmTransaction(key, unsignedTransaction)).signed };
  }
  const { signVerified } = await import("./verified-transaction.ts");
  return signVerified(connection, { signWith, unsignedTransaction, type }, options);
}
