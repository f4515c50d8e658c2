// The theme has texts for an assistant too, and other words for a search without results.
import { translate } from "@docusaurus/Translate";

/** The texts of the window that searches. The button has its own: it is on every page. */
const translations = {
  button: {},
  placeholder: translate({ id: "search.placeholder", message: "Search docs" }),
  modal: {
    searchBox: {
      resetButtonTitle: translate({ id: "search.clear", message: "Clear the query" }),
      resetButtonAriaLabel: translate({ id: "search.clear", message: "Clear the query" }),
      cancelButtonText: translate({ id: "search.cancel", message: "Cancel" }),
      cancelButtonAriaLabel: translate({ id: "search.cancel", message: "Cancel" }),
      searchInputLabel: translate({ id: "search.label", message: "Search" }),
    },
    startScreen: {
      recentSearchesTitle: translate({ id: "search.recent", message: "Recent" }),
      noRecentSearchesText: translate({ id: "search.noRecent", message: "No recent searches" }),
      saveRecentSearchButtonTitle: translate({ id: "search.save", message: "Save this search" }),
      removeRecentSearchButtonTitle: translate({
        id: "search.removeRecent",
        message: "Remove this search from history",
      }),
      favoriteSearchesTitle: translate({ id: "search.favorites", message: "Favorites" }),
      removeFavoriteSearchButtonTitle: translate({
        id: "search.removeFavorite",
        message: "Remove this search from favorites",
      }),
    },
    footer: {
      selectText: translate({ id: "search.select", message: "to select" }),
      selectKeyAriaLabel: translate({ id: "search.selectKey", message: "Enter key" }),
      navigateText: translate({ id: "search.navigate", message: "to navigate" }),
      navigateUpKeyAriaLabel: translate({ id: "search.upKey", message: "Arrow up" }),
      navigateDownKeyAriaLabel: translate({ id: "search.downKey", message: "Arrow down" }),
      closeText: translate({ id: "search.close", message: "to close" }),
      closeKeyAriaLabel: translate({ id: "search.closeKey", message: "Escape key" }),
      searchByText: translate({ id: "search.by", message: "Search by" }),
    },
    noResultsScreen: {
      noResultsText: translate({ id: "search.none", message: "No results for" }),
      suggestedQueryText: translate({ id: "search.try", message: "Try searching for" }),
      reportMissingResultsText: translate({
        id: "search.report",
        message: "Believe this query should return results?",
      }),
      reportMissingResultsLinkText: translate({ id: "search.reportLink", message: "Let us know." }),
    },
  },
};

export default translations;
