import Translate from "@docusaurus/Translate";
import { type ComponentType, useEffect, useRef, useState } from "react";

type Props = {
  /** Loads the part. It must stay the same function. */
  load: () => Promise<ComponentType>;
  /** The room that it will take, so that nothing below it moves. */
  minHeight: string;
};

/** A part of a page that is larger than the page, so that it is loaded when a reader scrolls to it. */
export function WhenSeen({ load, minHeight }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [loaded, setLoaded] = useState<{ Part: ComponentType } | "failed">();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let isGone = false;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        load().then(
          (Part) => isGone || setLoaded({ Part }),
          () => isGone || setLoaded("failed"),
        );
      },
      { rootMargin: attempt === 0 ? "0px 0px -10%" : "0px" },
    );
    observer.observe(element);
    return () => {
      isGone = true;
      observer.disconnect();
    };
  }, [load, attempt]);

  if (typeof loaded === "object") return <loaded.Part />;
  return (
    <div ref={box} style={{ minHeight }} role="status">
      {loaded === "failed" ? (
        <p>
          <Translate id="whenSeen.failed">
            This part of the page could not be loaded. Check your network.
          </Translate>{" "}
          <button
            type="button"
            className="button button--secondary button--sm"
            onClick={() => {
              setLoaded(undefined);
              setAttempt(attempt + 1);
            }}
          >
            <Translate id="whenSeen.again">Load it again</Translate>
          </button>
        </p>
      ) : (
        <p>
          <Translate id="whenSeen.waiting">
            This part runs in your browser. It is loaded when you scroll to it.
          </Translate>
        </p>
      )}
    </div>
  );
}
