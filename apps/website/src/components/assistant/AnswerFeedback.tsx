import { useLocation } from "@docusaurus/router";
import { translate } from "@docusaurus/Translate";
import {
  MAX_TEXT_LENGTH,
  type Outcome,
  sendFeedback,
} from "@site/src/components/feedback/send-feedback.ts";
import { useState } from "react";
import styles from "./AssistantPanel.module.css";

/** Asks whether an answer helped. The operator learns which sections it was from, and not what was asked. */
export function AnswerFeedback({ cited }: { cited: string[] }) {
  const { pathname } = useLocation();
  const [given, setGiven] = useState<boolean | null>(null);
  const [outcome, setOutcome] = useState<Outcome | "sending" | null>(null);

  async function send(helpful: boolean) {
    if (outcome === "sending") return;
    setGiven(helpful);
    setOutcome("sending");
    const sections = cited.length === 0 ? "no answer" : cited.join(" ");
    const text = `Assistant: ${sections}`.slice(0, MAX_TEXT_LENGTH);
    setOutcome(await sendFeedback({ page: pathname, helpful, text }));
  }

  const isStored = typeof outcome === "object" && outcome?.kind === "stored";
  return (
    <>
      {!isStored &&
        [true, false].map((helpful) => (
          <button
            key={String(helpful)}
            type="button"
            className={styles.thumb}
            aria-pressed={given === helpful}
            aria-label={
              helpful
                ? translate({ id: "assistant.good", message: "This answer helped" })
                : translate({ id: "assistant.bad", message: "This answer didn’t help" })
            }
            onClick={() => send(helpful)}
          >
            <svg viewBox="0 0 20 20" aria-hidden="true" data-down={!helpful}>
              <path d="M6.5 9 10 2.5c1.2 0 2 .8 2 2V8h3.6c1 0 1.7.9 1.5 1.8l-1.1 5.6c-.1.8-.8 1.3-1.5 1.3h-8M6.5 9v7.7M6.5 9H3v7.7h3.5" />
            </svg>
          </button>
        ))}
      <span role="status" className={styles.outcome}>
        {outcome !== null && outcome !== "sending" && textOf(outcome)}
      </span>
    </>
  );
}

function textOf({ kind }: Outcome): string {
  switch (kind) {
    case "stored":
      return translate({ id: "assistant.thanks", message: "Thank you. Your answer is stored." });
    case "too-often":
    case "unreachable":
      return translate({
        id: "assistant.notSent",
        message: "It wasn’t sent. Press it again in a moment.",
      });
    default:
      return translate({
        id: "assistant.noFeedback",
        message: "This copy of the site takes no feedback.",
      });
  }
}
