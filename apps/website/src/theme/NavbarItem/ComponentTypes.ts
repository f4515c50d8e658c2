// Adds the switcher of versions, and the way home.
import ComponentTypes from "@theme-original/NavbarItem/ComponentTypes";
import HomeItem from "./HomeItem.tsx";
import VersionDropdown from "./VersionDropdown.tsx";

export default {
  ...ComponentTypes,
  "custom-home": HomeItem,
  "custom-versionDropdown": VersionDropdown,
};
