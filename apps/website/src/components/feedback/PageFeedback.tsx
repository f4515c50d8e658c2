import Translate from "@docusaurus/Translate";
import { useEffect, useId, useRef, useState } from "react";
import type { FeedbackForm } from "./FeedbackForm.tsx";
import styles from "./PageFeedback.module.css";

/** Asks whether the page helped. It asks the service for nothing until the reader answers. */
export function PageFeedback({ page }: { page: string }) {
  const questionId = useId();
  const [helpful, setHelpful] = useState<boolean | null>(null);
  const [isStored, setIsStored] = useState(false);
  const form = useForm();
  const thanks = useRef<HTMLDivElement>(null);
  // The button that had the focus is gone.
  useEffect(() => {
    if (isStored) thanks.current?.focus();
  }, [isStored]);

  function choose(answer: boolean) {
    setHelpful(answer);
    form.load();
  }

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
            onClick={() => choose(true)}
          >
            <Translate id="feedback.yes">Yes</Translate>
          </button>
          <button
            type="button"
            className={styles.choice}
            aria-pressed={helpful === false}
            onClick={() => choose(false)}
          >
            <Translate id="feedback.no">No</Translate>
          </button>
        </div>
      )}
      {!isStored && helpful !== null && form.Form && (
        <form.Form page={page} helpful={helpful} onStored={() => setIsStored(true)} />
      )}
      {form.hasFailed && (
        <p role="alert" className={styles.failure}>
          <Translate id="feedback.notLoaded">
            The service can’t be reached. Press the button again in a moment.
          </Translate>
        </p>
      )}
      <div ref={thanks} role="status" tabIndex={-1} className={styles.thanks}>
        {isStored && <Translate id="feedback.thanks">Thank you. Your answer is stored.</Translate>}
      </div>
    </div>
  );
}

/** The form comes after the first answer, as most readers give none. */
function useForm() {
  const [loaded, setLoaded] = useState<{ Form: typeof FeedbackForm } | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  async function load() {
    setHasFailed(false);
    try {
      const { FeedbackForm } = await import("./FeedbackForm.tsx");
      setLoaded({ Form: FeedbackForm });
    } catch {
      setHasFailed(true);
    }
  }
  return { Form: loaded?.Form, hasFailed, load };
}
