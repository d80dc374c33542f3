import os from "node:os";
import { systemClock as clock } from "#adapters/system/clock.ts";
import type { Config } from "#config/config.ts";
import type { Logger } from "#ports/logger.ts";
import type { Tracer } from "#ports/tracer.ts";
import { programVersion } from "./program-version.ts";

export interface Traces {
  readonly tracer: Tracer | undefined;
  readonly close: () => Promise<void>;
}

/** Where nobody collects traces, nothing is loaded for them. */
export async function openTraces(config: Config, logger: Logger): Promise<Traces> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === null) return { tracer: undefined, close: async () => undefined };
  const { OtlpExporter } = await import("#adapters/otlp/exporter.ts");
  const exporter = new OtlpExporter({
    url: `${endpoint.replace(/\/$/, "")}/v1/traces`,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    resource: {
      serviceName: config.OTEL_SERVICE_NAME,
      version: programVersion(),
      host: os.hostname(),
      pid: process.pid,
      roles: config.ROLES,
    },
    clock,
    logger,
  });
  return { tracer: exporter, close: () => exporter.close() };
}
