import { WhenSeen } from "../WhenSeen.tsx";

/** Takes a stamp and its body apart, and verifies it, in the browser. */
export function StampInspector() {
  return <WhenSeen load={load} minHeight="24rem" />;
}

const load = async () => (await import("../inspect/inspectors.ts")).inspectors.Stamp;
