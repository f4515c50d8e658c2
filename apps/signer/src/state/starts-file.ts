import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import type { CoreEvent } from "@keyhearth/engine/core/core";
import { readStateFile } from "@keyhearth/outbound/state-file";
import { attempt } from "./disk.ts";
import { replaceDurably } from "./durable-file.ts";
import { hasFile } from "./state-files.ts";

/**
 * Counts this start in a file, and logs it: a start ends the counts of attempts at one-time codes, so operators
 * have to see it (decision 14). The file holds one number. Nothing is decided by it, so a file that is damaged or
 * cannot be written is logged and stops nothing. A standby counts when it begins to decide.
 */
export function countStart(
  path: string,
  log: (event: CoreEvent) => void,
  { isStandby = false } = {},
): number {
  let counted = 0;
  const damage = attempt(() => {
    if (hasFile(path)) counted = parse(readStateFile(path).toString("utf8"));
  });
  if (damage)
    log({ event: "the count of starts is damaged and begins again", path, cause: damage });
  if (isStandby) return counted;
  const starts = counted + 1;
  const failure = attempt(() => replaceDurably(path, encodeUtf8(`${starts}\n`)));
  if (failure) log({ event: "the start was not counted", path, cause: failure });
  log({ event: "signer started", starts });
  return starts;
}

function parse(text: string): number {
  const count = /^[0-9]{1,15}\n?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(count)) throw new Error("it does not hold a number");
  return count;
}
