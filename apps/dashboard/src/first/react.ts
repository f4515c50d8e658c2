// What renders the page, apart from what it renders: so that the browser can answer between the two.
import "react-dom/client";
