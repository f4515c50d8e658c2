import { translate } from "@docusaurus/Translate";

/** What is wrong with a text that should be JSON, by the codes of `jsonc-parser`. */
export const syntax: Record<string, string> = {
  InvalidSymbol: translate({
    id: "tryIt.json.symbol",
    message: "this word is not a value of JSON",
  }),
  InvalidNumberFormat: translate({ id: "tryIt.json.number", message: "this is not a number" }),
  PropertyNameExpected: translate({
    id: "tryIt.json.name",
    message: "a name in double quotes must come here, so remove a last comma or add a field",
  }),
  ValueExpected: translate({
    id: "tryIt.json.value",
    message: "a value must come here, so remove a last comma or add it",
  }),
  ColonExpected: translate({ id: "tryIt.json.colon", message: "a colon is missing before this" }),
  CommaExpected: translate({ id: "tryIt.json.comma", message: "a comma is missing before this" }),
  CloseBraceExpected: translate({ id: "tryIt.json.brace", message: "a closing } is missing" }),
  CloseBracketExpected: translate({ id: "tryIt.json.bracket", message: "a closing ] is missing" }),
  EndOfFileExpected: translate({
    id: "tryIt.json.end",
    message: "nothing may follow the object, so remove this",
  }),
  InvalidCommentToken: translate({
    id: "tryIt.json.comment",
    message: "JSON has no comments, so remove this",
  }),
  UnexpectedEndOfString: translate({
    id: "tryIt.json.quote",
    message: "the text is not closed by a double quote",
  }),
  UnexpectedEndOfComment: translate({
    id: "tryIt.json.comment",
    message: "JSON has no comments, so remove this",
  }),
  UnexpectedEndOfNumber: translate({ id: "tryIt.json.number", message: "this is not a number" }),
};
