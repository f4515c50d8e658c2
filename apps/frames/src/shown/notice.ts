import { isAlone } from "../channel/place.ts";
import { elementOf } from "./element.ts";
import { markLanguage, words } from "./words.ts";

/** Somebody who opens the page by itself reads what it is for. Returns whether that is so. */
export function showNoticeIfAlone(page: "auth" | "export" | "import" | "sign"): boolean {
  markLanguage();
  if (!isAlone()) return false;
  elementOf("purpose", HTMLElement).textContent = words[page];
  elementOf("notice", HTMLElement).hidden = false;
  return true;
}
