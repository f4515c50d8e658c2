import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { config } from "../page.ts";
import { App } from "./wallet.tsx";

const options = await config();

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element with the id root");
createRoot(root).render(
  <StrictMode>
    <App options={options} />
  </StrictMode>,
);
