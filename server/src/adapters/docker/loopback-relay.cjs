/**
 * Many programs listen on their own loopback only, which ends at the container. This one runs beside them, as the same
 * user, listens on the container's address at the same port and passes every connection on. It leaves when the program
 * does, or when nobody has come for a while.
 *
 * Started by `node -e` it starts itself once more, detached, and ends when that one listens: what runs in the foreground
 * of an exec would end with the connection to the engine. It runs on whatever Node an image has, so it is plain and
 * needs no file but itself.
 */
const net = require("node:net");
const { spawn } = require("node:child_process");

const IDLE_MS = 600_000;
const [host = "", port = ""] = process.argv.slice(1);

/** @param {NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] }} error Of every address that was tried. */
const isRefused = (error) => /ECONNREFUSED/.test(String(error.code) + String(error.errors?.map((one) => one.code)));

function startDetached() {
  const child = spawn(process.execPath, [...process.execArgv, host, port], {
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.once("message", (word) => {
    console.log(word);
    process.exit();
  });
  child.once("exit", () => process.exit(1));
}

/** @param {(word: string, said?: () => void) => void} say */
function relay(say) {
  process.title = "codehub-relay";
  let open = 0;
  let idle = setTimeout(() => process.exit(), IDLE_MS);
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const target = net.connect({ host: "localhost", port: Number(port), allowHalfOpen: true, noDelay: true });
    open += 1;
    clearTimeout(idle);
    client.pipe(target).pipe(client);
    const end = () => {
      client.destroy();
      target.destroy();
    };
    client.on("error", end);
    target.on("error", (error) => {
      end();
      if (isRefused(error)) server.close();
    });
    client.on("close", () => {
      open -= 1;
      if (open > 0) return;
      if (!server.listening) process.exit();
      idle = setTimeout(() => process.exit(), IDLE_MS);
    });
  });
  server.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code === "EADDRINUSE") say("ready", () => process.exit());
    else process.exit(1);
  });
  server.listen({ host, port: Number(port) }, () => {
    say("ready");
    process.disconnect();
  });
}

if (process.send === undefined) startDetached();
else relay((word, said) => process.send?.(word, undefined, undefined, said));
