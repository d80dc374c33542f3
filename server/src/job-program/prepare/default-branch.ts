const SYMBOLIC = /^ref: refs\/heads\/(\S{1,1000})\tHEAD$/m;

/** Of what `ls-remote --symref ADDRESS HEAD` says; null where HEAD is nothing yet, or no branch. */
export const defaultBranch = (output: string): string | null => SYMBOLIC.exec(output)?.[1] ?? null;
