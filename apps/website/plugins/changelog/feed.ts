import { Feed } from "feed";
import { toHtml } from "hast-util-to-html";
import { type Changelog, wordsOf } from "./parse.ts";

type Channel = { title: string; description: string; pageUrl: string; feedUrl: string };

/** Readers keep what they have seen, so a feed needs only what is new. */
const longest = 200;

/**
 * The newest changes as RSS 2.0, an item for each. Changes before their release have no date: a feed
 * reader shows when it first saw the item. `Not yet` lists what is missing, so it is no news.
 */
export function rssOf(changelog: Changelog, channel: Channel): string {
  const items = changelog.flatMap((version) =>
    version.groups
      .filter(({ title }) => title !== "Not yet")
      .flatMap((group) => group.entries.map((entry) => ({ version, group, entry }))),
  );
  const { date = null } = changelog.find((version) => version.date !== null) ?? {};
  const feed = new Feed({
    title: channel.title,
    description: channel.description,
    link: channel.pageUrl,
    feedLinks: { rss: channel.feedUrl },
    language: "en",
    generator: false,
    updated: new Date(date ?? 0),
  });
  for (const { version, group, entry } of items.slice(0, longest)) {
    const link = `${channel.pageUrl}#${entry.id}`;
    feed.addItem({
      title: `${group.title}: ${shorten(wordsOf(entry.content))}`,
      link,
      guid: link,
      // The types ask for a date, but the writer leaves out an item's date if it has none.
      date: (version.date === null ? undefined : new Date(version.date)) as Date,
      category: [{ name: version.title }, { name: group.title }],
      description: toHtml(entry.content),
    });
  }
  const rss = feed.rss2();
  // Without a release there is no date to give, and the time of the build says nothing.
  return date === null ? rss.replace(/\s*<lastBuildDate>[^<]*<\/lastBuildDate>/, "") : rss;
}

/** The first sentence, or as many words as fit a line. */
function shorten(text: string): string {
  const [sentence = text] = /^.+?\.(?=\s|$)/.exec(text) ?? [];
  const whole = sentence.replace(/\.$/, "");
  return whole.length <= 100 ? whole : `${whole.slice(0, 99).replace(/\s+\S*$/, "")}…`;
}
