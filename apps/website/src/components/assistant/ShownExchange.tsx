import Link from "@docusaurus/Link";
import Translate, { translate } from "@docusaurus/Translate";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import type { Quote } from "@keyhearth/search/answer-question";
import { CopyButton } from "@site/src/components/CopyButton.tsx";
import { ResultLink } from "@site/src/search/ResultLink.tsx";
import { Fragment, type ReactNode } from "react";
import { mentionsPrivatePart } from "../inspect/private-parts.ts";
import { AnswerFeedback } from "./AnswerFeedback.tsx";
import styles from "./AssistantPanel.module.css";
import type { Exchange } from "./use-answers.ts";

type Props = {
  exchange: Exchange;
  /** Null while an answer is on its way. */
  onAgain: (() => void) | null;
  /** A reader follows a link. */
  onFollow: () => void;
};

/** A question with its answer. What the pages and the model say is shown as text, and nothing of it is HTML. */
export function ShownExchange({ exchange, onAgain, onFollow }: Props) {
  const { question, written, quotes, state } = exchange;
  const hasAnswer = (written?.text ?? "") !== "" || (quotes?.length ?? 0) > 0;
  const isOver = state !== "asking";
  return (
    <article className={styles.exchange}>
      <h3>{question}</h3>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the links in it are followed, by keys too */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above */}
      <div
        className={styles.answer}
        onClick={({ target }) => {
          if (target instanceof Element && target.closest("a")) onFollow();
        }}
      >
        {written && written.text !== "" && <Written {...written} />}
        {!isOver && !written?.text && (
          <p className={styles.waiting}>
            <Translate id="assistant.looking">Looking in the documentation…</Translate>
          </p>
        )}
        {noticeOf(exchange) && <p className={styles.notice}>{noticeOf(exchange)}</p>}
        {quotes?.map((quote) => (
          <Quoted key={quote.url} {...quote} />
        ))}
        {isUnknown(exchange) && <Unknown question={question} />}
      </div>
      {isOver && (
        <div className={styles.tools}>
          {hasAnswer && (
            <CopyButton
              className={styles.quiet}
              text={textOf(exchange)}
              label={translate({ id: "assistant.copy", message: "the answer" })}
            />
          )}
          {onAgain && ["stopped", "failed", "cut", "closed", "too-often"].includes(state) && (
            <button type="button" className={styles.quiet} onClick={onAgain}>
              <Translate id="assistant.again">Ask again</Translate>
            </button>
          )}
          {(hasAnswer || isUnknown(exchange)) && state !== "stopped" && (
            <AnswerFeedback cited={citedIn(exchange)} />
          )}
        </div>
      )}
    </article>
  );
}

/** The model's text, in which numbers of passages are links, and names may be in backticks. */
function Written({ text, passages }: NonNullable<Exchange["written"]>) {
  const cited = citedBy(text, passages);
  return (
    <>
      <p className={styles.written}>
        {text.split(/(\[\d{1,2}\]|`[^`\n]+`)/).map((part, at) => {
          // The parts never change their order.
          const key = `${at}`;
          if (at % 2 === 1 && part.startsWith("`"))
            return <code key={key}>{part.slice(1, -1)}</code>;
          const passage = at % 2 === 1 ? passages[Number(part.slice(1, -1)) - 1] : undefined;
          if (!passage) return <Fragment key={key}>{part}</Fragment>;
          return (
            <sup key={key}>
              <ResultLink url={passage.url}>{part}</ResultLink>
            </sup>
          );
        })}
      </p>
      {cited.length > 0 && (
        <ul className={styles.sources}>
          {cited.map(({ number, titles, url }) => (
            <li key={url}>
              {number}. <ResultLink url={url}>{placeOf(titles)}</ResultLink>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function citedBy(text: string, passages: NonNullable<Exchange["written"]>["passages"]) {
  const numbers = new Set([...text.matchAll(/\[(\d{1,2})\]/g)].map(([, number]) => Number(number)));
  return passages
    .map((passage, at) => ({ ...passage, number: at + 1 }))
    .filter(({ number }) => numbers.has(number));
}

function Quoted({ text, titles, url, language }: Quote) {
  const { currentLocale } = useDocusaurusContext().i18n;
  const lang = language === currentLocale ? undefined : language;
  return (
    <figure className={styles.quote}>
      <blockquote lang={lang}>{text}</blockquote>
      <figcaption lang={lang}>
        <ResultLink url={url}>{placeOf(titles)}</ResultLink>
      </figcaption>
    </figure>
  );
}

/** The page and the section. The category is in neither's name. */
function placeOf(titles: string[]): string {
  const [category = "", ...others] = titles;
  return others.length === 0 ? category : others.join(" › ");
}

function Unknown({ question }: { question: string }) {
  const { siteConfig } = useDocusaurusContext();
  // Addresses are kept in the browser's history.
  const search = mentionsPrivatePart(question) ? "" : `?${new URLSearchParams({ q: question })}`;
  return (
    <p>
      <Translate
        id="assistant.unknown"
        values={{
          search: (
            <Link to={`/search${search}`}>
              <Translate id="assistant.unknown.search">search the pages</Translate>
            </Link>
          ),
          troubleshooting: (
            <Link to="/developer-reference/troubleshooting">
              <Translate id="assistant.unknown.troubleshooting">troubleshooting</Translate>
            </Link>
          ),
          issue: (
            <a href={`${siteConfig.customFields?.repository}/issues`}>
              <Translate id="assistant.unknown.issue">open an issue</Translate>
            </a>
          ),
        }}
      >
        {
          "I don’t know: I found no answer in the documentation. You can {search}, look at {troubleshooting}, or {issue}."
        }
      </Translate>
    </p>
  );
}

function isUnknown({ state, quotes }: Exchange): boolean {
  return state === "unknown" || (quotes !== null && quotes.length === 0);
}

/** Why there is not what the reader may expect. */
function noticeOf({ state, quotes }: Exchange): ReactNode {
  const isQuoted = (quotes?.length ?? 0) > 0;
  switch (state) {
    case "cut":
      return isQuoted ? (
        <Translate id="assistant.cut">
          The answer was cut off. This is what the pages say:
        </Translate>
      ) : (
        <Translate id="assistant.cutBare">The answer was cut off.</Translate>
      );
    case "closed":
      return isQuoted ? (
        <Translate id="assistant.closed">
          The model doesn’t answer at the moment. This is what the pages say:
        </Translate>
      ) : null;
    case "too-often":
      return isQuoted ? (
        <Translate id="assistant.tooOften">
          Several questions came from your address, so the model takes none for a minute. This is
          what the pages say:
        </Translate>
      ) : null;
    case "stopped":
      return <Translate id="assistant.stopped">Stopped.</Translate>;
    case "failed":
      return (
        <Translate id="assistant.failed">
          The pages could not be loaded. You might want to check your network connection.
        </Translate>
      );
    default:
      return null;
  }
}

/** What screen readers announce: that there is an answer, once it is complete, and the answer. */
export function spokenOf(exchange: Exchange): string {
  if (exchange.state === "asking") {
    return translate({ id: "assistant.looking", message: "Looking in the documentation…" });
  }
  if (isUnknown(exchange)) {
    return translate({
      id: "assistant.unknown.spoken",
      message: "I don’t know: I found no answer in the documentation.",
    });
  }
  if (exchange.state === "failed" || exchange.state === "stopped") {
    return translate({ id: "assistant.noAnswer", message: "There is no answer." });
  }
  return translate(
    { id: "assistant.spoken", message: "Answer: {text}" },
    { text: textOf(exchange) },
  );
}

/** The answer as text, with the addresses of its sections. */
function textOf({ written, quotes }: Exchange): string {
  const origin = typeof window === "undefined" ? "" : window.location.origin;
  const addressOf = (url: string) => new URL(url, origin).href;
  const parts = [
    ...(written && written.text !== ""
      ? [
          written.text,
          ...citedBy(written.text, written.passages).map(
            ({ number, url }) => `[${number}] ${addressOf(url)}`,
          ),
        ]
      : []),
    ...(quotes ?? []).map(({ text, url }) => `${text}\n${addressOf(url)}`),
  ];
  return parts.join("\n\n");
}

/** The paths of the sections that an answer is from. */
function citedIn({ written, quotes }: Exchange): string[] {
  const urls = [
    ...(written ? citedBy(written.text, written.passages).map(({ url }) => url) : []),
    ...(quotes ?? []).map(({ url }) => url),
  ];
  return urls.map((url) => {
    const { pathname, hash } = new URL(url, window.location.origin);
    return pathname + hash;
  });
}
