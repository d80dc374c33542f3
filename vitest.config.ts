import { defineConfig } from "vitest/config";

// One project per kind of engine a test needs, so that each can be run, skipped or required on its own.
const project = (name: string, include: string[], extra: object = {}) => ({
  test: { name, include, ...extra },
});

export default defineConfig({
  test: {
    projects: [project("unit", ["{contract,server,dashboard}/src/**/*.test.ts"])],
  },
});
