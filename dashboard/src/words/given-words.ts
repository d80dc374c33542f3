import type { KeyList } from "@codehub/contract";

/** By name, what a workspace with this repository is given besides what everybody's have. */
export const givenWords = (
  { ssh_key: sshKey, credentials, variables }: Pick<KeyList, "ssh_key" | "credentials" | "variables">,
  repository: string | null,
): string[] => [
  ...(sshKey === null ? [] : ["your SSH key"]),
  ...credentials.map(({ host }) => `the sign-in for ${host}`),
  ...variables
    .filter(({ is_secret: isSecret }) => isSecret)
    .filter(({ repositories }) => repositories === null || (repository !== null && repositories.includes(repository)))
    .map(({ name }) => name),
];
