/** Why a collector did not take what was sent: a status or a code. The text of an answer is the collector's. */
export function collectorFailure(error: Error | undefined): string {
  const code = error && "code" in error ? error.code : undefined;
  if (typeof code === "number") return `the collector answered ${code}`;
  return typeof code === "string" ? code : "no answer in time";
}
