import { lazy, Suspense, useState } from "react";
import { Loading } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import type { WayProps } from "./way.ts";
import { Way as Passkey } from "./ways/passkey.tsx";
import { ways } from "./ways.ts";

const shown = ways.map(({ load, ...way }) => ({
  ...way,
  Way: load ? lazy(async () => ({ default: (await load()).Way })) : Passkey,
}));

export function WayTabs(props: WayProps) {
  const offered = shown.filter(({ isOffered }) => isOffered(props.service));
  const [selected, select] = useState(offered[0]?.id);
  return (
    <div className="ways">
      <Tabs
        label="Ways to log in"
        selected={selected}
        onSelect={select}
        tabs={offered.map(({ id, title, Way }) => ({
          id,
          title,
          children: (
            <Suspense fallback={<Loading what="this way to log in" lines={2} />}>
              <Way {...props} />
            </Suspense>
          ),
        }))}
      />
    </div>
  );
}
