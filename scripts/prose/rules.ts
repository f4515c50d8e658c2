/** A word or a form that slows a reader down, and what to write instead. */
export type Rule = {
  name: string;
  pattern: RegExp;
  instead: string;
  /** Not for strings: clients may know the text of a message. */
  exceptMessages?: boolean;
};

/** Where a sentence may begin. */
const START = "(?:^|\\0|[.:;?!] )[\\s\"'“(*_>#-]*";
/** Some words of the same clause. */
const WORDS = "[^\\0.,:;?!()|]{0,90}?";
const MODAL = "can|could|may|must|should|will|would|shall";
const FINITE = `${MODAL}|cannot|has|is|are|need|needs|gets|finds|loses|owns|means|knows|rejects|adds`;

export const rules: readonly Rule[] = [
  rule("anew", "\\banew\\b", "again"),
  rule("of before", "\\bof before\\b", "earlier, previous, from before"),
  rule(
    "is told",
    "\\b(?:is|are|was|were|be|been) told(?= (?:as|at|before|by|in|once|only|to machines|to who|where|with|without)\\b|\\s*(?:[.,;]|\\0|$))",
    "is reported, is shown; or with the actor first: the API tells the client …",
  ),
  rule(
    "tells what",
    "\\btells (?:what|which|whether|why|how|when|where|of|nothing)\\b",
    "shows, says, reports",
  ),
  rule("an own", "\\b(?:an|the|no|some|any) own\\b(?! (?:\\w+ )?propert)", "its own, their own"),
  rule("one's own", "\\bone[’']s own\\b", "your own, their own, its own"),
  rule("but for", "(?<![,;]\\s*)\\b(?:but|save) for\\b", "except, except for"),
  rule("can be had", "\\b(?:can|cannot|could|may|to) be had\\b", "exists, is available"),
  rule(
    "archaic word",
    "\\b(?:(?:there|where|here)(?:of|in|by|upon|unto|with|to)|whence|thence|hence|hither|thither|whither|lest|albeit|upon|hitherto|henceforth|heretofore|naught|nought|whilst|amongst|whomsoever|whosoever|oft|anyhow)\\b",
    "the everyday word",
  ),
  rule("shall", "\\bshall\\b", "must, should, or the plain verb"),
  rule("for ever", "\\bfor ever\\b", "forever, always, permanently"),
  rule(
    "who does X can Y",
    `${START}who (?!(?:${MODAL}|am|do|does|did)\\b)(?!${WORDS} (?:what|whom|which|how|whose)\\b)[a-z]+${WORDS} (?:${FINITE})\\b${WORDS}(?![^\\0.]*\\?)`,
    "anyone who …, a user who …",
  ),
  rule(
    "who may X has Y",
    `${START}who (?:${MODAL}) (?!do what\\b)${WORDS} (?:has|can|cannot|may|must|gets|owns|adds|is)\\b`,
    "anyone who may …, a user who can …",
  ),
  rule(
    "for who",
    `\\b(?:for|to|by|from|with|against) who (?!(?:${MODAL}|is|are|was)\\b)`,
    "for anyone who …, to the user who …",
  ),
  rule("sentence with Whoever", `${START}whoever\\b`, "anyone who …"),
  rule(
    "not … any more",
    `(?:\\b(?:not|cannot|nothing|nobody|no|never)|n['’]t)\\b${WORDS} any more\\b(?! (?:of|than|[a-z]+s)\\b)`,
    "no longer",
  ),
  rule(
    "names no more",
    "\\b(?:names?|exists?|lives?|waits?|appl(?:y|ies)|them|it|him) no more\\b(?! (?:than|of)\\b)",
    "no longer …",
  ),
  rule(
    "a user … to itself",
    "\\b(?:user|voter|person)\\b[^\\0.,:;?!|]{0,30} to itself\\b",
    "themselves",
  ),
  rule("mend", "\\bmend(?:s|ed|ing)?\\b", "fix, correct"),
  rule("heed", "\\bheed(?:s|ed)?\\b", "respect, follow"),
  rule(
    "stands in",
    "\\b(?:stands?|stood) (?:in|on|at|beside|under|between|before|above|below|behind|to its)\\b(?! for\\b|\\s*[”\"'.,;\\0])",
    "is in, is next to, comes before",
  ),
  rule(
    "what it came to",
    "\\bwhat [a-z, ]{1,50}?(?:came|comes|come) to\\b(?! (?:be|an|the|life|mind)\\b)",
    "the outcome of …, the value of …",
  ),
  rule(
    "is let",
    "\\b(?:is|are|be|was|were) let\\b(?! (?:through|in|out)\\b)",
    "is ignored, is left alone, is dropped",
  ),
  rule(
    "is no X",
    "(?<!\\b(?:there|it) )\\b(?:is|are|was|were) no (?!longer|more|less|fewer|better|worse|different|other|doubt|need|such|way|point|reason|room|use|good|help|one|match|substitute|problem|matter)[a-z]+",
    "is not a …",
    { exceptMessages: true },
  ),
  rule(
    "what cannot X is Y",
    `${START}what (?:cannot|does not|do not|did not|is not|is no|are no|has no|has not|was not)\\b${WORDS} (?:is|are|was|has|have|stays|counts|denies|gets|errs|fails|must|can|cannot|may)\\b`,
    "the thing itself as the subject: a record that cannot be read is refused",
  ),
  rule(
    "inverted condition",
    `${START}(?:were|had|should) (?:it|they|he|she|this|that|a|an|the) [^\\0?.]{0,80}?,`,
    "if …",
  ),
  rule(
    "participle without a subject",
    `${START}(?:left out|sent again|read again),`,
    "if it is left out, …",
  ),
  rule("the one or the other", "\\bthe one (?:and|or) the other\\b", "either, both"),
  rule(
    "another … than",
    "\\banother (?:[a-z]+ ){1,2}than\\b",
    "a different … from, a … other than",
    { exceptMessages: true },
  ),
  rule("for want of", "\\bfor want of\\b", "without, because there is no"),
  rule("all else", "(?<!\\babove )\\ball else\\b", "everything else"),
  rule("such a one", "\\bsuch a one\\b|\\bmany an? [a-z]", "the everyday phrase"),
];

/** A row of a table with a cell that is filled up, or a rule that is longer than `---`. */
export const paddedTable: Rule = {
  name: "padded table",
  pattern: /^(?=[ \t]*\|)[^\n]*?(?:[^\s|] {2,}\||\| {2,}[^\s|]|\| ?:?-{4,}:? ?\|)/gm,
  instead: "| a | b |, with | --- | --- | under the head",
};

/** A blank stands for any white space, so that a line break hides nothing. */
function rule(
  name: string,
  source: string,
  instead: string,
  options: Pick<Rule, "exceptMessages"> = {},
): Rule {
  const spaced = source.replace(/ (?![^[\]]*\])/g, "\\s+");
  return { name, pattern: new RegExp(spaced, "gi"), instead, ...options };
}
