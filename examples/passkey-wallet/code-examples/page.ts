import type { SessionKeeperOptions } from "@keyhearth/sdk/browser";

// What the pages of the examples share.

/** The server knows where the service is, which organization is yours, and the pinned keys. */
export async function config(): Promise<SessionKeeperOptions & { signerPublicKey: string }> {
  const answer = await fetch("/config");
  return answer.json();
}

/** Asks your server, and throws what it answers if it refuses. */
export async function post<Answer>(path: string, body: object): Promise<Answer> {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const content = await answer.json();
  if (!answer.ok) throw new Error(content.error ?? `the server answered ${answer.status}`);
  return content;
}

/** Shows one more line on the page. */
export function log(line: string): void {
  document.querySelector("pre")?.append(`${line}\n`);
}

/** Runs one thing at a time, and shows why it failed. */
export function onClick(id: string, work: () => Promise<void>): void {
  const button = document.querySelector<HTMLButtonElement>(`#${id}`);
  button?.addEventListener("click", async () => {
    button.disabled = true;
    await work().catch((error) => log(`${error.name}: ${error.message}`));
    button.disabled = false;
  });
}

/** What people typed. */
export function typed(id: string): string {
  return document.querySelector<HTMLInputElement>(`#${id}`)?.value ?? "";
}
