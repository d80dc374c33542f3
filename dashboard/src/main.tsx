import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App, whoIsHere } from "./app.tsx";
import { Boundary, Failure } from "./boundary.tsx";
import { applyTheme } from "./hooks/preferences.ts";
import "./styles.css";
import { Toasts } from "./ui/toasts.tsx";

/** Where the frame around the pages is what threw, there is nothing else left to show. */
const WholeFailure = ({ error }: { error: unknown }) => (
  <>
    <main className="mx-auto max-w-2xl px-4 py-24">
      <Failure what="page" error={error} />
    </main>
    <Toasts />
  </>
);

// Asked before anything is drawn, because neither has to wait for the other. That it failed is told by the page.
const opening = whoIsHere();
opening.catch(() => {});
applyTheme();
const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root.");
createRoot(root).render(
  <StrictMode>
    <Boundary at="" show={(error) => <WholeFailure error={error} />}>
      <App opening={opening} />
    </Boundary>
  </StrictMode>,
);
