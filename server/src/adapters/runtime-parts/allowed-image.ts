import { isImageAllowed } from "#core/requests/images.ts";
import { OperationFailure } from "#ports/failure.ts";

export function requireAllowed(imageRef: string, allowlist: readonly string[]): void {
  if (isImageAllowed(imageRef, allowlist)) return;
  throw new OperationFailure(
    "ImagePullFailed",
    `The image ${imageRef} is not on the list of allowed images. Choose another one, or ask an administrator to add it to IMAGE_ALLOWLIST.`,
  );
}
