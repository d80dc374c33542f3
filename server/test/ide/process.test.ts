import { describe } from "vitest";
import { browserIsHere } from "../e2e/browser.ts";
import { journeySuite } from "./journey-suite.ts";
import { idleSuite, lifeSuite } from "./life-suite.ts";
import { repositorySuite } from "./repository-suite.ts";
import { processSite } from "./site.ts";
import { setStage } from "./stage.ts";

describe.skipIf(!browserIsHere())("local processes, archives in a directory", () => {
  const stage = setStage(processSite);
  idleSuite("process", stage);
  journeySuite("process", stage);
  lifeSuite("process", stage);
  repositorySuite("process", stage);
});
