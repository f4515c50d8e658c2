// One sheet for all components. Each rule begins with the class of the kit, and each value that a theme may change is a
// variable that inherits, so an app sets it wherever it likes.

/** What a theme may set, without the prefix `--keyhearth-`. */
export type KitTheme = Partial<
  Record<
    | "accent"
    | "accent-text"
    | "background"
    | "border"
    | "danger"
    | "field"
    | "focus"
    | "font"
    | "muted"
    | "mono"
    | "radius"
    | "success"
    | "text"
    | "warning"
    | "warning-background",
    string
  >
>;

/** The sheet as text, for pages that serve it themselves: then give the kit `styles={false}`. */
export const kitStyles = `.keyhearth{
--_accent:var(--keyhearth-accent,light-dark(#8a3b12,#f0a878));
--_accent-text:var(--keyhearth-accent-text,light-dark(#fff,#22130a));
--_background:var(--keyhearth-background,light-dark(#fff,#1b1a18));
--_border:var(--keyhearth-border,light-dark(#8b857c,#7d766c));
--_danger:var(--keyhearth-danger,light-dark(#a8201a,#ff9d94));
--_field:var(--keyhearth-field,light-dark(#fff,#131210));
--_focus:var(--keyhearth-focus,light-dark(#1d5fd1,#8db8ff));
--_font:var(--keyhearth-font,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif);
--_mono:var(--keyhearth-mono,ui-monospace,SFMono-Regular,Menlo,Consolas,monospace);
--_muted:var(--keyhearth-muted,light-dark(#5c564d,#b5aea3));
--_radius:var(--keyhearth-radius,10px);
--_success:var(--keyhearth-success,light-dark(#1c6b39,#86d9a2));
--_text:var(--keyhearth-text,light-dark(#1f1c18,#f2efe9));
--_warning:var(--keyhearth-warning,light-dark(#6d4500,#f3c87b));
--_warning-background:var(--keyhearth-warning-background,light-dark(#fdf3df,#33270f));
color-scheme:light dark;container:keyhearth/inline-size;box-sizing:border-box;inline-size:100%;max-inline-size:26rem;padding:1.5rem;
border:1px solid color-mix(in srgb,var(--_border) 45%,transparent);border-radius:calc(var(--_radius)*1.4);
background:var(--_background);color:var(--_text);font:400 1rem/1.5 var(--_font);text-align:start;text-wrap:pretty}
.keyhearth[data-keyhearth-theme=light],[data-keyhearth-theme=light] .keyhearth:not([data-keyhearth-theme]){color-scheme:light}
.keyhearth[data-keyhearth-theme=dark],[data-keyhearth-theme=dark] .keyhearth:not([data-keyhearth-theme]){color-scheme:dark}
.keyhearth *,.keyhearth ::before{box-sizing:border-box}
.keyhearth .keyhearth-head{display:flex;align-items:start;gap:.75rem;margin:0 0 1rem}
.keyhearth .keyhearth-title{flex:1;margin:0;padding:0;border:0;color:inherit;font:600 1.25rem/1.3 var(--_font);outline:0;text-wrap:balance}
.keyhearth .keyhearth-stack{display:flex;flex-direction:column;gap:.75rem;margin:0}
.keyhearth .keyhearth-text{margin:0}
.keyhearth .keyhearth-muted{margin:0;color:var(--_muted);font-size:.875rem}
.keyhearth .keyhearth-field{display:flex;flex-direction:column;gap:.35rem}
.keyhearth .keyhearth-label{color:inherit;font-size:.875rem;font-weight:600}
.keyhearth .keyhearth-input{inline-size:100%;min-block-size:2.75rem;margin:0;padding:.5rem .75rem;border:1px solid var(--_border);
border-radius:var(--_radius);background:var(--_field);color:var(--_text);font:inherit;text-overflow:ellipsis}
.keyhearth .keyhearth-input[aria-invalid=true]{border-color:var(--_danger)}
.keyhearth .keyhearth-code{font-family:var(--_mono);font-size:1.375rem;letter-spacing:.3em;text-align:center}
.keyhearth .keyhearth-button{display:inline-flex;align-items:center;justify-content:center;gap:.6rem;inline-size:100%;
min-block-size:2.75rem;margin:0;padding:.5rem 1rem;border:1px solid var(--_border);border-radius:var(--_radius);
background:transparent;color:var(--_text);font:600 1rem/1.25 var(--_font);cursor:pointer;text-align:center}
.keyhearth .keyhearth-button:hover:not([aria-disabled=true]){background:color-mix(in srgb,var(--_text) 7%,transparent)}
.keyhearth .keyhearth-primary{border-color:var(--_accent);background:var(--_accent);color:var(--_accent-text)}
.keyhearth .keyhearth-primary:hover:not([aria-disabled=true]){background:color-mix(in srgb,var(--_accent) 88%,var(--_text))}
.keyhearth .keyhearth-button[aria-disabled=true]{cursor:default}
.keyhearth .keyhearth-button[aria-disabled=true]:not([data-busy]){border-color:transparent;
background:color-mix(in srgb,var(--_text) 9%,transparent);color:var(--_muted)}
.keyhearth .keyhearth-link{inline-size:auto;min-block-size:1.75rem;padding:.15rem .1rem;border:0;background:none;color:var(--_accent);
font:600 .9375rem/1.3 var(--_font);text-decoration:underline;text-underline-offset:.2em;cursor:pointer}
.keyhearth .keyhearth-link[aria-disabled=true]{background:none!important;color:var(--_muted);text-decoration:none}
.keyhearth .keyhearth-row{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.5rem 1rem}
.keyhearth .keyhearth-x{display:grid;place-items:center;inline-size:2rem;block-size:2rem;margin:-.2rem -.4rem 0 0;padding:0;border:0;
border-radius:var(--_radius);background:none;color:var(--_muted);font:400 1.4rem/1 var(--_font);cursor:pointer}
.keyhearth .keyhearth-x:hover{background:color-mix(in srgb,var(--_text) 7%,transparent)}
.keyhearth :is(button,input,select,a,summary,pre,[tabindex="0"]):focus-visible{outline:3px solid var(--_focus);outline-offset:2px}
.keyhearth .keyhearth-or{display:flex;align-items:center;gap:.75rem;margin:0;color:var(--_muted);font-size:.875rem}
.keyhearth .keyhearth-or::before,.keyhearth .keyhearth-or::after{flex:1;border-block-start:1px solid color-mix(in srgb,var(--_border) 55%,transparent);content:""}
.keyhearth .keyhearth-problem,.keyhearth .keyhearth-good,.keyhearth .keyhearth-warning{margin:0;padding:.65rem .8rem;border-radius:var(--_radius);font-size:.9375rem}
.keyhearth .keyhearth-problem{background:color-mix(in srgb,var(--_danger) 9%,transparent);color:var(--_danger)}
.keyhearth .keyhearth-good{background:color-mix(in srgb,var(--_success) 10%,transparent);color:var(--_success)}
.keyhearth .keyhearth-warning{background:var(--_warning-background);color:var(--_warning)}
.keyhearth .keyhearth-center{text-align:center}
.keyhearth .keyhearth-wrong{margin:0;color:var(--_danger);font-size:.875rem}
.keyhearth .keyhearth-waiting{display:flex;align-items:center;gap:.6rem}
.keyhearth .keyhearth-terms{color:inherit}
.keyhearth .keyhearth-live:empty{display:none}
.keyhearth .keyhearth-only-read{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.keyhearth .keyhearth-spin{flex:none;inline-size:1em;block-size:1em;border:2px solid currentColor;border-inline-end-color:transparent;
border-radius:50%;animation:keyhearth-spin .8s linear infinite}
@keyframes keyhearth-spin{to{transform:rotate(1turn)}}
@media (prefers-reduced-motion:reduce){.keyhearth .keyhearth-spin{animation-duration:4s}}
.keyhearth .keyhearth-check{display:flex;align-items:start;gap:.6rem;font-size:.9375rem}
.keyhearth .keyhearth-check input{flex:none;inline-size:1.15rem;block-size:1.15rem;margin:.15rem 0 0;accent-color:var(--_accent)}
.keyhearth .keyhearth-pre{max-block-size:14rem;margin:0;padding:.75rem;overflow:auto;border:1px solid color-mix(in srgb,var(--_border) 55%,transparent);
border-radius:var(--_radius);background:var(--_field);color:var(--_text);font:400 .875rem/1.5 var(--_mono);white-space:pre-wrap;overflow-wrap:anywhere}
.keyhearth .keyhearth-facts{display:grid;grid-template-columns:minmax(5.5rem,auto) 1fr;gap:.5rem 1rem;margin:0;font-size:.9375rem}
.keyhearth .keyhearth-facts dt{margin:0;padding:0;color:var(--_muted);font-weight:400}
.keyhearth .keyhearth-facts dd{margin:0;overflow-wrap:anywhere}
.keyhearth .keyhearth-mono{font-family:var(--_mono);font-size:.875rem}
.keyhearth .keyhearth-strong{font-weight:600}
.keyhearth .keyhearth-frame{overflow:hidden;border-radius:var(--_radius)}
.keyhearth .keyhearth-frame:empty{display:none}
.keyhearth .keyhearth-frame iframe{display:block;inline-size:100%;block-size:12rem;border:0;color-scheme:light}
.keyhearth .keyhearth-place{display:grid;margin:0;place-items:center;min-block-size:8rem;padding:1rem;border:1px dashed var(--_border);
border-radius:var(--_radius);color:var(--_muted);font-size:.875rem;text-align:center}
@container keyhearth (max-width:21rem){.keyhearth .keyhearth-facts{grid-template-columns:1fr;gap:.1rem}.keyhearth .keyhearth-facts dd{margin-block-end:.5rem}}
`;
