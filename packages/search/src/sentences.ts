/** A sentence of a section, or a row of one of its tables. */
export type Sentence = {
  text: string;
  /** Which paragraph, item or row it is in. */
  line: number;
  /** Of a table, or a sentence that says something, and no label or caption. */
  kind: "row" | "sentence" | "label";
};

/** Where a sentence ends: after its mark and what closes with it, and before what begins the next one. */
const END = /(?<=[.!?…]["”’)]?)\s+(?=["“‘(¿¡`]?[\p{Lu}\p{N}_/`])/u;

/** What ends like one, and does not only announce what is below it. */
const WHOLE = /[.!?…]["”’)]?$/;

/** After these, a capital goes on with the sentence. */
const SHORT = /(^|[\s(])(e\.g|i\.e|p\. ej|etc|vs|No|Nr|approx|EE|UU)\.$/;

/** The content of a section as sentences. */
export function sentencesOf(content: string): Sentence[] {
  return content.split("\n").flatMap((text, line): Sentence[] => {
    if (text === "") return [];
    if (text.includes("\t")) return [{ text: cellsOf(text), line, kind: "row" }];
    return split(text).map((each) => {
      return { text: each, line, kind: WHOLE.test(each) ? "sentence" : "label" };
    });
  });
}

function split(text: string): string[] {
  const sentences: string[] = [];
  for (const part of text.split(END)) {
    const last = sentences.at(-1);
    if (last !== undefined && SHORT.test(last)) sentences[sentences.length - 1] = `${last} ${part}`;
    else sentences.push(part);
  }
  return sentences;
}

/** The first cell says what the row is about. */
function cellsOf(row: string): string {
  const [name = "", ...cells] = row.split("\t").filter(Boolean);
  return cells.length === 0 ? name : `${name}: ${cells.join(" · ")}`;
}
