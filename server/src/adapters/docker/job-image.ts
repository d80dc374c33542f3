import { PROTOCOL_VERSION } from "#job-program/protocol.ts";
import type { Logger } from "#ports/logger.ts";
import type { Engine } from "./engine.ts";

/** On the image, so that it can be asked without being run; what counts is what its program says when it is. */
export const PROTOCOL_LABEL = "codehub.job-protocol";

interface Image {
  readonly Config: { readonly Labels: Readonly<Record<string, string>> | null } | null;
}

/** The labels of an image; null where the engine does not have it. */
export async function imageLabels(engine: Engine, image: string): Promise<Readonly<Record<string, string>> | null> {
  const found = await engine.call<Image>("GET", `/images/${image}/json`);
  return found === null ? null : (found.Config?.Labels ?? {});
}

/**
 * Tells whoever starts a server that its job image is of another version, or missing: every archive and restore would fail
 * with the same words later. An engine that does not answer now is no reason not to start.
 */
export async function tellOfOtherJobImage(engine: Engine, image: string, logger: Logger): Promise<void> {
  let labels: Readonly<Record<string, string>> | null;
  try {
    labels = await imageLabels(engine, image);
  } catch {
    return;
  }
  const spoken = labels === null ? "no image" : (labels[PROTOCOL_LABEL] ?? "none");
  if (spoken === String(PROTOCOL_VERSION)) return;
  const command = `docker build -t ${image} -f deploy/images/job/Dockerfile .`;
  logger.error(
    { image, spoken, expected: PROTOCOL_VERSION, command },
    "the job image is not the one of this release: no home can be archived or restored until it is built anew",
  );
}
