import type { EngineSeen, ImageSeen } from "#core/doctor/judge-engine.ts";
import type { Reach } from "#core/reach/reach.ts";
import { PROTOCOL_VERSION } from "#job-program/protocol.ts";
import type { Engine } from "./engine.ts";
import { Firewall } from "./firewall.ts";
import { imageLabels, PROTOCOL_LABEL } from "./job-image.ts";

export interface ConfiguredImages {
  readonly job: string;
  readonly default: string;
  readonly allowed: readonly string[];
}

type EngineLook = Pick<EngineSeen, "trouble" | "id" | "images" | "firewall">;

/** Asks the engine who it is and which images it has; `deploymentId` null leaves the firewall alone. */
export async function lookAtEngine(
  engine: Engine,
  configured: ConfiguredImages,
  deploymentId: string | null,
  reach: Reach,
): Promise<EngineLook> {
  try {
    const { ID: id } = await engine.need<{ ID: string }>("GET", "/info", { timeoutMs: 5_000 });
    const images = await lookAtImages(engine, configured);
    const mayRun = images.every(({ use, present }) => use !== "job" || present);
    const firewall =
      deploymentId === null || !mayRun ? null : await tryFirewall(engine, deploymentId, configured.job, reach);
    return { trouble: null, id, images, firewall };
  } catch (error) {
    const cause = causeOf(error);
    return { trouble: { code: codeOf(cause), said: said(cause) }, id: null, images: null, firewall: null };
  }
}

async function lookAtImages(engine: Engine, configured: ConfiguredImages): Promise<readonly ImageSeen[]> {
  // A pattern names no image that could be looked for.
  const plain = configured.allowed.filter((image) => !image.includes("*") && image !== configured.default);
  const wanted: readonly Pick<ImageSeen, "image" | "use">[] = [
    { image: configured.job, use: "job" },
    { image: configured.default, use: "default" },
    ...plain.map((image) => ({ image, use: "allowed" as const })),
  ];
  return await Promise.all(
    wanted.map(async ({ image, use }) => {
      const labels = await imageLabels(engine, image);
      const spoken = labels?.[PROTOCOL_LABEL] ?? "none";
      const protocol = use === "job" && labels !== null ? { spoken, expected: String(PROTOCOL_VERSION) } : null;
      return { image, use, present: labels !== null, protocol };
    }),
  );
}

/** As every start of a workspace does. */
async function tryFirewall(
  engine: Engine,
  deploymentId: string,
  jobImage: string,
  reach: Reach,
): Promise<{ trouble: string | null }> {
  try {
    await new Firewall(engine, deploymentId, jobImage, reach).ensure();
    return { trouble: null };
  } catch (error) {
    return { trouble: said(error) };
  }
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What the system said, which a failure of ours has as its cause. */
const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error && error.cause.name === "Error" ? error.cause : error;

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");
