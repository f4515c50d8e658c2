import Translate, { translate } from "@docusaurus/Translate";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import styles from "./FeedbackForm.module.css";
import shared from "./PageFeedback.module.css";
import { MAX_TEXT_LENGTH, type Outcome, sendFeedback } from "./send-feedback.ts";

/** What the reader can add to the answer, and what became of it. */
export function FeedbackForm({
  page,
  helpful,
  onStored,
}: {
  page: string;
  helpful: boolean;
  onStored: () => void;
}) {
  const textId = useId();
  const noteId = useId();
  const [text, setText] = useState("");
  const [isSending, setIsSending] = useState(false);
  const [failure, setFailure] = useState<Outcome | null>(null);

  async function send(event: FormEvent) {
    event.preventDefault();
    if (isSending) return;
    setIsSending(true);
    setFailure(null);
    const outcome = await sendFeedback({ page, helpful, text });
    setIsSending(false);
    if (outcome.kind === "stored") onStored();
    else setFailure(outcome);
  }

  return (
    <form className={styles.form} onSubmit={send}>
      <label htmlFor={textId}>
        {helpful ? (
          <Translate id="feedback.good">What helped you? (optional)</Translate>
        ) : (
          <Translate id="feedback.bad">What is missing or wrong? (optional)</Translate>
        )}
      </label>
      <textarea
        id={textId}
        rows={3}
        maxLength={MAX_TEXT_LENGTH}
        aria-describedby={noteId}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <p id={noteId} className={styles.note}>
        <Translate id="feedback.note">
          We store the address of this page, your answer and your text, and nothing about you.
          Please don’t write keys or passwords.
        </Translate>
      </p>
      <div role="alert" className={shared.failure}>
        {failure && <FailureText failure={failure} />}
      </div>
      {/* Not `disabled`, which would take the focus away. */}
      <button type="submit" className={styles.send} aria-disabled={isSending}>
        {buttonText(isSending, failure)}
      </button>
    </form>
  );
}

function buttonText(isSending: boolean, failure: Outcome | null): string {
  if (isSending) return translate({ id: "feedback.sending", message: "Sending…" });
  if (failure) return translate({ id: "feedback.again", message: "Send again" });
  return translate({ id: "feedback.send", message: "Send" });
}

function FailureText({ failure }: { failure: Outcome }): ReactNode {
  const { siteConfig } = useDocusaurusContext();
  switch (failure.kind) {
    case "too-long":
      return (
        <Translate id="feedback.tooLong">
          Your text is too long to be sent. Please shorten it.
        </Translate>
      );
    case "too-often":
      return (
        <Translate id="feedback.tooOften" values={{ seconds: String(failure.retryAfterSeconds) }}>
          {
            "It wasn’t sent, because several answers came from your address. Your text is still here: send it again in {seconds} seconds."
          }
        </Translate>
      );
    case "refused":
      return (
        <Translate id="feedback.refused" values={{ message: failure.message }}>
          {"The service refused it: {message}"}
        </Translate>
      );
    case "closed":
      return (
        <>
          <Translate id="feedback.closed">
            This copy of the site takes no feedback at the moment. Your text is still here.
          </Translate>{" "}
          <a href={`${siteConfig.customFields?.repository}/issues`}>
            <Translate id="feedback.issue">Open an issue instead</Translate>
          </a>
        </>
      );
    default:
      return (
        <Translate id="feedback.unreachable">
          It wasn’t sent, because the service can’t be reached. Your text is still here: send it
          again in a moment.
        </Translate>
      );
  }
}
