import {
  autocompletion,
  type CompletionSource,
  closeCompletion,
  completionKeymap,
  type Completion as EditorCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { Compartment, type Extension, StateEffect, StateField } from "@codemirror/state";
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
import { completionsAt, type KnownValues } from "@keyhearth/policy/advice/completion";
import { highlight } from "@keyhearth/policy/advice/highlighting";
import type { Clause } from "@keyhearth/policy/ast";

export type Mark = { start: number; end: number; tone: "wrong" | "warned" };

type Options = {
  /** The styles of the editor are adopted by this root, so that the page's policy need not allow style elements. */
  root: ShadowRoot;
  doc: string;
  clause: Clause;
  label: string;
  hint: string;
  knownValues: KnownValues;
  onChange: (doc: string) => void;
  onBlur: () => void;
};

/** An editor with colours, completion and undo. Tab leaves it, so that the keyboard never gets caught. */
export function openEditor(options: Options): EditorView {
  const { root, doc, clause, label, hint, knownValues, onChange, onBlur } = options;
  return new EditorView({
    root,
    parent: root,
    doc,
    extensions: [
      history(),
      keymap.of([leaving, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      EditorView.lineWrapping,
      // The text scrolls in its box, and so must be reached by the keyboard whatever a browser takes for editable.
      attributes.of(attributesOf(label, false)),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString());
        if (update.focusChanged && !update.view.hasFocus) onBlur();
      }),
      bracketMatching(),
      placeholder(hint),
      colours,
      marksField,
      autocompletion({
        override: [sourceOf(clause, knownValues)],
        icons: false,
        defaultKeymap: false,
      }),
      look,
    ],
  });
}

const attributes = new Compartment();

function attributesOf(label: string, isInvalid: boolean): Extension {
  return EditorView.contentAttributes.of({
    "aria-label": label,
    "aria-invalid": String(isInvalid),
    tabindex: "0",
    spellcheck: "false",
    autocapitalize: "off",
    autocorrect: "off",
  });
}

/** The list of completions does not keep the keyboard from the next field. */
const leaving: KeyBinding = {
  key: "Tab",
  shift: (view) => closeCompletion(view) && false,
  run: (view) => closeCompletion(view) && false,
};

/** Underlines parts of the text. */
export function showMarks(view: EditorView, label: string, marks: readonly Mark[]): void {
  const isInvalid = marks.some(({ tone }) => tone === "wrong");
  view.dispatch({
    effects: [setMarks.of(marks), attributes.reconfigure(attributesOf(label, isInvalid))],
  });
}

const setMarks = StateEffect.define<readonly Mark[]>();

const marksField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { changes, effects, newDoc }) {
    let next = shown.map(changes);
    for (const effect of effects) {
      if (!effect.is(setMarks)) continue;
      const ranges = effect.value.flatMap(({ start, end, tone }) => {
        const to = Math.min(newDoc.length, Math.max(end, start + 1));
        const from = Math.min(start, Math.max(0, to - 1));
        return to > from ? Decoration.mark({ class: `kh-${tone}` }).range(from, to) : [];
      });
      next = Decoration.set(ranges, true);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

type Notes = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What the site says about each field. Vite finds the file, because the compilers of the two sources differ. */
const [loadNotes] = Object.values(
  import.meta.glob<Notes>("../../../website/src/components/policies/field-notes.ts", {
    import: "fieldNotes",
  }),
);

/** Loaded with the first note that is shown. */
async function noteOf({ struct, field }: { struct: string; field: string }) {
  const note = (await loadNotes?.())?.[struct]?.[field];
  if (note === undefined) return null;
  const shown = document.createElement("span");
  shown.textContent = note.replaceAll("`", "");
  return shown;
}

function sourceOf(clause: Clause, knownValues: KnownValues): CompletionSource {
  return ({ state, pos, explicit }) => {
    const before = state.sliceDoc(0, pos);
    const found = completionsAt(clause, before, knownValues);
    // Without a letter, only what must have a name next: a dot, or a quote that opens a text.
    const begins = before.endsWith(".") || before.split("'").length % 2 === 0;
    if (!found || (found.from === pos && !explicit && !begins)) return null;
    return {
      from: found.from,
      validFor: /^[\w-]*$/,
      options: found.options.map(
        ({ label, insert, detail, of }): EditorCompletion => ({
          label,
          ...(insert !== undefined && { apply: insert }),
          ...(detail !== undefined && { detail }),
          ...(of && { info: () => noteOf(of) }),
        }),
      ),
    };
  };
}

const colours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = coloursOf(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged) this.decorations = coloursOf(update.view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

function coloursOf({ state: { doc } }: EditorView): DecorationSet {
  return Decoration.set(
    highlight(doc.toString()).map(({ start, end, kind }) =>
      Decoration.mark({ class: `kh-${kind}` }).range(start, end),
    ),
  );
}

/** The colours are variables of the page, so that they change with its theme. */
const look = EditorView.theme({
  "&": {
    color: "var(--kh-code)",
    backgroundColor: "var(--kh-sunken)",
    border: "1px solid var(--kh-line-strong)",
    borderRadius: "var(--kh-radius-small)",
    fontSize: "0.875rem",
  },
  "&.cm-focused": { outline: "3px solid var(--kh-ember)", outlineOffset: "1px" },
  ".cm-scroller": {
    fontFamily: "var(--ifm-font-family-monospace)",
    fontVariantLigatures: "none",
    lineHeight: "1.6",
    maxHeight: "22rem",
  },
  ".cm-content": { padding: "0.55rem 0", caretColor: "var(--kh-ink)" },
  ".cm-line": { padding: "0 0.75rem" },
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
    textDecoration: "underline wavy var(--danger)",
    textUnderlineOffset: "0.2em",
  },
  ".kh-warned": {
    textDecoration: "underline dotted var(--warning)",
    textDecorationThickness: "2px",
    textUnderlineOffset: "0.2em",
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
  ".cm-tooltip.cm-completionInfo": {
    maxWidth: "min(20rem, 80vw)",
    padding: "0.4rem 0.6rem",
    fontSize: "0.82rem",
  },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.85" },
  ".cm-completionMatchedText": { fontWeight: "700", textDecoration: "none" },
});
