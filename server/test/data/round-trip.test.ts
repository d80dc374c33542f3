import { homeRoundTripSuite } from "../suites/home-round-trip-suite.ts";
import { processDataPlane } from "./process-harness.ts";

homeRoundTripSuite("process and directory", () => processDataPlane({}), { trees: 6, smallFolders: 100 });
