/** An image as engines understand its reference: with the registry, namespace and tag that may be left out. */
interface Image {
  /** Registry and repository, for example `docker.io/library/debian`. */
  readonly name: string;
  readonly tag: string | null;
  readonly digest: string | null;
}

const MAX_LENGTH = 255;
const COMPONENT = "[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*";
const REGISTRY = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::[0-9]{1,5})?$/;
const REPOSITORY = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const REST = /^([^:@]*)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;

/** The first part of a reference is a host when it could not be a namespace; so engines decide it too. */
function splitRegistry(reference: string): { readonly registry: string; readonly rest: string } {
  const slash = reference.indexOf("/");
  const first = reference.slice(0, Math.max(0, slash)).toLowerCase();
  const isHost = first === "localhost" || /[.:]/.test(first);
  if (slash < 0) return { registry: "docker.io", rest: `library/${reference}` };
  if (!isHost) return { registry: "docker.io", rest: reference };
  return { registry: first === "index.docker.io" ? "docker.io" : first, rest: reference.slice(slash + 1) };
}

function parseImage(reference: string): Image | null {
  if (reference.length > MAX_LENGTH) return null;
  const { registry, rest } = splitRegistry(reference);
  const match = REST.exec(rest);
  const repository = match?.[1] ?? "";
  if (match === null || !REGISTRY.test(registry) || !REPOSITORY.test(repository)) return null;
  const digest = match[3] ?? null;
  return { name: `${registry}/${repository}`, tag: match[2] ?? (digest === null ? "latest" : null), digest };
}

/** `name:*` is every version of one image, `name:1.*` the tags that begin so, `place/*` everything below a place. */
function matchesPattern(image: Image, prefix: string): boolean {
  if (prefix === "") return true;
  const { registry, rest } = splitRegistry(prefix);
  const [repository = "", tag] = rest.split(":");
  const name = `${registry}/${repository}`;
  if (tag === undefined) return image.name.startsWith(name);
  if (image.name !== name) return false;
  return tag === "" || (image.digest === null && (image.tag ?? "").startsWith(tag));
}

function matchesExactly(image: Image, allowed: Image): boolean {
  if (image.name !== allowed.name || image.digest !== allowed.digest) return false;
  return image.digest !== null || image.tag === allowed.tag;
}

/**
 * Whether people may run an image. References are compared as the engine would resolve them, registry and all, so that
 * no other registry or namespace can be spelled to look like an allowed one.
 */
export function isImageAllowed(reference: string, allowlist: readonly string[]): boolean {
  // What an administrator wrote down literally needs no interpretation.
  if (allowlist.some((entry) => entry === reference && !entry.endsWith("*"))) return true;
  const image = parseImage(reference);
  if (image === null) return false;
  return allowlist.some((entry) => {
    if (entry.endsWith("*")) return matchesPattern(image, entry.slice(0, -1));
    const allowed = parseImage(entry);
    return allowed !== null && matchesExactly(image, allowed);
  });
}
