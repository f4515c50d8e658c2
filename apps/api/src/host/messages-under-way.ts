/**
 * The messages of requests that the signer is deciding, by what counts them. They are charged before they are committed, so
 * until then they count here: many requests at once must not ask for more than may be sent.
 */
export type MessagesUnderWay = {
  /**
   * Whether there is room for the messages of a request with these bytes, or of a vote on them, if one is under way:
   * they send the same.
   */
  find(request: string): Promise<void> | undefined;
  /** How many messages count by this key. */
  of(key: string): number;
  add(request: string, numbers: readonly HeldNumber[], room: Promise<void>): HeldMessages;
};

export type HeldNumber = { key: string; number: number };

export type HeldMessages = {
  /** They are charged, and count there. */
  charged(): void;
  /** The request has been handled. */
  end(): void;
};

export function createMessagesUnderWay(): MessagesUnderWay {
  const requests = new Map<string, Promise<void>>();
  const counts = new Map<string, number>();

  function change(key: string, number: number) {
    const count = (counts.get(key) ?? 0) + number;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  }

  return {
    find: (request) => requests.get(request),
    of: (key) => counts.get(key) ?? 0,
    add(request, numbers, room) {
      let counted = numbers;
      requests.set(request, room);
      for (const { key, number } of counted) change(key, number);
      function charged() {
        for (const { key, number } of counted) change(key, -number);
        counted = [];
      }
      return {
        charged,
        end() {
          charged();
          requests.delete(request);
        },
      };
    },
  };
}
