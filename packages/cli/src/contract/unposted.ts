import type { Stamper } from "@keyhearth/sdk";
import { shellWord } from "../connection/own-folder.ts";
import { plainLines, type Report } from "../output.ts";

/** A request that is stamped and not sent: its bytes, its stamp, and a command that sends it. */
export async function unposted(
  { url, stamper }: { url: string; stamper: Stamper },
  path: string,
  body: string,
): Promise<Report> {
  const header = await stamper.stamp(body);
  const address = url.replace(/(\/public\/v1)?\/*$/, "") + path;
  const curl = [
    `curl ${shellWord(address)}`,
    `  -H 'Content-Type: application/json'`,
    `  -H ${shellWord(`${header.name}: ${header.value}`)}`,
    `  --data-raw ${shellWord(body)}`,
  ].join(" \\\n");
  return {
    exitCode: 0,
    json: { url: address, body, header, curl },
    text: (paint) =>
      [
        paint("dim", "body"),
        body,
        "",
        paint("dim", header.name),
        header.value,
        "",
        paint("dim", "curl"),
        curl,
        ...(plainLines(body) === body
          ? []
          : ["", "the body has characters that are shown as escapes: take it from --json"]),
      ].join("\n"),
  };
}
