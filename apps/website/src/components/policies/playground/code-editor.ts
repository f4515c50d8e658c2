import {
  autocompletion,
  type CompletionSource,
  closeCompletion,
  completionKeymap,
  type Completion as EditorCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { type Extension, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  type KeyBinding,
  keymap,
  placeholder,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { completionsAt } from "@keyhearth/policy/advice/completion";
import { highlight } from "@keyhearth/policy/advice/highlighting";
import type { Clause } from "@keyhearth/policy/ast";
import { fieldNotes } from "../field-notes.ts";

/** What an editor shows: a clause of the policy language, or JSON. */
export type Language = Clause | "json";

type Options = {
  parent: HTMLElement;
  doc: string;
  language: Language;
  /** For screen readers: what the label says, and what describes a problem. */
  labelledBy: string;
  describedBy: string;
  hint: string;
  onChange: (doc: string) => void;
};

/** An editor with colours, completion and undo. Tab leaves it, so that the keyboard never gets caught. */
export function openEditor(options: Options): EditorView {
  const { parent, doc, language, labelledBy, describedBy, hint, onChange } = options;
  return new EditorView({
    parent,
    doc,
    extensions: [
      history(),
      keymap.of([leaving, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        "aria-labelledby": labelledBy,
        "aria-describedby": describedBy,
        // The text scrolls in its box, and so must be reached by the keyboard whatever a browser takes for editable.
        tabindex: "0",
        spellcheck: "false",
        autocapitalize: "off",
        autocorrect: "off",
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString());
      }),
      bracketMatching(),
      placeholder(hint),
      highlighter(language === "json" ? highlightJson : highlight),
      problemField,
      language === "json"
        ? []
        : autocompletion({ override: [sourceOf(language)], icons: false, defaultKeymap: false }),
      look,
    ],
  });
}

/** The list of completions does not keep the keyboard from the next field. */
const leaving: KeyBinding = {
  key: "Tab",
  shift: (view) => closeCompletion(view) && false,
  run: (view) => closeCompletion(view) && false,
};

/** Underlines a part of the text, or nothing. */
export function showProblem(view: EditorView, problem: { start: number; end: number } | null) {
  view.dispatch({ effects: setProblem.of(problem) });
}

const setProblem = StateEffect.define<{ start: number; end: number } | null>();

const problemField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { changes, effects, newDoc }) {
    let next = marks.map(changes);
    for (const effect of effects) {
      if (!effect.is(setProblem)) continue;
      const { start = 0, end = 0 } = effect.value ?? {};
      const to = Math.min(newDoc.length, Math.max(end, start + 1));
      const from = Math.min(start, Math.max(0, to - 1));
      next = effect.value && to > from ? Decoration.set(wrong.range(from, to)) : Decoration.none;
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const wrong = Decoration.mark({ class: "kh-wrong" });

function sourceOf(clause: Clause): CompletionSource {
  return ({ state, pos, explicit }) => {
    const before = state.sliceDoc(0, pos);
    const found = completionsAt(clause, before);
    // Without a letter, only what must have a name next: a dot, or a quote that opens a text.
    const begins = before.endsWith(".") || before.split("'").length % 2 === 0;
    if (!found || (found.from === pos && !explicit && !begins)) return null;
    return {
      from: found.from,
      validFor: /^\w*$/,
      options: found.options.map(({ label, insert, detail, of }): EditorCompletion => {
        const note = of && notes[of.struct]?.[of.field]?.replaceAll("`", "");
        return {
          label,
          ...(insert !== undefined && { apply: insert }),
          ...(detail !== undefined && { detail }),
          ...(note && { info: note }),
        };
      }),
    };
  };
}

const notes: Record<string, Record<string, string>> = fieldNotes;

type Coloured = { start: number; end: number; kind: string };

function highlightJson(source: string): Coloured[] {
  const pattern = /("(?:[^"\\\n]|\\.)*"?)(\s*:)?|(-?\b\d[\d.eE+-]*)|\b(true|false|null)\b/g;
  return [...source.matchAll(pattern)].map((match) => {
    const [whole, string, colon, number] = match;
    const place = { start: match.index, end: match.index + whole.length };
    if (string !== undefined) return { ...place, kind: colon === undefined ? "string" : "name" };
    return { ...place, kind: number === undefined ? "keyword" : "number" };
  });
}

function highlighter(colour: (source: string) => readonly Coloured[]): Extension {
  const decorate = ({ state: { doc } }: EditorView) =>
    Decoration.set(
      colour(doc.toString()).map(({ start, end, kind }) =>
        Decoration.mark({ class: `kh-${kind}` }).range(start, end),
      ),
    );
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = decorate(view);
      }
      update(update: ViewUpdate) {
        if (update.docChanged) this.decorations = decorate(update.view);
      }
    },
    { decorations: ({ decorations }) => decorations },
  );
}

/** The colours are variables of the page, so that they change with its theme. */
const look = EditorView.theme({
  "&": {
    color: "var(--kh-code)",
    backgroundColor: "var(--kh-sunken)",
    border: "1px solid var(--kh-line-strong)",
    borderRadius: "var(--kh-radius-small)",
    fontSize: "0.85rem",
  },
  "&.cm-focused": { outline: "2px solid var(--kh-ember)", outlineOffset: "1px" },
  ".cm-scroller": {
    fontFamily: "var(--ifm-font-family-monospace)",
    lineHeight: "1.55",
    maxHeight: "26rem",
  },
  ".cm-content": { padding: "0.5rem 0", caretColor: "var(--kh-ink)" },
  ".cm-line": { padding: "0 0.7rem" },
  ".cm-placeholder": { color: "var(--kh-ink-faint)", fontFamily: "var(--ifm-font-family-base)" },
  ".cm-cursor": { borderLeftColor: "var(--kh-ink)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--kh-ember-wash)" },
  ".kh-string": { color: "var(--kh-code-string)" },
  ".kh-number": { color: "var(--kh-code-number)" },
  ".kh-function": { color: "var(--kh-code-function)" },
  ".kh-keyword": { color: "var(--kh-code-keyword)" },
  ".kh-name": { color: "var(--kh-code-property)" },
  ".kh-punctuation": { color: "var(--kh-code-punctuation)" },
  ".kh-wrong": {
    textDecoration: "underline wavy var(--kh-ember)",
    textUnderlineOffset: "0.2em",
    backgroundColor: "var(--kh-ember-wash)",
  },
  ".cm-tooltip": {
    color: "var(--kh-ink)",
    backgroundColor: "var(--kh-raised)",
    border: "1px solid var(--kh-line-strong)",
    borderRadius: "var(--kh-radius-small)",
    overflow: "hidden",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--ifm-font-family-monospace)",
    fontSize: "0.82rem",
    maxHeight: "14rem",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "0.2rem 0.6rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    color: "var(--kh-on-ember)",
    backgroundColor: "var(--kh-ember)",
  },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.85" },
  ".cm-completionMatchedText": { fontWeight: "700", textDecoration: "none" },
  "@media (max-width: 600px)": { ".cm-completionInfo": { display: "none" } },
  ".cm-completionInfo": { padding: "0.5rem 0.7rem", fontSize: "0.82rem", maxWidth: "18rem" },
});
