import { type ComponentType, lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { Loading } from "../ui/states.tsx";
import { NotFound } from "./not-found.tsx";
import type { ScreenEntry, ScreenProps } from "./screen.ts";

const loaded = new Map<ScreenEntry, ComponentType<ScreenProps>>();

function screenOf(entry: ScreenEntry): ComponentType<ScreenProps> {
  const known = loaded.get(entry);
  if (known) return known;
  const Screen = lazy(async () => ({ default: (await entry.load()).Screen }));
  loaded.set(entry, Screen);
  return Screen;
}

export function Routes({ entries }: { entries: readonly ScreenEntry[] }) {
  return (
    <Switch>
      {entries.map((entry) => (
        <Route key={entry.name} path={entry.path}>
          {(params: object) => <Shown {...{ entry, params }} />}
        </Route>
      ))}
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

function Shown({ entry, params }: { entry: ScreenEntry; params: object }) {
  const Screen = screenOf(entry);
  const given = Object.fromEntries(
    Object.entries(params).filter(
      ([name, value]) => !/^\d+$/.test(name) && typeof value === "string",
    ),
  );
  // A failure stays with the screen that failed, and another wallet is another screen.
  return (
    <ErrorBoundary key={JSON.stringify([entry.name, entry.isInMenu || given])}>
      <Suspense
        fallback={
          <div className="page">
            <Loading what={entry.title} />
          </div>
        }
      >
        <Screen params={given} />
      </Suspense>
    </ErrorBoundary>
  );
}
