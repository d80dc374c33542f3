import { describe, inject } from "vitest";
import { browserIsHere } from "../e2e/browser.ts";
import { journeySuite } from "./journey-suite.ts";
import { idleSuite, lifeSuite } from "./life-suite.ts";
import { repositorySuite } from "./repository-suite.ts";
import { dockerSite } from "./site.ts";
import { setStage } from "./stage.ts";

const engine = inject("ideEngine");

describe.skipIf(engine === null || !browserIsHere())("Docker, archives in S3", () => {
  const stage = setStage((environment) => {
    if (engine === null) throw new Error("there is no engine");
    return dockerSite(engine, environment);
  });
  idleSuite("docker", stage);
  journeySuite("docker", stage);
  lifeSuite("docker", stage);
  repositorySuite("docker", stage);
});
