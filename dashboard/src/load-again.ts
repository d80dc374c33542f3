import { toast } from "./ui/toasts.tsx";

/** Whether a page would come. A redirect is an answer, too: of whoever stands in front of the server and wants a sign-in. */
async function somebodyAnswers(): Promise<boolean> {
  try {
    return (await fetch("/", { method: "HEAD", cache: "no-store", redirect: "manual" })).status < 500;
  } catch {
    return false;
  }
}

/** Loads the page anew, but only where somebody would answer: from the browser's own error page nothing leads back here. */
export async function loadAgain(): Promise<void> {
  if (await somebodyAnswers()) location.reload();
  else toast({ tone: "problem", text: "The server could not be reached. Try again in a moment." });
}
