import Translate, { translate } from "@docusaurus/Translate";
import { useEffect, useId, useRef, useState } from "react";
import type { Outcome } from "./Outcome.tsx";
import styles from "./Playground.module.css";
import { PRESETS, type PresetId } from "./presets.ts";

const [FIRST] = PRESETS;

const names: Record<PresetId, string> = {
  largePayment: translate({
    id: "playground.largePayment",
    message: "A payment that is too large",
  }),
  team: translate({ id: "playground.team", message: "Two members of a team" }),
  guard: translate({
    id: "playground.guard",
    message: "A guard that doesn’t prevent an error",
  }),
  unknownName: translate({
    id: "playground.unknownName",
    message: "A name that does not exist",
  }),
  officeHours: translate({ id: "playground.officeHours", message: "Office hours" }),
};

/** An expression and a request that readers can edit. The language evaluates them in the browser. */
export function Playground() {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [preset, setPreset] = useState(FIRST);
  const [expression, setExpression] = useState(FIRST?.expression ?? "");
  const [request, setRequest] = useState(FIRST?.request ?? "");
  const Shown = useOutcome(box);
  const clause = preset?.clause ?? "condition";

  function choose(presetId: string) {
    const chosen = PRESETS.find((each) => each.id === presetId);
    if (!chosen) return;
    setPreset(chosen);
    setExpression(chosen.expression);
    setRequest(chosen.request);
  }

  return (
    <div ref={box} className={styles.playground}>
      <div className={styles.row}>
        <label htmlFor={`${id}-preset`}>
          <Translate id="playground.start">Start with</Translate>
        </label>
        <select
          id={`${id}-preset`}
          value={preset?.id}
          onChange={(event) => choose(event.target.value)}
        >
          {PRESETS.map(({ id }) => (
            <option key={id} value={id}>
              {names[id]}
            </option>
          ))}
        </select>
      </div>
      <div className={styles.inputs}>
        <div>
          <label htmlFor={`${id}-expression`}>{clause}</label>
          <textarea
            id={`${id}-expression`}
            value={expression}
            rows={Math.max(5, expression.split("\n").length + 2)}
            onChange={(event) => setExpression(event.target.value)}
            spellCheck={false}
            autoCapitalize="off"
            autoCorrect="off"
          />
        </div>
        <div>
          <label htmlFor={`${id}-request`}>
            <Translate id="playground.request">request data, as JSON</Translate>
          </label>
          <textarea
            id={`${id}-request`}
            value={request}
            rows={Math.max(5, request.split("\n").length)}
            onChange={(event) => setRequest(event.target.value)}
            spellCheck={false}
            autoCapitalize="off"
            autoCorrect="off"
          />
        </div>
      </div>
      <output className={styles.output} htmlFor={`${id}-expression ${id}-request`}>
        {Shown ? (
          <Shown clause={clause} expression={expression} request={request} />
        ) : (
          <p>
            <Translate id="playground.loading">Loading the language…</Translate>
          </p>
        )}
      </output>
    </div>
  );
}

/** Loads the language when the reader scrolls to the playground, because it is larger than the page. */
function useOutcome(box: React.RefObject<HTMLDivElement | null>) {
  const [loaded, setLoaded] = useState<{ Outcome: typeof Outcome }>();
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let isGone = false;
    const observer = new IntersectionObserver(
      async ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        const { Outcome } = await import("./Outcome.tsx");
        if (!isGone) setLoaded({ Outcome });
      },
      { rootMargin: "0px 0px -25%" },
    );
    observer.observe(element);
    return () => {
      isGone = true;
      observer.disconnect();
    };
  }, [box]);
  return loaded?.Outcome;
}
