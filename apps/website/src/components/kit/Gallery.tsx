import { WhenSeen } from "../WhenSeen.tsx";

/** The components of the kit in each state. They are loaded when a reader scrolls to them. */
export function Gallery() {
  return <WhenSeen load={load} minHeight="46rem" />;
}

const load = async () => (await import("./KitBench.tsx")).KitBench;
