import type { ReactElement } from "react";
import type { KeyhearthError } from "../errors/errors.ts";
import { type SignedMessage, type SigningAccount, signText } from "../react/wallets.ts";
import { Button, type KitOptions, Panel, useKit } from "./kit.tsx";
import { problemOf } from "./problems.ts";
import { useSigning } from "./signing.ts";
import type { KitTexts } from "./texts.ts";

export type SignMessageProps = KitOptions & {
  account: SigningAccount;
  message: string;
  onSuccess?(signed: SignedMessage): void;
  onError?(error: KeyhearthError): void;
  onClose?(): void;
  /** Shows one state and does nothing. */
  preview?: SigningPreview;
};

export type SigningPreview = {
  busy?: boolean;
  error?: KeyhearthError;
  /** The activity that waits for approvals. */
  waiting?: string;
  /** What was signed. */
  result?: string;
};

/** Shows a message exactly as it is, and signs it once somebody says so. */
export function SignMessage(props: SignMessageProps): ReactElement {
  const { account, message } = props;
  // The result of one is never shown beside another one.
  return <OneMessage key={JSON.stringify([account.address, message])} {...props} />;
}

function OneMessage(props: SignMessageProps) {
  const kit = useKit(props);
  const { texts } = kit;
  const { account, message, preview, onSuccess, onError } = props;
  const signing = useSigning(
    (connection, options) => signText(connection, { account, message }, options),
    { onSuccess, onError },
  );
  const isBusy = preview ? preview.busy === true : signing.isBusy;
  const error = preview ? preview.error : signing.error;
  const waiting = preview ? preview.waiting : signing.waiting?.id;
  const result = preview ? preview.result : signing.result?.signature;
  const said = result ? texts.signed : isBusy ? texts.working : undefined;
  return (
    <Panel
      kit={kit}
      title={texts.signTitle}
      status={waiting ? texts.waiting : said}
      problem={error && problemOf(error, texts).text}
      onClose={props.onClose}
    >
      <p className="keyhearth-text">{texts.signFrom}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll a long message with the keyboard */}
      <pre className="keyhearth-pre" tabIndex={0}>
        {visible(message)}
      </pre>
      <dl className="keyhearth-facts">
        <dt>{texts.account}</dt>
        <dd className="keyhearth-mono">{account.address}</dd>
      </dl>
      <Outcome
        {...{ texts, isBusy, waiting, result }}
        action={texts.sign}
        done={texts.signed}
        onSign={preview ? () => {} : signing.sign}
      />
    </Panel>
  );
}

/** Characters that nobody sees, or that turn the order of others around, as their numbers. */
function visible(message: string): string {
  return message.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    "\n\t".includes(character) ? character : `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`,
  );
}

type OutcomeProps = {
  texts: KitTexts;
  action: string;
  done: string;
  isBusy: boolean;
  isOff?: boolean;
  waiting: string | undefined;
  result: string | undefined;
  onSign(): void;
};

/** The button, and below it what came of it. */
export function Outcome(props: OutcomeProps) {
  const { texts, action, done, isBusy, isOff = false, waiting, result, onSign } = props;
  if (result !== undefined) {
    return (
      <>
        <p className="keyhearth-good">{done}</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it with the keyboard */}
        <pre className="keyhearth-pre" tabIndex={0}>
          {result}
        </pre>
      </>
    );
  }
  return (
    <>
      {waiting !== undefined && (
        <div className="keyhearth-warning keyhearth-stack">
          <p className="keyhearth-text">{texts.waiting}</p>
          <p className="keyhearth-text keyhearth-mono">
            {texts.activity} {waiting}
          </p>
        </div>
      )}
      <Button look="primary" isBusy={isBusy} isOff={isOff} onClick={onSign}>
        {action}
      </Button>
    </>
  );
}
