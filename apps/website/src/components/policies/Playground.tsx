import { useEffect, useRef } from "react";
import { WhenSeen } from "../WhenSeen.tsx";

/** Policies and a request that readers can edit. The language, the editor and the examples are loaded when it is seen. */
export function Playground() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (window.location.hash.startsWith("#policies=")) box.current?.scrollIntoView();
  }, []);
  return (
    <div ref={box}>
      <WhenSeen load={load} minHeight="60rem" />
    </div>
  );
}

const load = async () => (await import("./playground/PolicyBench.tsx")).PolicyBench;
