import { expect, test } from "vitest";
import { chunkNamesAt, readRoutes, withPageScripts } from "./page-scripts.ts";

const module = `import React from 'react';
import ComponentCreator from '@docusaurus/ComponentCreator';

export default [
  {
    path: '/',
    component: ComponentCreator('/', '111'),
    exact: true
  },
  {
    path: '/',
    component: ComponentCreator('/', '222'),
    routes: [
      {
        path: '/a',
        component: ComponentCreator('/a', '333'),
        routes: [
          { path: '/a/b', component: ComponentCreator('/a/b', '444'), exact: true, sidebar: "docs" },
          { path: '/a/c', component: ComponentCreator('/a/c', '555'), exact: true },
        ]
      }
    ]
  },
  {
    path: '*',
    component: ComponentCreator('*'),
  },
];
`;
const routes = readRoutes(module);
const chunks = {
  "/-111": { __comp: "home", content: "text" },
  "/-222": { __comp: "layout", version: { label: "version" } },
  "/a-333": { __comp: "root" },
  "/a/b-444": { __comp: "page", items: ["one", "version"] },
};

test("the chunks of a path are those of its layouts and its page, each once", () => {
  expect(chunkNamesAt("/a/b", routes, chunks)).toEqual([
    "layout",
    "version",
    "root",
    "page",
    "one",
  ]);
  // A layout has the same path.
  expect(chunkNamesAt("/", routes, chunks)).toEqual(["home", "text"]);
});

test("a path without a page has none, and what has another shape is an error", () => {
  expect(chunkNamesAt("/404.html", routes, chunks)).toEqual([]);
  expect(() => chunkNamesAt("/a/c", routes, chunks)).toThrow("the route /a/c-555 is not in");
  expect(() => readRoutes("export const routes = [];")).toThrow("another shape than");
});

test("a page's own scripts come before the one that would load them", () => {
  const runtime = '<script src="/assets/js/runtime~main.1.js" defer="defer"></script>';
  const html = `<head>${runtime}<script src=/assets/js/main.2.js defer></script>`;
  expect(withPageScripts(html, ["/a.js", "/b.js"])).toBe(
    html.replace(
      runtime,
      `<script src=/a.js defer></script><script src=/b.js defer></script>${runtime}`,
    ),
  );
  expect(withPageScripts(html, [])).toBe(html);
  expect(() => withPageScripts("<head>", ["/a.js"])).toThrow("has no script that loads the others");
});
