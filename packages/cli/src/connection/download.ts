import { Unavailable, UnexpectedAnswer } from "@keyhearth/sdk";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";

/** Far more than a service offers. */
const MAX_BYTES = 32 * 1024 * 1024;

/** A file that the service offers to everyone. Throws as the SDK does if there is no service. */
export async function download(url: string, path: string): Promise<Uint8Array> {
  const address = url.replace(/(\/public\/v1)?\/*$/, "") + path;
  let response: Response;
  try {
    // A redirect would decide whose file this is.
    response = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(60_000) });
  } catch (cause) {
    throw new Unavailable("unreachable", { code: "NETWORK", cause });
  }
  if (response.status === 404) {
    await response.body?.cancel();
    throw new InputError(
      `${plain(address)} is not there: the emulator and a service in a clone have no packages. Start the service of the package keyhearth, or run \`npm run packages\` in the clone`,
    );
  }
  if (!response.ok) throw new UnexpectedAnswer("no file", { code: "INVALID_RESPONSE" });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new UnexpectedAnswer("too long", { code: "INVALID_RESPONSE" });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
