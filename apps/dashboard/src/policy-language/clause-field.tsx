import type { EditorView } from "@codemirror/view";
import type { KnownValues } from "@keyhearth/policy/advice/completion";
import type { Clause } from "@keyhearth/policy/ast";
import { useEffect, useId, useRef, useState } from "react";
import { Loading } from "../ui/states.tsx";
import type { Mark } from "./editor.ts";
import "./language.css";

type Props = {
  label: string;
  hint: string;
  placeholder: string;
  clause: Clause;
  value: string;
  /** What is wrong with the whole field, such as what the service says. */
  error?: string | undefined;
  marks: readonly (Mark & { message: string })[];
  knownValues: KnownValues;
  onChange: (value: string) => void;
  onBlur: () => void;
  /** What a form focuses if something is wrong with the field. */
  focusRef?: (field: { focus: () => void } | null) => void;
};

/** A labelled editor of a clause, with what is wrong with it and what it may not mean. It is loaded when it is used. */
export function ClauseField(props: Props) {
  const { label, hint, clause, value, error, marks } = props;
  const id = useId();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const latest = useRef(props);
  const [loaded, setLoaded] =
    useState<Pick<typeof import("./editor.ts"), "openEditor" | "showMarks">>();
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    let isCurrent = true;
    void import("./editor.ts").then(({ openEditor, showMarks }) => {
      if (isCurrent) setLoaded({ openEditor, showMarks });
    });
    return () => {
      isCurrent = false;
    };
  }, []);
  useEffect(() => {
    if (!loaded || !host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const view = loaded.openEditor({
      root,
      doc: latest.current.value,
      clause,
      label: latest.current.label,
      hint: latest.current.placeholder,
      knownValues: (subject) => latest.current.knownValues(subject),
      onChange: (doc) => latest.current.onChange(doc),
      onBlur: () => latest.current.onBlur(),
    });
    editor.current = view;
    latest.current.focusRef?.({ focus: () => view.focus() });
    return () => {
      latest.current.focusRef?.(null);
      view.destroy();
    };
  }, [loaded, clause]);
  useEffect(() => {
    const view = editor.current;
    if (!view || !loaded || view.state.doc.toString() === value) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  }, [value, loaded]);
  useEffect(() => {
    if (editor.current && loaded) loaded.showMarks(editor.current, label, marks);
  }, [marks, label, loaded]);
  return (
    <div className="field">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the editor has the role; a press on its label goes there */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the editor can be reached by Tab */}
      <span className="field-label" onClick={() => editor.current?.focus()}>
        {label} <span className="faint">(optional)</span>
      </span>
      <div ref={host} className="clause-editor" hidden={!loaded} />
      {!loaded && <Loading what="the editor" lines={2} />}
      <span className="field-hint">{hint}</span>
      <div id={`${id}-problems`} aria-live="polite" className="stack-small">
        {error !== undefined && <span className="field-error">{error}</span>}
        {marks.map(({ tone, message }) => (
          <span
            key={`${tone} ${message}`}
            className={tone === "wrong" ? "field-error" : "field-warning"}
          >
            {message}
          </span>
        ))}
      </div>
    </div>
  );
}
