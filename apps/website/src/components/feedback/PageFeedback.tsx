import Translate, { translate } from "@docusaurus/Translate";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import styles from "./PageFeedback.module.css";
import { MAX_TEXT_LENGTH, type Outcome, sendFeedback } from "./send-feedback.ts";

/** Asks whether the page helped. It asks the service for nothing until the reader sends an answer. */
export function PageFeedback({ page }: { page: string }) {
  const questionId = useId();
  const [helpful, setHelpful] = useState<boolean | null>(null);
  const [isStored, setIsStored] = useState(false);
  const thanks = useRef<HTMLDivElement>(null);
  // The button that had the focus is gone.
  useEffect(() => {
    if (isStored) thanks.current?.focus();
  }, [isStored]);

  return (
    <div className={styles.feedback}>
      {!isStored && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset would be styled by the theme as a form
        <div className={styles.question} role="group" aria-labelledby={questionId}>
          <p id={questionId}>
            <Translate id="feedback.question">Was this page helpful?</Translate>
          </p>
          <button
            type="button"
            className={styles.choice}
            aria-pressed={helpful === true}
            onClick={() => setHelpful(true)}
          >
            <Translate id="feedback.yes">Yes</Translate>
          </button>
          <button
            type="button"
            className={styles.choice}
            aria-pressed={helpful === false}
            onClick={() => setHelpful(false)}
          >
            <Translate id="feedback.no">No</Translate>
          </button>
        </div>
      )}
      {!isStored && helpful !== null && (
        <FeedbackForm page={page} helpful={helpful} onStored={() => setIsStored(true)} />
      )}
      <div ref={thanks} role="status" tabIndex={-1} className={styles.thanks}>
        {isStored && <Translate id="feedback.thanks">Thank you. Your answer is stored.</Translate>}
      </div>
    </div>
  );
}

function FeedbackForm({
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
      <div role="alert" className={styles.failure}>
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
