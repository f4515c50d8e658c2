import { startSentences } from "./generated/start-sentences.ts";

/** Every sentence with which a process refuses to start, as it prints them. */
export function StartSentences() {
  return (
    <ul>
      {startSentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
