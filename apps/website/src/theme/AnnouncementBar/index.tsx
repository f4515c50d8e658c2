// Says on every page of an earlier version that it is one.
import { EarlierVersion } from "@site/src/components/versions/EarlierVersion.tsx";
import { useKeptVersion } from "@site/src/components/versions/place.ts";
import AnnouncementBar from "@theme-original/AnnouncementBar";

export default function AnnouncementBarOrVersion() {
  const version = useKeptVersion();
  return version === null ? <AnnouncementBar /> : <EarlierVersion version={version} />;
}
