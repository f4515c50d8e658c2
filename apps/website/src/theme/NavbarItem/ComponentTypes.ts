// Adds the switcher of versions.
import ComponentTypes from "@theme-original/NavbarItem/ComponentTypes";
import VersionDropdown from "./VersionDropdown.tsx";

export default { ...ComponentTypes, "custom-versionDropdown": VersionDropdown };
