import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";
import { findBrowser } from "../setup/tools.mjs";

export type Measured = {
  performance: number;
  accessibility: number;
  bestPractices: number;
  seo: number;
  firstPaintMs: number;
  /** When the largest text or picture was there. */
  largestPaintMs: number;
  layoutShift: number;
  /** How long the main thread could not answer while the page loaded, in milliseconds. */
  blockedMs: number;
  thirdPartyRequests: number;
};

export type Visit = {
  url: string;
  /** What is done with the browser before, by the port of its developer tools. What it has loaded by then is not kept. */
  prepare?: (port: number) => Promise<void>;
};

const chromeFlags = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/**
 * Measures pages several times with Lighthouse's defaults, which simulate a slow phone, and in turns, so
 * that a machine that slows down in between slows all of them. Returns for each page the median of each
 * number, but the most third-party requests of any run.
 */
export async function measure(visits: readonly Visit[], runs: number): Promise<Measured[]> {
  const all: Measured[][] = visits.map(() => []);
  for (let run = 0; run < runs; run++) {
    for (const [index, visit] of visits.entries())
      all[index]?.push(await measureOnceMore(visit, 3));
  }
  return all.map(summaryOf);
}

function summaryOf(all: readonly Measured[]): Measured {
  const medianOf = (key: keyof Measured) => median(all.map((each) => each[key]));
  return {
    performance: medianOf("performance"),
    accessibility: medianOf("accessibility"),
    bestPractices: medianOf("bestPractices"),
    seo: medianOf("seo"),
    firstPaintMs: medianOf("firstPaintMs"),
    largestPaintMs: medianOf("largestPaintMs"),
    layoutShift: medianOf("layoutShift"),
    blockedMs: medianOf("blockedMs"),
    thirdPartyRequests: Math.max(...all.map((each) => each.thirdPartyRequests)),
  };
}

/** Now and then the browser records no trace. Lighthouse says then to run it again. */
async function measureOnceMore(visit: Visit, attempts: number): Promise<Measured> {
  try {
    return await measureOnce(visit);
  } catch (error) {
    if (attempts === 1) throw error;
    return measureOnceMore(visit, attempts - 1);
  }
}

async function measureOnce({ url, prepare }: Visit): Promise<Measured> {
  const chrome = await launch({ chromePath: findBrowser(), chromeFlags, logLevel: "silent" });
  try {
    await prepare?.(chrome.port);
    const run = await lighthouse(url, { port: chrome.port, logLevel: "silent" });
    if (!run) throw new Error(`Lighthouse did not measure ${url}`);
    const { categories, audits, runtimeError } = run.lhr;
    if (runtimeError) throw new Error(`Lighthouse: ${url}: ${runtimeError.message}`);
    const score = (id: string) => Math.round((categories[id]?.score ?? 0) * 100);
    const value = (id: string) => audits[id]?.numericValue ?? Number.POSITIVE_INFINITY;
    return {
      performance: score("performance"),
      accessibility: score("accessibility"),
      bestPractices: score("best-practices"),
      seo: score("seo"),
      firstPaintMs: value("first-contentful-paint"),
      largestPaintMs: value("largest-contentful-paint"),
      layoutShift: value("cumulative-layout-shift"),
      blockedMs: value("total-blocking-time"),
      thirdPartyRequests: requestsElsewhere(audits["network-requests"]?.details, url),
    };
  } finally {
    chrome.kill();
  }
}

function requestsElsewhere(details: unknown, url: string): number {
  // Lighthouse types the details of an audit loosely; this one lists requests.
  const { items = [] } = (details ?? {}) as { items?: { url?: string }[] };
  const { origin } = new URL(url);
  const isElsewhere = (target: string) =>
    /^(https?|wss?):/.test(target) && !target.startsWith(origin);
  return items.filter((item) => isElsewhere(item.url ?? "")).length;
}

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
