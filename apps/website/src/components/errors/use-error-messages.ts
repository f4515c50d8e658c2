import { useCallback, useState } from "react";

type Messages = Readonly<Record<string, readonly string[]>>;

const NONE: Messages = {};

/** The product's messages. They are as large as a page, so they are loaded for readers who search. */
export function useErrorMessages(): { messages: Messages; load: () => void } {
  const [messages, setMessages] = useState(NONE);
  const load = useCallback(() => {
    void import("./generated/error-messages.ts").then(({ errorMessages }) =>
      setMessages(errorMessages),
    );
  }, []);
  return { messages, load };
}
