import type { EditorView } from "@codemirror/view";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { type Language, openEditor, showProblem } from "./code-editor.ts";
import styles from "./PolicyBench.module.css";

type Props = {
  label: ReactNode;
  language: Language;
  value: string;
  hint?: string;
  onChange: (value: string) => void;
  /** What is wrong, and the part of the text, if it is known. */
  problem?: { message: ReactNode; start?: number; end?: number } | undefined;
};

/** A labelled editor, and what is wrong with its text. */
export function CodeField({ label, language, value, hint = "", onChange, problem }: Props) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const latest = useRef({ onChange, value, hint });
  useEffect(() => {
    latest.current = { onChange, value, hint };
  });
  useEffect(() => {
    if (!box.current) return;
    const view = openEditor({
      parent: box.current,
      doc: latest.current.value,
      language,
      labelledBy: `${id}-label`,
      describedBy: `${id}-problem`,
      hint: latest.current.hint,
      onChange: (doc) => latest.current.onChange(doc),
    });
    editor.current = view;
    return () => view.destroy();
  }, [id, language]);
  useEffect(() => {
    const view = editor.current;
    if (!view || view.state.doc.toString() === value) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  }, [value]);
  const { start, end } = problem ?? {};
  useEffect(() => {
    if (!editor.current) return;
    showProblem(editor.current, start === undefined ? null : { start, end: end ?? start });
  }, [start, end]);
  return (
    <div className={styles.code}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the editor has the role; a press on its label goes there */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the editor can be reached by Tab */}
      <span id={`${id}-label`} className={styles.label} onClick={() => editor.current?.focus()}>
        {label}
      </span>
      <div ref={box} />
      <div id={`${id}-problem`} aria-live="polite">
        {problem && <p className={styles.fault}>{problem.message}</p>}
      </div>
    </div>
  );
}
