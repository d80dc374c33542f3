export * from "./catalogue.ts";
export * from "./errors.ts";
export * from "./event-text.ts";
export * from "./findings.ts";
export * from "./say.ts";
export * from "./span.ts";
export * from "./state-text.ts";
export * from "./voice.ts";
