import { UNPACK_INPUT } from "./init-step.ts";

/** For a shell, before a job that works as a workspace's user: its files come by its input. Then it becomes the job. */
export const SETUP_STEPS: string = `${UNPACK_INPUT}\nexec "$@"`;
