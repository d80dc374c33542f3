import { createHash, createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

/** Makes the bucket of archives in the store beside us, by S3's own protocol, and waits until the store answers. One that is there is left alone. */
const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_REGION = "us-east-1" } = process.env;
const LIMIT_MS = 120_000;

const digest = (text) => createHash("sha256").update(text).digest("hex");
const keyed = (key, text) => createHmac("sha256", key).update(text).digest();

/** AWS Signature Version 4 of a request without a body. */
function signed(method, { host, pathname }) {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const day = time.slice(0, 8);
  const body = digest("");
  const names = "host;x-amz-content-sha256;x-amz-date";
  const headers = `host:${host}\nx-amz-content-sha256:${body}\nx-amz-date:${time}\n`;
  const scope = `${day}/${S3_REGION}/s3/aws4_request`;
  const what = digest([method, pathname, "", headers, names, body].join("\n"));
  const key = [S3_REGION, "s3", "aws4_request"].reduce(keyed, keyed(`AWS4${S3_SECRET_ACCESS_KEY}`, day));
  const signature = keyed(key, ["AWS4-HMAC-SHA256", time, scope, what].join("\n")).toString("hex");
  const credential = `Credential=${S3_ACCESS_KEY_ID}/${scope}`;
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return { "x-amz-content-sha256": body, "x-amz-date": time, authorization };
}

const url = new URL(`/${S3_BUCKET}`, S3_ENDPOINT);
const ask = async (method) => {
  const answer = await fetch(url, { method, headers: signed(method, url) });
  return { status: answer.status, words: await answer.text() };
};

let last = "";
for (const deadline = Date.now() + LIMIT_MS; Date.now() < deadline; await delay(500)) {
  try {
    if ((await ask("HEAD")).status === 200) process.exit(0);
    const { status, words } = await ask("PUT");
    last = `${status} ${words}`;
    if (status === 200 || status === 409) continue;
  } catch (error) {
    last = String(error.cause ?? error);
  }
}
console.error(`The bucket ${S3_BUCKET} could not be made at ${S3_ENDPOINT}: ${last}`);
process.exit(1);
