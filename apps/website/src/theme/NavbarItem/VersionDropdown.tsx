// Lists this version of the site and those that are kept below their names. A kept version learns from the current one
// which versions came after it.
import { usePluginData } from "@docusaurus/useGlobalData";
import type { Versions } from "@site/plugins/kept-versions/index.ts";
import { linkTo, useKeptVersion, usePlace } from "@site/src/components/versions/place.ts";
import { readVersions } from "@site/src/components/versions/read-versions.ts";
import DropdownNavbarItem from "@theme/NavbarItem/DropdownNavbarItem";
import { type ComponentProps, useEffect, useState } from "react";

type Props = Omit<ComponentProps<typeof DropdownNavbarItem>, "items">;

export default function VersionDropdown(props: Props) {
  const { version, kept } = usePluginData("kept-versions") as Versions; // What our plugin sets.
  const keptVersion = useKeptVersion();
  const place = usePlace();
  const own = keptVersion ?? version;
  const [listed, setListed] = useState(() => listOf(version, kept));
  useEffect(() => {
    if (keptVersion === null) return;
    readVersions().then((all) => all.length > 0 && setListed(all));
  }, [keptVersion]);

  const items = listed.map((each) =>
    each.version === own
      ? { label: own, to: place }
      : // As text, because the theme marks what it takes for another site.
        { label: each.version, html: each.version, ...linkTo(each.base, place) },
  );
  return <DropdownNavbarItem {...props} label={own} items={items} />;
}

function listOf(version: string, kept: string[]) {
  const earlier = kept.map((name) => ({ version: name, base: `/${name}/` }));
  return [{ version, base: "/" }, ...earlier];
}
