/** How long a stop waits for what is still to be sent to a collector. */
const LAST_SEND_MS = 2000;

/** Resolves when it is sent, or cannot be, or takes too long. */
export async function lastSend(sending: Promise<unknown>): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, LAST_SEND_MS).unref());
  await Promise.race([sending.catch(() => {}), late]);
}
