import { createContext } from "react";

/** Which entries readers want to see. Without words and with an empty status: all. */
export const ErrorFilterContext = createContext<{ words: string[]; status: string }>({
  words: [],
  status: "",
});

/** The anchor of an entry, as the API's errors link to it. */
export function anchorOf(code: string): string {
  return code.toLowerCase().replaceAll("_", "-");
}
