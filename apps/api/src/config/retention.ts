const DAY_MS = 24 * 60 * 60 * 1000;

/** After what time the service deletes what it could keep. Decision 33 says why nothing else is here. */
export type Retention = {
  /**
   * Activities since they ended, and versions of documents since they were replaced, with the names and contacts of
   * users who were deleted. Null if they are kept.
   */
  historyMs: number | null;
  /** Deliveries to webhooks that have ended. */
  deliveriesMs: number;
  /** What readers say about pages. */
  feedbackMs: number;
};

/** What readers said about a page that has changed since helps nobody, so feedback has an end even if nobody sets one. */
export const DEFAULT_RETENTION: Retention = {
  historyMs: null,
  deliveriesMs: 7 * DAY_MS,
  feedbackMs: 365 * DAY_MS,
};

/**
 * In days. Whatever else is about an activity must be gone before the activity is: its bytes can start something for an
 * hour, and its deliveries can be sent again for as long as they are kept.
 */
const bounds = {
  history: { member: "historyMs", least: 30, most: 36_500 },
  deliveries: { member: "deliveriesMs", least: 1, most: 30 },
  feedback: { member: "feedbackMs", least: 1, most: 3650 },
} as const satisfies Record<string, { member: keyof Retention; least: number; most: number }>;

/** Reads `history=400d,deliveries=3d`. Undefined if the text is something else. */
export function parseRetention(text: string): Retention | undefined {
  const retention = { ...DEFAULT_RETENTION };
  const seen = new Set<string>();
  for (const entry of text.split(",")) {
    const [, name = "", days = ""] = /^([a-z]+)=([1-9]\d{0,4})d$/.exec(entry.trim()) ?? [];
    if (!isName(name) || seen.has(name)) return undefined;
    seen.add(name);
    const { member, least, most } = bounds[name];
    if (Number(days) < least || Number(days) > most) return undefined;
    retention[member] = Number(days) * DAY_MS;
  }
  return retention;
}

function isName(name: string): name is keyof typeof bounds {
  return Object.hasOwn(bounds, name);
}

/** What `KEYHEARTH_RETENTION` accepts. */
export const ACCEPTED_RETENTION = `days such as history=400d,deliveries=3d,feedback=90d, separated by commas: ${Object.entries(
  bounds,
)
  .map(([name, { least, most }]) => `${name} from ${least}d to ${most}d`)
  .join(", ")}`;
