import Translate, { translate } from "@docusaurus/Translate";
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import styles from "./AssistantPanel.module.css";
import { hasModel } from "./ask-model.ts";
import { ShownExchange, spokenOf } from "./ShownExchange.tsx";
import { useAnswers } from "./use-answers.ts";

type Props = {
  isOpen: boolean;
  /** Empty for the title in the page's language. */
  title: string | undefined;
  onClose: () => void;
};

/** What the service and the search take, in UTF-16 units as a text field counts. */
const MAX_QUESTION_LENGTH = 500;

/** On a phone the window is the whole screen, and nothing is used behind it. */
const PHONE = "(max-width: 996px)";

/** The window in which a reader asks. It stays open from page to page, and keeps nothing when the site is left. */
export function AssistantPanel({ isOpen, title, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const talk = useRef<HTMLElement>(null);
  const titleId = useId();
  const noteId = useId();
  const [question, setQuestion] = useState("");
  const { exchanges, isAsking, ask, stop, askAgain, clear } = useAnswers();
  const last = exchanges.at(-1);

  useEffect(() => {
    const its = dialog.current;
    if (!its || its.open === isOpen) return;
    if (!isOpen) return its.close();
    if (window.matchMedia(PHONE).matches) its.showModal();
    else its.show();
    // The search hands over what was typed there.
    const button = document.getElementById("assistant");
    const handed = button?.dataset.question;
    if (handed) setQuestion(handed);
    delete button?.dataset.question;
    field.current?.focus();
  }, [isOpen]);

  // The question and what follows it are read from the top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is more to see
  useEffect(() => {
    const asked = [...(talk.current?.querySelectorAll("article") ?? [])].at(-1);
    if (asked) talk.current?.scrollTo({ top: asked.offsetTop });
  }, [last?.id, last?.state]);

  function close() {
    // A button behind an open window of a phone takes no focus.
    dialog.current?.close();
    document.getElementById("assistant")?.focus();
    onClose();
  }

  function send(event?: FormEvent) {
    event?.preventDefault();
    const text = question.trim();
    if (text === "" || isAsking) return;
    setQuestion("");
    ask(text);
  }

  function pressInField(event: KeyboardEvent) {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  }

  return (
    <dialog
      ref={dialog}
      className={styles.panel}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
    >
      <header className={styles.header}>
        <h2 id={titleId}>
          {title || translate({ id: "assistant.title", message: "Ask the documentation" })}
        </h2>
        {exchanges.length > 0 && (
          <button
            type="button"
            className={styles.quiet}
            onClick={() => {
              clear();
              field.current?.focus();
            }}
          >
            <Translate id="assistant.clear">Clear</Translate>
          </button>
        )}
        <button
          type="button"
          className={styles.close}
          aria-label={translate({ id: "assistant.close", message: "Close" })}
          onClick={close}
        >
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d="m4 4 12 12M16 4 4 16" />
          </svg>
        </button>
      </header>
      <section
        ref={talk}
        className={styles.talk}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
        tabIndex={0}
        aria-label={translate({ id: "assistant.answers", message: "Questions and answers" })}
      >
        {exchanges.length === 0 && <Suggestions onChoose={ask} />}
        {exchanges.map((exchange) => (
          <ShownExchange
            key={exchange.id}
            exchange={exchange}
            onAgain={isAsking ? null : () => askAgain(exchange)}
            onFollow={() => {
              if (window.matchMedia(PHONE).matches) onClose();
            }}
          />
        ))}
      </section>
      <div role="status" className={styles.spoken}>
        {last && spokenOf(last)}
      </div>
      <form className={styles.form} onSubmit={send}>
        <textarea
          ref={field}
          rows={2}
          maxLength={MAX_QUESTION_LENGTH}
          value={question}
          aria-label={translate({ id: "assistant.field", message: "Your question" })}
          aria-describedby={noteId}
          placeholder={translate({
            id: "assistant.placeholder",
            message: "How do I create a wallet?",
          })}
          onChange={(event) => setQuestion(event.currentTarget.value)}
          onKeyDown={pressInField}
        />
        {isAsking ? (
          <button
            type="button"
            className={styles.send}
            onClick={() => {
              stop();
              field.current?.focus();
            }}
          >
            <Translate id="assistant.stop">Stop</Translate>
          </button>
        ) : (
          <button type="submit" className={styles.send} aria-disabled={question.trim() === ""}>
            <Translate id="assistant.ask">Ask</Translate>
          </button>
        )}
        <p id={noteId}>
          {hasModel() ? (
            <Translate id="assistant.noteModel">
              A language model of this site’s operator writes the answers, and can be wrong. Your
              question goes there and isn’t stored here. Don’t write keys or passwords.
            </Translate>
          ) : (
            <Translate id="assistant.noteLocal">
              Your browser finds the answer in these pages. Your question isn’t sent to anybody.
            </Translate>
          )}
        </p>
      </form>
    </dialog>
  );
}

function Suggestions({ onChoose }: { onChoose: (question: string) => void }) {
  const suggestions = [
    translate({ id: "assistant.suggested.wallet", message: "How do I create a wallet?" }),
    translate({ id: "assistant.suggested.policy", message: "What is the root quorum?" }),
    translate({ id: "assistant.suggested.passkey", message: "What if a user loses a passkey?" }),
    translate({ id: "assistant.suggested.backup", message: "How do I back up the root key?" }),
  ];
  return (
    <div className={styles.empty}>
      <p>
        <Translate id="assistant.empty">
          Ask in your own words. The answer quotes these pages, with links to the sections that it
          is from.
        </Translate>
      </p>
      <ul>
        {suggestions.map((each) => (
          <li key={each}>
            <button type="button" onClick={() => onChoose(each)}>
              {each}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
