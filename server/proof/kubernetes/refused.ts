import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Scenario } from "./stage.ts";

/** What the cluster cannot do now. */
export const refused: Readonly<Record<string, Scenario>> = {
  "image-missing": {
    did: "a workspace is given an image that no node can pull, and later one that there is",
    play: async (stage) => {
      const home = await stage.newHome("image missing");
      const image = async (image_ref: string) =>
        await stage.api.updateWorkspace({ params: { id: home.id }, body: { image_ref } });
      const { image_ref: good } = await stage.look(home.id);
      await image("127.0.0.1:1/nothing:1");
      await stage.ask(home.id, "RUNNING");
      const begun = performance.now();
      await stage.eventually("it says that the image cannot be pulled", async () => {
        assert.equal((await stage.look(home.id)).error?.reason, "ImagePullFailed");
      });
      const seconds = Math.round((performance.now() - begun) / 1_000);
      await stage.compare(home, "after the failure");
      await image(good);
      if ((await stage.look(home.id)).error?.is_terminal)
        await stage.api.recoverWorkspace({ params: { id: home.id }, body: {} });
      await stage.reaches(home.id, "RUNNING");
      await stage.take(home, "STANDBY");
      await stage.compare(home, "after the good image");
      return [`ImagePullFailed after ${seconds} s`, "runs with the other image"];
    },
  },
  "claim-unbound": {
    did: "the storage gives no disks: a new workspace and a restore meanwhile; then it gives them again",
    play: async (stage) => {
      const fault = join(stage.cluster.dir, "volumes/.faults/provision");
      const home = await stage.newHome("restored without disks");
      await stage.take(home, "ARCHIVED");
      await mkdir(dirname(fault), { recursive: true });
      await writeFile(fault, "fail no disks today");
      let id = "";
      try {
        ({ id } = await stage.api.createWorkspace({ body: { name: "made without disks" } }));
        await stage.ask(home.id, "STANDBY");
        // Long enough to be tried, and not to be over.
        await stage.eventually("both are under way", async () => {
          const both = await Promise.all([stage.look(id), stage.look(home.id)]);
          assert.deepEqual(
            both.map(({ operation }) => operation),
            ["PROVISIONING", "RESTORING"],
          );
        });
        await new Promise((resolve) => setTimeout(resolve, 15_000));
        for (const one of [id, home.id]) assert.equal((await stage.look(one)).error?.is_terminal ?? false, false);
      } finally {
        await rm(fault);
      }
      await stage.reaches(id, "RUNNING");
      await stage.reaches(home.id, "STANDBY");
      await stage.compare(home, "restored");
      return ["both waited and neither was given up", "both went through when there were disks"];
    },
  },
};
