import { expect, test } from "vitest";
import { drawAddress } from "#core/rows/address.ts";
import { NOW, workspace } from "../../../test/fixtures/workspace.ts";
import { requestAddress } from "./address.ts";

const UUID = "8e1f5a90-7c1b-4d2e-9f3a-0123456789ab";
const slots = { ofOwner: 0, global: 0 };
const ask = (row: Parameters<typeof requestAddress>[0]["row"], form: "words" | "id") =>
  requestAddress({ row, now: NOW, slots }, form, UUID, "mina");
const renamed = workspace({ name: "Payments", address: "paper-bcdf23" });
const payments = drawAddress("Payments", UUID);

test("in words is made of the present name", () => {
  expect(ask(renamed, "words")).toMatchObject({
    write: { address: payments },
    events: [
      { actor: "mina", kind: "moved", code: "address_changed", details: { left: "paper-bcdf23", taken: payments } },
    ],
    result: { accepted: true },
  });
  expect(ask(workspace({ name: "Payments" }), "words")).toMatchObject({ write: { address: payments } });
});

test("as its id takes the words away, once", () => {
  expect(ask(renamed, "id")).toMatchObject({
    write: { address: null },
    events: [{ details: { taken: renamed.id } }],
  });
  expect(ask(workspace(), "id")).toEqual({ write: null, result: { accepted: true } });
});

test("is nothing for what is deleted or not there", () => {
  expect(ask(null, "words").result).toEqual({ accepted: false, refusal: "NOT_FOUND" });
  const deleted = workspace({ desiredState: "DELETED", deletedAt: NOW });
  expect(ask(deleted, "id")).toEqual({ write: null, result: { accepted: false, refusal: "DELETED" } });
});
