import { S3Client } from "@aws-sdk/client-s3";
import { expect, it } from "vitest";
import { placeOf, signedAddress } from "./addresses.ts";

it("signs as Amazon's own example does", () => {
  const host = "examplebucket.s3.amazonaws.com";
  const address = signedAddress(
    { origin: `https://${host}`, host, path: "/test.txt" },
    { method: "GET", query: {}, validSeconds: 86_400 },
    {
      accessKeyId: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      region: "us-east-1",
    },
    Date.UTC(2013, 4, 24),
  );
  expect(new URL(address).searchParams.get("X-Amz-Signature")).toBe(
    "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

it("finds where an object is in every kind of store, without asking it", async () => {
  const credentials = { accessKeyId: "a", secretAccessKey: "s" };
  const at = async (change: object) => {
    const client = new S3Client({ region: "eu-west-1", credentials, ...change });
    const { origin, path } = await placeOf(client, "bucket", "one/two/home.tar.zst");
    client.destroy();
    return `${origin}${path}`;
  };
  expect(await at({})).toBe("https://bucket.s3.eu-west-1.amazonaws.com/one/two/home.tar.zst");
  expect(await at({ endpoint: "http://127.0.0.1:1", forcePathStyle: true })).toBe(
    "http://127.0.0.1:1/bucket/one/two/home.tar.zst",
  );
  expect(await at({ endpoint: "https://store.example.net", forcePathStyle: false })).toBe(
    "https://bucket.store.example.net/one/two/home.tar.zst",
  );
});
