import { createContext } from "react";

/** Which entries readers want to see. Without words and with an empty status: all. */
export const ErrorFilterContext = createContext<{
  words: string[];
  status: string;
  /** The messages of each code, once they are loaded. */
  messages: Readonly<Record<string, readonly string[]>>;
}>({ words: [], status: "", messages: {} });

/** What readers search in an entry: its code, what the page says, and the messages that come with it. */
export function searchedText(code: string, text: string, messages: readonly string[] = []): string {
  return [code, text, ...messages].join(" ").replaceAll("`", "");
}

/** The anchor of an entry, as the API's errors link to it. */
export function anchorOf(code: string): string {
  return code.toLowerCase().replaceAll("_", "-");
}
