import { describe } from "vitest";
import { browserIsHere } from "../e2e/browser.ts";
import { journeySuite } from "./journey-suite.ts";
import { lifeSuite } from "./life-suite.ts";
import { processSite } from "./site.ts";
import { setStage } from "./stage.ts";

describe.skipIf(!browserIsHere())("local processes, archives in a directory", () => {
  const stage = setStage(processSite);
  journeySuite("process", stage);
  lifeSuite("process", stage);
});
