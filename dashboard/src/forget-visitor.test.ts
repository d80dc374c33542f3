import { expect, test } from "vitest";
import { forgetVisitor } from "./forget-visitor.ts";
import { dispatch, useLive } from "./live/store.ts";
import { overlayIsOpen, showOverlay } from "./ui/overlay.ts";
import { shownToasts, toast } from "./ui/toasts.tsx";
import { sampleWorkspace } from "./words/sample.ts";

test("nothing of one person is left on the page for the next one", () => {
  const workspace = sampleWorkspace({ name: "secret plans" });
  dispatch({ type: "answered", workspace });
  showOverlay({ kind: "delete", workspaces: [workspace] });
  toast({ tone: "problem", text: "“secret plans” could not be started." });
  expect(overlayIsOpen()).toBe(true);
  expect(shownToasts()).toHaveLength(1);
  forgetVisitor();
  const { workspaces, whole } = useLive.getState();
  expect([workspaces.size, whole.size]).toEqual([0, 0]);
  expect(overlayIsOpen()).toBe(false);
  expect(shownToasts()).toEqual([]);
});
