/** In place of the messages of a language, because each module has its own: see `messages.mts`. */
export default function noMessages(): string {
  return "{}";
}
