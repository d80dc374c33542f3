import { join } from "node:path";
import { describe, inject } from "vitest";
import { openFilesystemStore } from "#adapters/filesystem/archives.ts";
import { homeRoundTripSuite } from "../suites/home-round-trip-suite.ts";
import { dockerDataPlane } from "./docker-data-plane.ts";

const host = inject("dockerHost");

describe.skipIf(host === null)("on Docker", () => {
  for (const channel of ["socket", "streams"] as const) {
    const make = () =>
      dockerDataPlane(host ?? "", { channel }, (deploymentId, scratch) =>
        openFilesystemStore({ directory: join(scratch, "archives"), deploymentId }),
      );
    // The same program as on processes, with fewer rights and less memory: it is these that are tried here.
    homeRoundTripSuite(`docker by ${channel}`, make, { trees: 3, smallFolders: 5 });
  }
});
