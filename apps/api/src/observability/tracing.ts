import type { Attributes, Span } from "./spans.ts";

export type Root = {
  kind: "server" | "consumer";
  /** As a client sent it. */
  traceparent?: string | undefined;
  /** Goes on with the trace of what was noted under this id. */
  follows?: string;
  attributes?: Attributes;
};

/** Begins traces. What follows in them finds its span by itself (`spans.ts`). */
export type Tracing = {
  isOn: boolean;
  /** Does work that may be traced. Without a trace it only does it. */
  root<T>(name: string, root: Root, work: (span: Span | undefined) => Promise<T>): Promise<T>;
  /** Notes that something of this id was committed by the current span, for a job that goes on with it soon. */
  note(id: string): void;
  /** Sends what is left, for a short time. */
  stop(): Promise<void>;
};

export const NO_TRACING: Tracing = {
  isOn: false,
  root: (_name, _root, work) => work(undefined),
  note() {},
  stop: async () => {},
};
