import type { Safety } from "@codehub/contract";
import type { IconName } from "../ui/icons.tsx";

/** How safe the home is, in a word, a sign and a colour. */
export const safetyLook: Readonly<
  Record<Safety["level"], { readonly word: string; readonly icon: IconName; readonly text: string }>
> = {
  archived: { word: "Archived", icon: "shield", text: "text-running" },
  volume_and_archive: { word: "On disk and archived", icon: "shield", text: "text-running" },
  volume_only: { word: "On disk only", icon: "layers", text: "text-standby" },
  empty: { word: "Empty", icon: "layers", text: "text-pending" },
  at_risk: { word: "At risk", icon: "warning", text: "text-error" },
};
