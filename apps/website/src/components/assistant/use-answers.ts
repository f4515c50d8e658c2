import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import type { Answer } from "@keyhearth/search/answer-question";
import { answerLocally } from "@site/src/search/local-client.ts";
import { useSearchSite } from "@site/src/search/search-site.ts";
import { useEffect, useRef, useState } from "react";
import { mentionsPrivatePart } from "../inspect/private-parts.ts";
import { askModel, type End, hasModel, type ModelPassage } from "./ask-model.ts";

/** A question and what is known of its answer so far. */
export type Exchange = {
  id: number;
  question: string;
  /** What the model wrote, if one was asked, with the sections that it was shown. */
  written: { text: string; passages: ModelPassage[] } | null;
  /** What the pages say, if no model was asked, or it did not answer. */
  quotes: Answer | null;
  state: "asking" | "stopped" | "failed" | End | "quoted";
};

export type Answers = {
  exchanges: Exchange[];
  isAsking: boolean;
  ask(question: string): void;
  stop(): void;
  /** Asks a question again, in the place of its answer. */
  askAgain(exchange: Exchange): void;
  clear(): void;
};

export function useAnswers(): Answers {
  const language = useDocusaurusContext().i18n.currentLocale;
  const site = useSearchSite();
  // Neither changes until the site is left.
  const [answerFromPages] = useState(() => (question: string) => {
    return answerLocally(question, { language, site });
  });
  const [exchanges, setExchanges] = useState<Exchange[]>([]);
  const running = useRef<AbortController | null>(null);
  const last = useRef(0);

  // The records are on their way while the reader types.
  useEffect(() => {
    answerFromPages("").catch(() => {});
    return () => running.current?.abort();
  }, [answerFromPages]);

  function change(id: number, next: (before: Exchange) => Exchange) {
    setExchanges((all) => all.map((each) => (each.id === id ? next(each) : each)));
  }

  async function answer(id: number, question: string, controller: AbortController) {
    const { signal } = controller;
    let end: End | null = null;
    // A key that was pasted by mistake stays in the page.
    if (hasModel() && !mentionsPrivatePart(question)) {
      end = await askModel(
        { question, language },
        {
          signal,
          tell: (told) =>
            change(id, (before) => {
              const { text, passages } = before.written ?? { text: "", passages: [] };
              const written =
                "text" in told
                  ? { text: text + told.text, passages }
                  : { text, passages: told.passages };
              return { ...before, written };
            }),
        },
      );
      if (signal.aborted) return;
      if (end === "complete" || end === "unknown") {
        const state = end;
        return change(id, (before) => ({ ...before, state }));
      }
    }
    try {
      const quotes = await answerFromPages(question);
      if (signal.aborted) return;
      const state = end ?? "quoted";
      change(id, (before) => ({ ...before, quotes, state }));
    } catch {
      if (!signal.aborted) change(id, (before) => ({ ...before, state: "failed" }));
    }
  }

  function begin(id: number, question: string) {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    answer(id, question, controller);
  }

  const fresh = { written: null, quotes: null, state: "asking" as const };
  const current = exchanges.at(-1);
  return {
    exchanges,
    isAsking: exchanges.some(({ state }) => state === "asking"),
    ask(question) {
      const id = ++last.current;
      setExchanges((all) => [...all, { id, question, ...fresh }]);
      begin(id, question);
    },
    stop() {
      running.current?.abort();
      if (current) change(current.id, (before) => ({ ...before, state: "stopped" }));
    },
    askAgain({ id, question }) {
      change(id, (before) => ({ ...before, ...fresh }));
      begin(id, question);
    },
    clear() {
      running.current?.abort();
      setExchanges([]);
    },
  };
}
