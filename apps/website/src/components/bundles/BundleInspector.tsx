import { WhenSeen } from "../WhenSeen.tsx";

/** Says what a bundle is, for whom, and whether its signature holds, in the browser. */
export function BundleInspector() {
  return <WhenSeen load={load} minHeight="22rem" />;
}

const load = async () => (await import("../inspect/inspectors.ts")).inspectors.Bundle;
